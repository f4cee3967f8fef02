// Reads and writes whole files. Reading detects gzip, bzip2 and xz by content, whatever the file's
// name; writing compresses if the name ends in .gz, .bz2 or .xz. Every reader of core/base/io
// starts from read_file, so compressed meshes or problems are read like plain ones.
//
// Errors name the file and say what the system or the decompressor found. A truncated or damaged
// archive is an error, never a short read.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "core/base/enum_names.h"

namespace thallo {

enum class Compression { None, Gzip, Bzip2, Xz };
template <>
inline constexpr EnumNames enum_names<Compression> = {"compression",
                                                      {"none", "gzip", "bzip2", "xz"}};

// Detects the compression from the first bytes of the content.
Compression compression_of_content(std::string_view content);
// Determines the compression from the last suffix of the name.
Compression compression_of_name(const std::filesystem::path& path);

// Returns the last suffix in lower case, ignoring that of a compression: ".ply" for "Bunny.PLY.gz".
std::string suffix_of(const std::filesystem::path& path);

// Fails if the path names a folder, a device, a socket or a pipe. `what` is what a plain file was
// wanted for, "a store".
Expected<void> check_plain_file(const std::filesystem::path& path,
                                std::string_view what = "a file");

// Returns the decompressed content. A UTF-8 byte-order mark, which some programs write before a
// text and no binary format begins with, is removed. Fails for what check_plain_file() refuses but
// pipes, for a pipe that nobody writes to for some seconds, for content larger than half of the
// machine's memory, and as soon as an archive has unpacked to more than 64 MiB and more than a
// hundred times what was read of it.
Expected<std::string> read_file(const std::filesystem::path& path);

// Reads a file and parses its content, read_as<parse_bal>(path).
template <auto Parse>
auto read_as(const std::filesystem::path& path) -> decltype(Parse(path, std::string_view())) {
  THALLO_TRY(const auto content, read_file(path));
  return Parse(path, content);
}

// Unpacks raw DEFLATE data to `num_bytes` bytes. Fails if these are more than half of the machine's
// memory, or more than 64 MiB and more than a thousand times the size of the data. `name` is for
// messages.
Expected<std::string> inflate(const std::filesystem::path& name, std::string_view packed,
                              std::uint64_t num_bytes);

// Writes a temporary file beside the target and renames it, so that a reader never sees half a
// file. A link stays, and the file that it names is written. A device or a pipe is written to.
Expected<void> write_file(const std::filesystem::path& path, std::string_view content);

}  // namespace thallo
