#include "core/base/io/file.h"

#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <ios>
#include <limits>
#include <system_error>

#include <fmt/format.h>
#include <boost/iostreams/copy.hpp>
#include <boost/iostreams/device/array.hpp>
#include <boost/iostreams/filter/bzip2.hpp>
#include <boost/iostreams/filter/gzip.hpp>
#include <boost/iostreams/filter/lzma.hpp>
#include <boost/iostreams/filter/zlib.hpp>
#include <boost/iostreams/filtering_stream.hpp>

namespace thallo {
namespace {

namespace bio = boost::iostreams;
namespace fs = std::filesystem;
using namespace std::literals;

std::uintmax_t half_of_memory() {
  static const auto bytes = static_cast<std::uintmax_t>(sysconf(_SC_PHYS_PAGES)) *
                            static_cast<std::uintmax_t>(sysconf(_SC_PAGESIZE)) / 2;
  return bytes;
}

// Data compress to a hundredth, blank images to a thousandth of their size; what unpacks to more is
// a mistake or an attack, and would fill the memory before any reader could say so.
std::uintmax_t most_unpacked(std::size_t packed) {
  constexpr std::uintmax_t Always = 64u << 20, Ratio = 1000;
  return std::min(half_of_memory(), std::max(Always, Ratio * packed));
}

std::string in_mebibytes(std::uintmax_t bytes) { return fmt::format("{} MiB", bytes >> 20); }

struct TooLarge {};

// Appends to a text of at most so many bytes.
class BoundedSink {
 public:
  using char_type = char;
  using category = bio::sink_tag;

  BoundedSink(std::string& to, std::uintmax_t most) : to_(&to), most_(most) {}
  std::streamsize write(const char* data, std::streamsize count) {
    if (to_->size() + static_cast<std::size_t>(count) > most_) throw TooLarge();
    to_->append(data, static_cast<std::size_t>(count));
    return count;
  }

 private:
  std::string* to_;
  std::uintmax_t most_;
};

Expected<std::string> read_raw(const fs::path& path) {
  std::error_code code;
  if (fs::is_directory(path, code)) return fail_at({path}, "cannot be read: it is a folder");
  if (fs::is_character_file(path, code) || fs::is_block_file(path, code))
    return fail_at({path}, "cannot be read: it is a device, not a file");
  errno = 0;
  std::ifstream in(path, std::ios::binary);
  if (!in) return fail_at({path}, "cannot be opened: {}", std::strerror(errno ? errno : ENOENT));
  std::string content;
  // The size is a hint only: pipes and files in /proc have none.
  if (const auto size = fs::file_size(path, code); !code) content.reserve(size);
  char block[1 << 16];
  while (in.read(block, sizeof(block)) || in.gcount() > 0) {
    content.append(block, static_cast<std::size_t>(in.gcount()));
    if (content.size() > half_of_memory()) {
      return fail_at({path}, "has more than {}, half of this machine's memory",
                     in_mebibytes(half_of_memory()));
    }
  }
  if (in.bad()) return fail_at({path}, "cannot be read: {}", std::strerror(errno));
  return content;
}

template <class Filter>
std::string run_filter(const Filter& filter, std::string_view input, std::uintmax_t most) {
  std::string output;
  bio::filtering_istream in;
  in.push(filter, 1 << 16);
  in.push(bio::array_source(input.data(), input.size()));
  bio::copy(in, BoundedSink(output, most), 1 << 16);
  return output;
}

std::string decompress(Compression compression, std::string_view input) {
  const std::uintmax_t most = most_unpacked(input.size());
  switch (compression) {
    case Compression::Gzip: return run_filter(bio::gzip_decompressor(), input, most);
    case Compression::Bzip2: return run_filter(bio::bzip2_decompressor(), input, most);
    case Compression::Xz: return run_filter(bio::lzma_decompressor(), input, most);
    case Compression::None: break;
  }
  return std::string(input);
}

std::string compress(Compression compression, std::string_view input) {
  constexpr auto Most = std::numeric_limits<std::uintmax_t>::max();
  switch (compression) {
    case Compression::Gzip: return run_filter(bio::gzip_compressor(), input, Most);
    case Compression::Bzip2: return run_filter(bio::bzip2_compressor(), input, Most);
    case Compression::Xz: return run_filter(bio::lzma_compressor(), input, Most);
    case Compression::None: break;
  }
  return std::string(input);
}

}  // namespace

std::string_view to_string(Compression compression) {
  switch (compression) {
    case Compression::None: return "none";
    case Compression::Gzip: return "gzip";
    case Compression::Bzip2: return "bzip2";
    case Compression::Xz: return "xz";
  }
  return "none";
}

Compression compression_of_content(std::string_view content) {
  if (content.starts_with("\x1f\x8b"sv)) return Compression::Gzip;
  // The fourth byte is the block size, then follows the magic of a block or of the end.
  if (content.starts_with("BZh"sv) && content.size() > 3 && content[3] >= '1' && content[3] <= '9')
    return Compression::Bzip2;
  if (content.starts_with("\xfd"
                          "7zXZ\0"sv))
    return Compression::Xz;
  return Compression::None;
}

Compression compression_of_name(const fs::path& path) {
  const fs::path suffix = path.extension();
  if (suffix == ".gz") return Compression::Gzip;
  if (suffix == ".bz2") return Compression::Bzip2;
  if (suffix == ".xz") return Compression::Xz;
  return Compression::None;
}

std::string suffix_of(const fs::path& path) {
  const bool packed = compression_of_name(path) != Compression::None;
  std::string suffix = (packed ? path.stem() : path).extension().string();
  for (char& c : suffix) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return suffix;
}

namespace {

Diagnostic too_large(const fs::path& path, std::size_t packed) {
  return {fmt::format("unpacks from {} bytes to more than {}, which no data set does; unpack it "
                      "yourself if it is meant",
                      packed, in_mebibytes(most_unpacked(packed))),
          {path.string(), 0, 0},
          {}};
}

Diagnostic damaged(const fs::path& path, std::string_view kind, std::size_t packed,
                   std::string_view cause) {
  return {fmt::format("is truncated or damaged: the {} data of {} bytes do not decompress ({})",
                      kind, packed, cause),
          {path.string(), 0, 0},
          {}};
}

Expected<std::string> read_unpacked(const fs::path& path) {
  auto raw = read_raw(path);
  if (!raw) return raw;
  const Compression compression = compression_of_content(*raw);
  if (compression == Compression::None) {
    const Compression named = compression_of_name(path);
    if (named == Compression::None) return raw;
    return fail_at({path}, "is named like a {} file, but its content is not {}", to_string(named),
                   to_string(named));
  }
  try {
    return decompress(compression, *raw);
  } catch (const TooLarge&) {
    return fail(too_large(path, raw->size()));
  } catch (const std::ios_base::failure& error) {
    return fail(damaged(path, to_string(compression), raw->size(), error.what()));
  }
}

}  // namespace

Expected<std::string> inflate(const fs::path& name, std::string_view packed,
                              std::uint64_t num_bytes) {
  if (num_bytes > most_unpacked(packed.size())) return fail(too_large(name, packed.size()));
  bio::zlib_params without_header;
  without_header.noheader = true;
  std::string cause = fmt::format("they do not give {} bytes", num_bytes);
  try {
    std::string bytes = run_filter(bio::zlib_decompressor(without_header), packed, num_bytes);
    if (bytes.size() == num_bytes) return bytes;
  } catch (const TooLarge&) {
    // More than was announced.
  } catch (const std::ios_base::failure& error) {
    cause = error.what();
  }
  return fail(damaged(name, "deflated", packed.size(), cause));
}

Expected<std::string> read_file(const fs::path& path) {
  auto content = read_unpacked(path);
  constexpr std::string_view ByteOrderMark = "\xef\xbb\xbf";
  if (content && content->starts_with(ByteOrderMark)) content->erase(0, ByteOrderMark.size());
  return content;
}

namespace {

// Follows links to the file that is written, also where it does not exist yet.
fs::path target_of(fs::path path) {
  constexpr int MostLinks = 40;
  std::error_code code;
  for (int i = 0; i < MostLinks && fs::is_symlink(path, code); ++i) {
    const fs::path next = fs::read_symlink(path, code);
    if (code) return path;
    path = path.parent_path() / next;
  }
  return path;
}

// Returns what went wrong, 0 if nothing did.
int write_in_place(const fs::path& path, std::string_view content) {
  errno = 0;
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  if (out) {
    out.write(content.data(), static_cast<std::streamsize>(content.size()));
    out.close();
  }
  if (out) return 0;
  return errno != 0 ? errno : EIO;
}

}  // namespace

Expected<void> write_file(const fs::path& path, std::string_view content) {
  std::string packed;
  if (const Compression compression = compression_of_name(path); compression != Compression::None) {
    packed = compress(compression, content);
    content = packed;
  }
  const auto cannot = [&](int cause) {
    return fail_at({path}, "cannot be written: {}", std::strerror(cause));
  };
  const fs::path target = target_of(path);
  std::error_code code;
  const fs::file_status status = fs::status(target, code);
  if (fs::is_directory(status)) return cannot(EISDIR);
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    if (const int cause = write_in_place(target, content); cause != 0) return cannot(cause);
    return {};
  }
  fs::path partial = target;
  partial += fmt::format(".{}.tmp", getpid());
  if (const int cause = write_in_place(partial, content); cause != 0) {
    fs::remove(partial, code);
    return cannot(cause);
  }
  if (fs::exists(status)) fs::permissions(partial, status.permissions(), code);
  fs::rename(partial, target, code);
  if (code) {
    const int cause = code.value();
    fs::remove(partial, code);
    return cannot(cause);
  }
  return {};
}

}  // namespace thallo
