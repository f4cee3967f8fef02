#include "core/base/aligned_bytes.h"

#include <cstring>
#include <new>

namespace thallo {
namespace {

constexpr std::align_val_t Alignment{64};

}  // namespace

void AlignedBytes::Free::operator()(std::byte* data) const { ::operator delete[](data, Alignment); }

AlignedBytes::AlignedBytes(std::size_t bytes)
    : data_(static_cast<std::byte*>(::operator new[](bytes + 1, Alignment))), bytes_(bytes) {
  clear();
}

void AlignedBytes::clear() { std::memset(data_.get(), 0, bytes_); }

}  // namespace thallo
