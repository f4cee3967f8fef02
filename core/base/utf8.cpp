#include "core/base/utf8.h"

#include <cstdint>
#include <iterator>

#include <fmt/format.h>
#include <boost/locale/utf.hpp>

namespace thallo {
namespace {

bool is_control(std::uint32_t character) {
  return (character < 0x20 && character != '\t' && character != '\n') ||
         (character >= 0x7f && character < 0xa0);
}

// A character, or a byte that is none.
struct Read {
  std::size_t num_bytes = 0;  // 0 if it is none
  std::uint32_t character = 0;
};

Read read_character(std::string_view text) {
  namespace utf = boost::locale::utf;
  const char* end = text.data();
  const utf::code_point character = utf::utf_traits<char>::decode(end, text.data() + text.size());
  if (character == utf::illegal || character == utf::incomplete) return {};
  return {static_cast<std::size_t>(end - text.data()), character};
}

}  // namespace

std::size_t utf8_length(std::string_view text) { return read_character(text).num_bytes; }

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

std::string printable(std::string_view text) {
  std::string shown;
  while (!text.empty()) {
    const Read read = read_character(text);
    const std::string_view bytes = text.substr(0, read.num_bytes == 0 ? 1 : read.num_bytes);
    if (read.num_bytes > 0 && !is_control(read.character)) {
      shown += bytes;
    } else {
      for (const char byte : bytes)
        fmt::format_to(std::back_inserter(shown), "\\x{:02x}", static_cast<unsigned char>(byte));
    }
    text.remove_prefix(bytes.size());
  }
  return shown;
}

}  // namespace thallo
