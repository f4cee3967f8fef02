#include "core/backend/cuda/array_kernels.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "core/backend/cuda/array_text.h"
#include "core/backend/cuda/compile.h"
#include "core/backend/cuda/driver.h"
#include "core/backend/cuda/load.h"
#include "core/base/error.h"
#include "core/energy/manifold.h"
#include "core/kernel/memory_type.h"

namespace thallo::cuda {
namespace {

constexpr unsigned int CopyBlocksPerUnit = 8;

// An event that is recorded once.
class Event {
 public:
  Event() { THALLO_CUDA(cuEventCreate(&event_, CU_EVENT_DISABLE_TIMING)); }
  ~Event() { driver().cuEventDestroy_v2(event_); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  CUevent get() const { return event_; }

 private:
  CUevent event_ = nullptr;
};

ArrayLayout checked_layout(const DeviceArray& array) {
  auto layout = layout_of(array);
  THALLO_ASSERT(layout.has_value(), "an array that was not checked");
  return *layout;
}

template <class Value>
CUresult find_attribute(CUpointer_attribute which, std::uint64_t address, Value& value) {
  return driver().cuPointerGetAttribute(&value, which, address);
}

}  // namespace

Expected<std::unique_ptr<const ArrayKernels>> ArrayKernels::load(const Device& device) {
  const Source source = array_source();
  auto images = compile_all({&source, 1}, device.info().architecture);
  if (!images) return fail(images.error());
  auto module = load_module(source, device.info().architecture, images->front());
  if (!module) return fail(module.error());
  return std::unique_ptr<const ArrayKernels>(new ArrayKernels(device, *std::move(module)));
}

ArrayKernels::ArrayKernels(const Device& device, Module module)
    : module_(std::move(module)),
      most_blocks_(static_cast<unsigned int>(device.info().num_units) * CopyBlocksPerUnit),
      copy_(module_.function("copy")),
      inspect_(module_.function("inspect")) {}

LaunchGrid ArrayKernels::grid_for(std::int64_t count) const {
  const std::int64_t blocks = (count + ArrayBlockSize - 1) / ArrayBlockSize;
  return {static_cast<unsigned int>(std::min<std::int64_t>(blocks, most_blocks_)), ArrayBlockSize};
}

void ArrayKernels::copy(CUstream stream, const DeviceArray& from, const DeviceArray& to) const {
  const CopyArgs args{checked_layout(from), checked_layout(to), from.num_values()};
  THALLO_ASSERT_EQ(args.count, to.num_values());
  if (args.count > 0) launch(stream, copy_, grid_for(args.count), &args, "copy of an array");
}

void ArrayKernels::inspect(CUstream stream, const DeviceArrayQuery& query,
                           CUdeviceptr facts) const {
  const InspectArgs args{.array = checked_layout(query.array),
                         .count = query.array.num_values(),
                         .least = query.least,
                         .largest = query.largest,
                         .needs_integers = query.needs_integers ? 1 : 0,
                         .allows_nan = query.allows_nan ? 1 : 0,
                         .quaternion_tolerance = query.has_quaternions ? QuaternionTolerance : 0,
                         .facts = facts};
  if (args.count > 0) launch(stream, inspect_, grid_for(args.count), &args, "look at an array");
}

Expected<void> check_array(const Device& device, const DeviceArray& array) {
  if (auto layout = layout_of(array); !layout) return fail(layout.error());
  if (array.num_values() == 0) return {};
  if (array.address % size_of(array.type) != 0) {
    return fail("its address {:#x} is no multiple of {}, the bytes of a value", array.address,
                size_of(array.type));
  }
  unsigned int type = 0;
  if (find_attribute(CU_POINTER_ATTRIBUTE_MEMORY_TYPE, array.address, type) != CUDA_SUCCESS ||
      type != CU_MEMORYTYPE_DEVICE) {
    return fail(
        "its address {:#x} is in no memory of a device; an array on the host is bound as "
        "such",
        array.address);
  }
  int ordinal = 0;
  THALLO_CUDA(cuPointerGetAttribute(&ordinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, array.address));
  if (ordinal != device.ordinal())
    return fail("it is in memory of device {}, and the solver is on device {}", ordinal,
                device.ordinal());
  std::uint64_t begin = 0;
  std::size_t bytes = 0;
  THALLO_CUDA(cuPointerGetAttribute(&begin, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, array.address));
  THALLO_CUDA(cuPointerGetAttribute(&bytes, CU_POINTER_ATTRIBUTE_RANGE_SIZE, array.address));
  const MemoryRange values = memory_of(array);
  if (values.begin >= begin && values.end <= begin + bytes) return {};
  return fail("its values are {} bytes from {:#x}, and the memory there has {}",
              values.end - values.begin, values.begin,
              static_cast<std::int64_t>(begin + bytes - values.begin));
}

void wait_for(CUstream stream, const DeviceArray& array) {
  const Event event;
  // NOLINTNEXTLINE: a stream is handed over as a number
  THALLO_CUDA(cuEventRecord(event.get(), reinterpret_cast<CUstream>(array.stream)));
  THALLO_CUDA(cuStreamWaitEvent(stream, event.get(), 0));
}

}  // namespace thallo::cuda
