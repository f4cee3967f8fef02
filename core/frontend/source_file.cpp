#include "core/frontend/source_file.h"

#include <cerrno>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <system_error>

#include "core/base/io/file.h"

namespace thallo {
namespace {

// Refuses a file given by mistake: a page of text has a few thousand characters.
constexpr std::uintmax_t MaxFileBytes = std::uintmax_t{4} << 20;

}  // namespace

Expected<std::string> read_source(const std::filesystem::path& path, std::string_view what) {
  const SourceLocation where{path.string(), 0, 0};
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) return fail_at(where, "there is no such file");
  THALLO_CHECK(check_plain_file(path, what));
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  if (!error && size > MaxFileBytes)
    return fail_at(where, "{} bytes are too many for {} (at most {})", size, what, MaxFileBytes);
  std::ifstream file(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  if (!file.is_open() || file.bad())
    return fail_at(where, "cannot be read: {}", std::generic_category().message(errno));
  if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff"))
    return fail_at(where, "is UTF-16; {} is UTF-8", what);
  constexpr std::string_view ByteOrderMark = "\xef\xbb\xbf";
  if (text.starts_with(ByteOrderMark)) text.erase(0, ByteOrderMark.size());
  return text;
}

}  // namespace thallo
