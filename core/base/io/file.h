// Whole files in and out. Reading undoes gzip, bzip2 and xz by content, whatever the file is
// called; writing compresses when the name ends in .gz, .bz2 or .xz. Every reader of core/base/io
// starts from read_file, so a compressed mesh or problem is read like a plain one.
//
// Errors name the file and what the system or the decompressor found. A truncated or damaged
// archive is an error, never a short read.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "core/base/diagnostic.h"

namespace thallo {

enum class Compression { None, Gzip, Bzip2, Xz };

std::string_view to_string(Compression compression);

// The compression that the first bytes of the content tell.
Compression compression_of_content(std::string_view content);
// The compression that the last suffix of the name tells.
Compression compression_of_name(const std::filesystem::path& path);

// The last suffix in lower case, not counting that of a compression: ".ply" for "Bunny.PLY.gz".
std::string suffix_of(const std::filesystem::path& path);

// Returns the decompressed content, without the byte-order mark of UTF-8 that some programs write
// before a text, and that no binary format begins with. Fails for devices, for more than half
// of the machine's memory, and for an archive that unpacks to more than 64 MiB and a thousand
// times its size.
Expected<std::string> read_file(const std::filesystem::path& path);

// Unpacks DEFLATE data without a header, which give so many bytes; with the same limits. `name` is
// for messages.
Expected<std::string> inflate(const std::filesystem::path& name, std::string_view packed,
                              std::uint64_t num_bytes);

// Writes a temporary file beside the target and renames it, so that a reader never sees half a
// file.
Expected<void> write_file(const std::filesystem::path& path, std::string_view content);

}  // namespace thallo
