#include "core/backend/cuda/memory.h"

#include <type_traits>
#include <utility>
#include <variant>

#include "core/backend/cuda/driver.h"
#include "core/backend/with_type.h"
#include "core/base/error.h"
#include "core/base/log.h"

namespace thallo::cuda {
namespace {

template <class T>
void upload_values(CUstream stream, CUdeviceptr target, const std::vector<T>& values) {
  upload_bytes(stream, target, std::as_bytes(std::span(values)));
}

template <class To, class From>
std::vector<To> converted(const From& from) {
  std::vector<To> to;
  to.reserve(from.size());
  for (const auto value : from) to.push_back(static_cast<To>(value));
  return to;
}

template <class T>
std::vector<T> download_values(CUstream stream, CUdeviceptr source, std::size_t count) {
  std::vector<T> values(count);
  if (count > 0) {
    THALLO_CUDA(cuMemcpyDtoHAsync_v2(values.data(), source, count * sizeof(T), stream));
  }
  THALLO_CUDA(cuStreamSynchronize(stream));
  return values;
}

}  // namespace

Expected<DeviceBuffer> DeviceBuffer::allocate(std::size_t bytes, std::string_view what) {
  DeviceBuffer buffer;
  if (bytes == 0) return buffer;
  const CUresult code = driver().cuMemAlloc_v2(&buffer.pointer_, bytes);
  if (code == CUDA_ERROR_OUT_OF_MEMORY) {
    std::size_t free_bytes = 0;
    std::size_t total_bytes = 0;
    THALLO_CUDA(cuMemGetInfo_v2(&free_bytes, &total_bytes));
    return fail("out of device memory: {} needs {} bytes, {} of {} are free", what, bytes,
                free_bytes, total_bytes);
  }
  detail::check(code, "cuMemAlloc_v2(&pointer, bytes)");
  buffer.bytes_ = bytes;
  return buffer;
}

DeviceBuffer::~DeviceBuffer() {
  if (pointer_ == 0) return;
  if (const CUresult code = driver().cuMemFree_v2(pointer_); code != CUDA_SUCCESS) {
    logger("cuda").debug("cuMemFree: {}", error_text(code));
  }
}

DeviceBuffer::DeviceBuffer(DeviceBuffer&& other) noexcept
    : pointer_(std::exchange(other.pointer_, 0)), bytes_(std::exchange(other.bytes_, 0)) {}

DeviceBuffer& DeviceBuffer::operator=(DeviceBuffer&& other) noexcept {
  std::swap(pointer_, other.pointer_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

PinnedBuffer::PinnedBuffer(std::size_t bytes) { THALLO_CUDA(cuMemAllocHost_v2(&data_, bytes)); }
PinnedBuffer::~PinnedBuffer() {
  if (const CUresult code = driver().cuMemFreeHost(data_); code != CUDA_SUCCESS) {
    logger("cuda").debug("cuMemFreeHost: {}", error_text(code));
  }
}

void upload(CUstream stream, CUdeviceptr target, ScalarType type, const HostArray& values) {
  std::visit(
      [&]<class From>(const std::vector<From>& from) {
        with_type(type, [&]<class To>(To) {
          if constexpr (std::is_same_v<From, To>) {
            upload_values(stream, target, from);
          } else {
            upload_values(stream, target, converted<To>(from));
          }
        });
      },
      values.storage());
}

void upload(CUstream stream, CUdeviceptr target, ScalarType type, std::span<const double> values) {
  with_type(type, [&]<class To>(To) { upload_values(stream, target, converted<To>(values)); });
}

void upload_bytes(CUstream stream, CUdeviceptr target, std::span<const std::byte> bytes) {
  if (bytes.empty()) return;
  // `bytes` is pageable memory, so the call returns once the driver has copied it to staging
  // memory.
  THALLO_CUDA(cuMemcpyHtoDAsync_v2(target, bytes.data(), bytes.size(), stream));
}

void clear(CUstream stream, CUdeviceptr target, std::size_t bytes) {
  if (bytes > 0) THALLO_CUDA(cuMemsetD8Async(target, 0, bytes, stream));
}

std::vector<double> download(CUstream stream, CUdeviceptr source, ScalarType type,
                             std::size_t count) {
  return with_type(type, [&]<class From>(From) {
    return converted<double>(download_values<From>(stream, source, count));
  });
}

void download(CUstream stream, CUdeviceptr source, ScalarType type, HostArray& into) {
  std::visit(
      [&]<class To>(std::vector<To>& to) {
        with_type(type, [&]<class From>(From) {
          auto values = download_values<From>(stream, source, to.size());
          if constexpr (std::is_same_v<From, To>) {
            to = std::move(values);
          } else {
            to = converted<To>(values);
          }
        });
      },
      into.storage());
}

}  // namespace thallo::cuda
