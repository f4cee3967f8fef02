// Memory with the alignment that vector instructions need.
#pragma once

#include <cstddef>
#include <memory>

namespace thallo {

class AlignedBytes {
 public:
  AlignedBytes() = default;
  // Allocates zeroed memory. Throws std::bad_alloc if memory is short.
  explicit AlignedBytes(std::size_t bytes);

  std::byte* data() const { return data_.get(); }
  std::size_t bytes() const { return bytes_; }
  void clear();

 private:
  struct Free {
    void operator()(std::byte* data) const;
  };
  std::unique_ptr<std::byte[], Free> data_;
  std::size_t bytes_ = 0;
};

}  // namespace thallo
