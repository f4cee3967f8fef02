#include "core/base/io/tiff.h"

#include <algorithm>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/io/file.h"
#include "core/base/io/libtiff.h"

namespace thallo {
namespace {

using namespace std::literals;

constexpr int MaxTiffChannels = 64;
constexpr std::uint64_t MaxUnpackedBytes = std::uint64_t{1} << 28;

// A file in memory, which libtiff reads or writes through the functions below, and its first error
// message.
struct TiffMemory {
  std::string_view input;
  std::string output;
  std::uint64_t at = 0;
  std::string message;
  bool writes = false;

  std::uint64_t size() const { return writes ? output.size() : input.size(); }
};

TiffMemory& memory_of(thandle_t handle) { return *static_cast<TiffMemory*>(handle); }

tmsize_t read_memory(thandle_t handle, void* to, tmsize_t size) {
  TiffMemory& memory = memory_of(handle);
  const std::string_view content = memory.writes ? std::string_view(memory.output) : memory.input;
  if (memory.at >= content.size()) return 0;
  const auto count =
      std::min<std::uint64_t>(static_cast<std::uint64_t>(size), content.size() - memory.at);
  std::memcpy(to, content.data() + memory.at, count);
  memory.at += count;
  return static_cast<tmsize_t>(count);
}

tmsize_t write_memory(thandle_t handle, void* from, tmsize_t size) {
  TiffMemory& memory = memory_of(handle);
  const auto count = static_cast<std::uint64_t>(size);
  if (memory.output.size() < memory.at + count) memory.output.resize(memory.at + count);
  std::memcpy(memory.output.data() + memory.at, from, count);
  memory.at += count;
  return size;
}

toff_t seek_memory(thandle_t handle, toff_t offset, int whence) {
  TiffMemory& memory = memory_of(handle);
  const std::uint64_t base =
      whence == SEEK_CUR ? memory.at : (whence == SEEK_END ? memory.size() : 0);
  memory.at = base + offset;
  return memory.at;
}

int close_memory(thandle_t) { return 0; }
toff_t size_memory(thandle_t handle) { return memory_of(handle).size(); }

int on_tiff_error(TIFF*, void* user, const char*, const char* format, std::va_list arguments) {
  TiffMemory& memory = *static_cast<TiffMemory*>(user);
  if (!memory.message.empty()) return 1;
  char text[512];
  std::vsnprintf(text, sizeof(text), format, arguments);
  memory.message = text;
  return 1;
}

int on_tiff_warning(TIFF*, void*, const char*, const char*, std::va_list) { return 1; }

using TiffHandle = std::unique_ptr<TIFF, void (*)(TIFF*)>;

TiffHandle open_tiff(const LibTiff& lib, TiffMemory& memory, const char* mode) {
  const std::unique_ptr<TIFFOpenOptions, void (*)(TIFFOpenOptions*)> options(
      lib.TIFFOpenOptionsAlloc(), lib.TIFFOpenOptionsFree);
  lib.TIFFOpenOptionsSetErrorHandlerExtR(options.get(), on_tiff_error, &memory);
  lib.TIFFOpenOptionsSetWarningHandlerExtR(options.get(), on_tiff_warning, &memory);
  return {lib.TIFFClientOpenExt("memory", mode, &memory, read_memory, write_memory, seek_memory,
                                close_memory, size_memory, nullptr, nullptr, options.get()),
          lib.TIFFClose};
}

template <class T>
T tag_of(const LibTiff& lib, TIFF* tiff, std::uint32_t tag, T fallback) {
  T value{};
  return lib.TIFFGetFieldDefaulted(tiff, tag, &value) ? value : fallback;
}

struct TiffLayout {
  std::uint32_t width = 0, height = 0;
  std::uint16_t channels = 1, bits = 1, format = SAMPLEFORMAT_UINT, planes = PLANARCONFIG_CONTIG;
  std::uint16_t photometric = PHOTOMETRIC_MINISBLACK;

  TiffLayout(const LibTiff& lib, TIFF* tiff)
      : width(tag_of<std::uint32_t>(lib, tiff, TIFFTAG_IMAGEWIDTH, 0)),
        height(tag_of<std::uint32_t>(lib, tiff, TIFFTAG_IMAGELENGTH, 0)),
        channels(tag_of<std::uint16_t>(lib, tiff, TIFFTAG_SAMPLESPERPIXEL, 1)),
        bits(tag_of<std::uint16_t>(lib, tiff, TIFFTAG_BITSPERSAMPLE, 1)),
        format(tag_of<std::uint16_t>(lib, tiff, TIFFTAG_SAMPLEFORMAT, SAMPLEFORMAT_UINT)),
        planes(tag_of<std::uint16_t>(lib, tiff, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG)),
        photometric(tag_of<std::uint16_t>(lib, tiff, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_MINISBLACK)) {
  }

  bool is_separate() const { return planes == PLANARCONFIG_SEPARATE; }
  // The number of samples per pixel that lie side by side in a row of a strip or tile.
  std::size_t interleaved() const { return is_separate() ? 1 : channels; }
  std::size_t sample_bytes() const { return bits / 8u; }

  float sample(const unsigned char* at) const {
    const auto as = [at]<class T>(T value) {
      std::memcpy(&value, at, sizeof(T));
      return value;
    };
    if (format == SAMPLEFORMAT_IEEEFP)
      return bits == 32 ? as(float{}) : static_cast<float>(as(double{}));
    if (bits == 8) return static_cast<float>(*at) / 255.0f;
    if (bits == 16) return static_cast<float>(as(std::uint16_t{})) / 65535.0f;
    return static_cast<float>(as(std::uint32_t{}) / 4294967295.0);
  }
};

Expected<void> check_layout(const std::filesystem::path& name, const TiffLayout& layout) {
  const bool is_float =
      layout.format == SAMPLEFORMAT_IEEEFP && (layout.bits == 32 || layout.bits == 64);
  const bool is_integer = layout.format == SAMPLEFORMAT_UINT &&
                          (layout.bits == 8 || layout.bits == 16 || layout.bits == 32);
  if (!is_float && !is_integer) {
    return fail(Diagnostic{
        fmt::format("has samples of {} bits and sample format {}", layout.bits, layout.format),
        {name, 0, 0},
        {"unsigned integers of 8, 16 or 32 bits", "floats of 32 or 64 bits"}});
  }
  if (layout.channels < 1 || layout.channels > MaxTiffChannels)
    return fail_at({name}, "has {} channels, but 1 to {} can be read", layout.channels,
                   MaxTiffChannels);
  if (layout.photometric != PHOTOMETRIC_MINISBLACK && layout.photometric != PHOTOMETRIC_RGB) {
    return fail(Diagnostic{fmt::format("has the photometric interpretation {}", layout.photometric),
                           {name, 0, 0},
                           {"1 (black is zero)", "2 (RGB)"}});
  }
  constexpr std::uint32_t Max = MaxImageExtent + 1;
  return check_extents(name, static_cast<int>(std::min(layout.width, Max)),
                       static_cast<int>(std::min(layout.height, Max)), layout.channels);
}

// A row or a tile is unpacked as a whole, whatever its compressed size is.
Expected<void> check_unpacked_size(const std::filesystem::path& name, const LibTiff& lib,
                                   TIFF* tiff) {
  const bool is_tiled = lib.TIFFIsTiled(tiff) != 0;
  const std::uint64_t bytes = is_tiled ? lib.TIFFTileSize64(tiff) : lib.TIFFScanlineSize64(tiff);
  if (bytes <= MaxUnpackedBytes) return {};
  return fail_at({name}, "has {}s of {} bytes; at most {} are read at once",
                 is_tiled ? "tile" : "row", bytes, MaxUnpackedBytes);
}

// Rows are appended as they come, so that a damaged header allocates nothing in vain.
class TiffDecoder {
 public:
  TiffDecoder(const LibTiff& lib, TIFF* tiff, const TiffLayout& layout)
      : lib_(lib), tiff_(tiff), layout_(layout) {
    image_.width = static_cast<int>(layout.width);
    image_.height = static_cast<int>(layout.height);
    image_.channels = layout.channels;
  }

  // Absent when libtiff reported an error.
  std::optional<Image> decode() {
    const std::uint16_t num_planes = layout_.is_separate() ? layout_.channels : std::uint16_t{1};
    bool decoded = true;
    for (std::uint16_t plane = 0; plane < num_planes && decoded; ++plane)
      decoded = lib_.TIFFIsTiled(tiff_) ? decode_tiles(plane) : decode_rows(plane);
    if (!decoded) return std::nullopt;
    return std::move(image_);
  }

 private:
  bool decode_rows(std::uint16_t plane) {
    const std::size_t needed = layout_.width * layout_.interleaved() * layout_.sample_bytes();
    const auto row_bytes = static_cast<std::size_t>(lib_.TIFFScanlineSize(tiff_));
    if (row_bytes < needed) return false;
    std::vector<unsigned char> row(row_bytes);
    for (std::uint32_t y = 0; y < layout_.height; ++y) {
      if (lib_.TIFFReadScanline(tiff_, row.data(), y, plane) != 1) return false;
      copy_row(row.data(), 0, y, layout_.width, plane);
    }
    return true;
  }

  bool decode_tiles(std::uint16_t plane) {
    const auto width = tag_of<std::uint32_t>(lib_, tiff_, TIFFTAG_TILEWIDTH, 0);
    const auto height = tag_of<std::uint32_t>(lib_, tiff_, TIFFTAG_TILELENGTH, 0);
    if (width < 1 || height < 1 || width > MaxImageExtent || height > MaxImageExtent) return false;
    const std::size_t row_bytes = width * layout_.interleaved() * layout_.sample_bytes();
    const auto tile_bytes = static_cast<std::size_t>(lib_.TIFFTileSize(tiff_));
    if (tile_bytes < row_bytes * height) return false;
    std::vector<unsigned char> tile(tile_bytes);
    for (std::uint32_t y = 0; y < layout_.height; y += height) {
      for (std::uint32_t x = 0; x < layout_.width; x += width) {
        if (lib_.TIFFReadTile(tiff_, tile.data(), x, y, 0, plane) < 0) return false;
        const std::uint32_t num_columns = std::min(width, layout_.width - x);
        for (std::uint32_t row = 0; row < std::min(height, layout_.height - y); ++row)
          copy_row(tile.data() + row * row_bytes, x, y + row, num_columns, plane);
      }
    }
    return true;
  }

  void copy_row(const unsigned char* row, std::uint32_t x0, std::uint32_t y, std::uint32_t count,
                std::uint16_t plane) {
    image_.data.resize(std::max(image_.data.size(), image_.index(0, static_cast<int>(y) + 1)));
    const std::size_t interleaved = layout_.interleaved();
    for (std::uint32_t x = 0; x < count; ++x) {
      for (std::size_t c = 0; c < interleaved; ++c) {
        image_.at(static_cast<int>(x0 + x), static_cast<int>(y), static_cast<int>(c) + plane) =
            layout_.sample(row + (x * interleaved + c) * layout_.sample_bytes());
      }
    }
  }

  const LibTiff& lib_;
  TIFF* tiff_;
  const TiffLayout& layout_;
  Image image_;
};

}  // namespace

bool is_tiff(std::string_view content) {
  // Byte order, then 42 (or 43 in a file for more than 4 GiB).
  return content.starts_with("II*\0"sv) || content.starts_with("MM\0*"sv) ||
         content.starts_with("II+\0"sv) || content.starts_with("MM\0+"sv);
}

bool has_integer_samples(std::string_view tiff) {
  const auto lib = libtiff();
  if (!lib) return false;
  TiffMemory memory;
  memory.input = tiff;
  const TiffHandle handle = open_tiff(**lib, memory, "rm");
  return handle && TiffLayout(**lib, handle.get()).format == SAMPLEFORMAT_UINT;
}

Expected<Image> parse_tiff(const std::filesystem::path& name, std::string_view content) {
  if (!is_tiff(content)) return fail_at({name}, "is not a TIFF file (its signature is missing)");
  const auto opened = libtiff();
  if (!opened) return fail_at({name}, "{}", opened.error().what);
  const LibTiff& lib = **opened;
  TiffMemory memory;
  memory.input = content;
  const auto damaged = [&] {
    return fail_at({name}, "is truncated or damaged: near offset {} of {}, libtiff says: {}",
                   memory.at, content.size(),
                   memory.message.empty() ? "the layout contradicts itself" : memory.message);
  };
  const TiffHandle tiff = open_tiff(lib, memory, "rm");  // m: no memory mapping
  if (!tiff) return damaged();
  const TiffLayout layout(lib, tiff.get());
  if (auto valid = check_layout(name, layout); !valid) return fail(valid.error());
  if (auto valid = check_unpacked_size(name, lib, tiff.get()); !valid) return fail(valid.error());
  auto image = TiffDecoder(lib, tiff.get(), layout).decode();
  if (!image) return damaged();
  return *std::move(image);
}

Expected<Image> read_tiff(const std::filesystem::path& path) {
  const auto content = read_file(path);
  if (!content) return fail(content.error());
  return parse_tiff(path, *content);
}

Expected<void> write_tiff(const std::filesystem::path& path, const Image& image) {
  if (image.width < 1 || image.height < 1 || image.channels < 1 ||
      image.channels > MaxTiffChannels) {
    return fail_at({path},
                   "cannot be written: a TIFF has pixels and 1 to {} channels; this image "
                   "has {} x {} pixels and {} channels",
                   MaxTiffChannels, image.width, image.height, image.channels);
  }
  const auto opened = libtiff();
  if (!opened) return fail_at({path}, "cannot be written: {}", opened.error().what);
  const LibTiff& lib = **opened;
  TiffMemory memory;
  memory.writes = true;
  bool written = false;
  if (const TiffHandle tiff = open_tiff(lib, memory, "wm"); tiff) {
    TIFF* t = tiff.get();
    lib.TIFFSetField(t, TIFFTAG_IMAGEWIDTH, static_cast<std::uint32_t>(image.width));
    lib.TIFFSetField(t, TIFFTAG_IMAGELENGTH, static_cast<std::uint32_t>(image.height));
    lib.TIFFSetField(t, TIFFTAG_SAMPLESPERPIXEL, image.channels);
    lib.TIFFSetField(t, TIFFTAG_BITSPERSAMPLE, 32);
    lib.TIFFSetField(t, TIFFTAG_SAMPLEFORMAT, SAMPLEFORMAT_IEEEFP);
    lib.TIFFSetField(t, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG);
    lib.TIFFSetField(t, TIFFTAG_COMPRESSION, COMPRESSION_ADOBE_DEFLATE);
    const bool is_rgb = image.channels == 3 || image.channels == 4;
    lib.TIFFSetField(t, TIFFTAG_PHOTOMETRIC, is_rgb ? PHOTOMETRIC_RGB : PHOTOMETRIC_MINISBLACK);
    if (const int num_colors = is_rgb ? 3 : 1; image.channels > num_colors) {
      const std::vector<std::uint16_t> extra(static_cast<std::size_t>(image.channels - num_colors),
                                             EXTRASAMPLE_UNSPECIFIED);
      lib.TIFFSetField(t, TIFFTAG_EXTRASAMPLES, static_cast<int>(extra.size()), extra.data());
    }
    lib.TIFFSetField(t, TIFFTAG_ROWSPERSTRIP, lib.TIFFDefaultStripSize(t, 0));
    std::vector<float> row(image.index(0, 1));
    written = true;
    for (int y = 0; y < image.height && written; ++y) {
      std::copy_n(image.data.begin() + static_cast<std::ptrdiff_t>(image.index(0, y)), row.size(),
                  row.begin());
      written = lib.TIFFWriteScanline(t, row.data(), static_cast<std::uint32_t>(y), 0) == 1;
    }
    written = written && lib.TIFFFlush(t) == 1;
  }
  if (!written) return fail_at({path}, "cannot be written: libtiff says: {}", memory.message);
  return write_file(path, memory.output);
}

}  // namespace thallo
