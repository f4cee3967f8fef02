// Reads little-endian binary values from content in memory; the counterpart of TextCursor.
#pragma once

#include <bit>
#include <cstddef>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

#include "core/base/diagnostic.h"

namespace thallo {

static_assert(std::endian::native == std::endian::little, "binary files are read as they are");

class ByteCursor {
 public:
  // `content` must outlive the cursor.
  ByteCursor(std::string file, std::string_view content, std::size_t offset = 0)
      : file_(std::move(file)), content_(content), at_(offset) {}

  std::size_t offset() const { return at_; }
  std::size_t remaining() const { return content_.size() - at_; }

  // Returns false and reads nothing if too few bytes are left.
  template <class T>
  requires std::is_arithmetic_v<T>
  bool read(T& value) { return read_values(std::span<T>(&value, 1)); }
  // Fills a contiguous range.
  template <class Range>
  bool read_values(Range&& range) {
    const auto bytes = std::as_writable_bytes(std::span(range));
    if (remaining() < bytes.size()) return false;
    if (!bytes.empty()) std::memcpy(bytes.data(), content_.data() + at_, bytes.size());
    at_ += bytes.size();
    return true;
  }

  // Returns the message "file: the file is truncated: at offset 16, the pixels (24 bytes) should
  // follow, but ...".
  Diagnostic truncated(std::string_view wanted, std::size_t wanted_bytes) const {
    return {fmt::format("the file is truncated: at offset {}, {} ({} bytes) should follow, but {} "
                        "bytes are left",
                        at_, wanted, wanted_bytes, remaining()),
            {file_, 0, 0}};
  }

 private:
  std::string file_;
  std::string_view content_;
  std::size_t at_;
};

// Appends the bytes of a value or of a contiguous range.
template <class T>
requires std::is_trivially_copyable_v<T>
void append_bytes(std::string& out, std::span<const T> values) {
  const std::size_t begin = out.size();
  out.resize(begin + values.size_bytes());
  if (!values.empty()) std::memcpy(out.data() + begin, values.data(), values.size_bytes());
}
template <class T>
requires std::is_arithmetic_v<T>
void append_bytes(std::string& out, const T& value) {
  append_bytes(out, std::span<const T>(&value, 1));
}

}  // namespace thallo
