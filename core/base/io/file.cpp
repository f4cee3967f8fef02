#include "core/base/io/file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fstream>
#include <functional>
#include <ios>
#include <limits>
#include <span>
#include <system_error>
#include <thread>

#include <fmt/format.h>
#include <boost/iostreams/copy.hpp>
#include <boost/iostreams/filter/bzip2.hpp>
#include <boost/iostreams/filter/gzip.hpp>
#include <boost/iostreams/filter/lzma.hpp>
#include <boost/iostreams/filter/zlib.hpp>
#include <boost/iostreams/filtering_stream.hpp>

#include "core/base/stop_scope.h"

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

// Data compress to a hundredth; what unpacks to more is a mistake or an attack, and would fill the
// memory before any reader could say so. Small files may be as blank as they like.
std::uintmax_t most_unpacked(std::uintmax_t packed, std::uintmax_t always, std::uintmax_t ratio) {
  return std::min(half_of_memory(), std::max(always, ratio * packed));
}
std::uintmax_t most_of_archive(std::uintmax_t packed) {
  return most_unpacked(packed, 64u << 20, 100);
}
// Blank images, whose header says how large they are, compress to a thousandth.
std::uintmax_t most_announced(std::uintmax_t packed) {
  return most_unpacked(packed, 64u << 20, 1000);
}

std::string in_mebibytes(std::uintmax_t bytes) { return fmt::format("{} MiB", bytes >> 20); }

struct TooLarge {};

// Reads from a text, and counts what was read.
class CountedSource {
 public:
  using char_type = char;
  using category = bio::source_tag;

  CountedSource(std::string_view from, std::size_t& num_read) : from_(from), num_read_(&num_read) {}
  std::streamsize read(char* to, std::streamsize most) {
    const std::string_view next = from_.substr(*num_read_, static_cast<std::size_t>(most));
    std::ranges::copy(next, to);
    *num_read_ += next.size();
    return next.empty() ? -1 : static_cast<std::streamsize>(next.size());
  }

 private:
  std::string_view from_;
  std::size_t* num_read_;
};

// How many bytes the output may have when so many of the input were read.
using MostBytes = std::function<std::uintmax_t(std::size_t num_read)>;

// Appends to a text that does not exceed its limit.
class BoundedSink {
 public:
  using char_type = char;
  using category = bio::sink_tag;

  BoundedSink(std::string& to, const std::size_t& num_read, const MostBytes& most)
      : to_(&to), num_read_(&num_read), most_(&most) {}
  std::streamsize write(const char* data, std::streamsize count) {
    if (to_->size() + static_cast<std::size_t>(count) > (*most_)(*num_read_)) throw TooLarge();
    to_->append(data, static_cast<std::size_t>(count));
    return count;
  }

 private:
  std::string* to_;
  const std::size_t* num_read_;
  const MostBytes* most_;
};

// "a device"; empty for a plain file, and where nothing is.
std::string_view other_kind(fs::file_type type) {
  switch (type) {
    case fs::file_type::directory: return "a folder";
    case fs::file_type::block:
    case fs::file_type::character: return "a device";
    case fs::file_type::fifo: return "a pipe";
    case fs::file_type::socket: return "a socket";
    default: return "";
  }
}

// A file that is open for reading. Opening a pipe does not wait for its writer.
class OpenFile {
 public:
  explicit OpenFile(const fs::path& path)
      : descriptor_(open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC)) {}
  ~OpenFile() {
    if (is_open()) close(descriptor_);
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;

  bool is_open() const { return descriptor_ >= 0; }
  // Returns the number of bytes, 0 at the end, or -1 with errno: EAGAIN if they are still to come.
  ssize_t read(std::span<char> to) const { return ::read(descriptor_, to.data(), to.size()); }

 private:
  int descriptor_;
};

Expected<std::string> read_raw(const fs::path& path) {
  std::error_code code;
  const bool is_pipe = fs::is_fifo(path, code);
  if (!is_pipe) {
    THALLO_CHECK(check_plain_file(path));
  }
  const auto too_large = [&] {
    return fail_at({path}, "has more than {}, half of this machine's memory",
                   in_mebibytes(half_of_memory()));
  };
  const OpenFile file(path);
  if (!file.is_open()) return fail_at({path}, "cannot be opened: {}", std::strerror(errno));
  std::string content;
  // The size is a hint only: pipes and files in /proc have none.
  if (const auto size = fs::file_size(path, code); !code) {
    if (size > half_of_memory()) return too_large();
    content.reserve(size);
  }
  constexpr std::chrono::milliseconds Pause(20);
  constexpr std::chrono::seconds Patience(5);
  auto waited = 0 * Pause;
  std::array<char, 1 << 16> block;
  while (true) {
    const ssize_t count = file.read(block);
    if (count > 0) {
      content.append(block.data(), static_cast<std::size_t>(count));
      if (content.size() > half_of_memory()) return too_large();
    } else if (count < 0 && errno == EINTR) {
      continue;
    } else if (is_pipe && (count < 0 ? errno == EAGAIN : content.empty())) {
      // There is a writer that has nothing to say, or none yet.
      check_stop();
      if (count < 0) waited = 0 * Pause;
      if ((waited += Pause) > Patience)
        return fail_at({path}, "is a pipe that nobody has written to for {} s", Patience.count());
      std::this_thread::sleep_for(Pause);
    } else if (count < 0) {
      return fail_at({path}, "cannot be read: {}", std::strerror(errno));
    } else {
      return content;
    }
  }
}

template <class Filter>
std::string run_filter(const Filter& filter, std::string_view input, const MostBytes& most) {
  std::string output;
  std::size_t num_read = 0;
  bio::filtering_istream in;
  in.push(filter, 1 << 16);
  in.push(CountedSource(input, num_read), 1 << 16);
  bio::copy(in, BoundedSink(output, num_read, most), 1 << 16);
  return output;
}

std::string decompress(Compression compression, std::string_view input) {
  switch (compression) {
    case Compression::Gzip: return run_filter(bio::gzip_decompressor(), input, most_of_archive);
    case Compression::Bzip2: return run_filter(bio::bzip2_decompressor(), input, most_of_archive);
    case Compression::Xz: return run_filter(bio::lzma_decompressor(), input, most_of_archive);
    case Compression::None: break;
  }
  return std::string(input);
}

std::string compress(Compression compression, std::string_view input) {
  const MostBytes any = [](std::size_t) { return std::numeric_limits<std::uintmax_t>::max(); };
  switch (compression) {
    case Compression::Gzip: return run_filter(bio::gzip_compressor(), input, any);
    case Compression::Bzip2: return run_filter(bio::bzip2_compressor(), input, any);
    case Compression::Xz: return run_filter(bio::lzma_compressor(), input, any);
    case Compression::None: break;
  }
  return std::string(input);
}

}  // namespace

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

Expected<void> check_plain_file(const fs::path& path, std::string_view what) {
  std::error_code code;
  const std::string_view kind = other_kind(fs::status(path, code).type());
  if (!kind.empty()) return fail_at({path}, "this is {}, not {}", kind, what);
  return {};
}

namespace {

Diagnostic unpacks_too_far(const fs::path& path, std::size_t packed, std::uintmax_t most) {
  return {fmt::format("unpacks from {} bytes to more than {}, which no data set does; unpack it "
                      "yourself if it is meant",
                      packed, in_mebibytes(most)),
          {path.string(), 0, 0}};
}

Diagnostic damaged(const fs::path& path, std::string_view kind, std::size_t packed,
                   std::string_view cause) {
  return {fmt::format("is truncated or damaged: the {} data of {} bytes do not decompress ({})",
                      kind, packed, cause),
          {path.string(), 0, 0}};
}

Expected<std::string> read_unpacked(const fs::path& path) {
  THALLO_TRY(auto raw, read_raw(path));
  const Compression compression = compression_of_content(raw);
  if (compression == Compression::None) {
    const Compression named = compression_of_name(path);
    if (named == Compression::None) return raw;
    return fail_at({path}, "is named like a {} file, but its content is not {}", to_string(named),
                   to_string(named));
  }
  try {
    return decompress(compression, raw);
  } catch (const TooLarge&) {
    return fail(unpacks_too_far(path, raw.size(), most_of_archive(raw.size())));
  } catch (const std::ios_base::failure& error) {
    return fail(damaged(path, to_string(compression), raw.size(), error.what()));
  }
}

}  // namespace

Expected<std::string> inflate(const fs::path& name, std::string_view packed,
                              std::uint64_t num_bytes) {
  if (const std::uintmax_t most = most_announced(packed.size()); num_bytes > most)
    return fail(unpacks_too_far(name, packed.size(), most));
  bio::zlib_params without_header;
  without_header.noheader = true;
  std::string cause = fmt::format("they do not give {} bytes", num_bytes);
  try {
    std::string bytes = run_filter(bio::zlib_decompressor(without_header), packed,
                                   [&](std::size_t) { return num_bytes; });
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
