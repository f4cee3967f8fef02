#include "core/backend/cuda/array_kernels.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include <fmt/format.h>

#include "core/backend/cuda/driver.h"
#include "core/backend/cuda/load.h"
#include "core/backend/cuda/sources.h"
#include "core/base/error.h"
#include "core/energy/manifold.h"
#include "core/kernel/memory_type.h"

namespace thallo::cuda {
namespace {

constexpr unsigned int CopyBlocksPerUnit = 8;
constexpr unsigned int ArrayBlockSize = 256;
constexpr int MaxArrayRank = 8;

// An array as kernels see it. Neighbouring extents that have a common stride are one.
struct ArrayLayout {
  std::uint64_t address = 0;
  std::int64_t type = 0;  // the value of ScalarType
  std::int64_t rank = 0;
  std::int64_t extents[MaxArrayRank] = {};
  std::int64_t strides[MaxArrayRank] = {};
};

// Copies values in order, and converts them.
struct CopyArgs {
  ArrayLayout from, to;
  std::int64_t count = 0;
};
// Adds to facts[0] the fingerprint of the values, and to facts[1] the number of those that are
// NaN, larger than `largest` or part of a pose whose quaternion is not of length 1.
struct InspectArgs {
  ArrayLayout array;
  std::int64_t count = 0;
  double least = 0, largest = 0;
  std::int64_t needs_integers = 0;  // 1 if a value that is no integer is unusable
  std::int64_t allows_nan = 0;      // 1 if a NaN is usable
  double quaternion_tolerance = 0;  // 0 if the values are no poses
  std::uint64_t facts = 0;          // the address of two uint64
};

// Fails if the array has more extents with strides of their own than kernels take.
Expected<ArrayLayout> layout_of(const DeviceArray& array) {
  ArrayLayout layout;
  layout.address = array.address;
  layout.type = static_cast<std::int64_t>(array.type);
  for (std::size_t i = 0; i < array.extents.size(); ++i) {
    if (array.extents[i] == 1) continue;
    const auto last = static_cast<std::size_t>(layout.rank) - 1;
    if (layout.rank > 0 && array.strides[i] == layout.strides[last] * layout.extents[last]) {
      layout.extents[last] *= array.extents[i];
      continue;
    }
    if (layout.rank == MaxArrayRank)
      return fail("it has more than {} dims with strides of their own", MaxArrayRank);
    layout.extents[layout.rank] = array.extents[i];
    layout.strides[layout.rank++] = array.strides[i];
  }
  return layout;
}

Source array_source() {
  const auto number = [](ScalarType type) { return static_cast<int>(type); };
  return own_source("arrays", fmt::format("#define MAX_RANK {}\n#define BLOCK_SIZE {}\n"
                                          "#define FLOAT {}\n#define DOUBLE {}\n#define INT32 {}\n",
                                          MaxArrayRank, ArrayBlockSize, number(ScalarType::Float),
                                          number(ScalarType::Double), number(ScalarType::Int32)));
}

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
  THALLO_TRY(auto module, compile_and_load(array_source(), device));
  return std::unique_ptr<const ArrayKernels>(new ArrayKernels(device, std::move(module)));
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
