#include "core/base/io/tiff.h"

#include <algorithm>
#include <cmath>
#include <cstdarg>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "core/base/half.h"
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
  std::uint32_t width = 0, height = 0, depth = 1;
  std::uint16_t channels = 1, bits = 1, format = SAMPLEFORMAT_UINT, planes = PLANARCONFIG_CONTIG;
  std::uint16_t photometric = PHOTOMETRIC_MINISBLACK, orientation = ORIENTATION_TOPLEFT;

  TiffLayout(const LibTiff& lib, TIFF* tiff)
      : width(tag_of<std::uint32_t>(lib, tiff, TIFFTAG_IMAGEWIDTH, 0)),
        height(tag_of<std::uint32_t>(lib, tiff, TIFFTAG_IMAGELENGTH, 0)),
        depth(tag_of<std::uint32_t>(lib, tiff, TIFFTAG_IMAGEDEPTH, 1)),
        channels(tag_of<std::uint16_t>(lib, tiff, TIFFTAG_SAMPLESPERPIXEL, 1)),
        bits(tag_of<std::uint16_t>(lib, tiff, TIFFTAG_BITSPERSAMPLE, 1)),
        format(tag_of<std::uint16_t>(lib, tiff, TIFFTAG_SAMPLEFORMAT, SAMPLEFORMAT_UINT)),
        planes(tag_of<std::uint16_t>(lib, tiff, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG)),
        photometric(tag_of<std::uint16_t>(lib, tiff, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_MINISBLACK)),
        orientation(tag_of<std::uint16_t>(lib, tiff, TIFFTAG_ORIENTATION, ORIENTATION_TOPLEFT)) {
    const auto compression =
        tag_of<std::uint16_t>(lib, tiff, TIFFTAG_COMPRESSION, COMPRESSION_NONE);
    if (photometric == PHOTOMETRIC_YCBCR && compression == COMPRESSION_JPEG) {
      lib.TIFFSetField(tiff, TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);
      photometric = PHOTOMETRIC_RGB;
    }
  }

  bool is_unsigned() const { return format == SAMPLEFORMAT_UINT; }
  bool is_palette() const { return photometric == PHOTOMETRIC_PALETTE; }
  bool is_separate() const { return planes == PLANARCONFIG_SEPARATE; }
  // The number of samples per pixel that lie side by side in a row of a strip or tile.
  std::size_t interleaved() const { return is_separate() ? 1 : channels; }
  std::size_t row_bytes(std::size_t num_pixels) const {
    return (num_pixels * interleaved() * bits + 7) / 8;
  }
  double full_scale() const { return is_unsigned() ? std::ldexp(1.0, bits) - 1 : 1; }

  Samples make_samples() const {
    if (format == SAMPLEFORMAT_IEEEFP && bits == 64) return std::vector<double>();
    if (format == SAMPLEFORMAT_IEEEFP) return std::vector<float>();
    if (format == SAMPLEFORMAT_INT) return std::vector<std::int32_t>();
    if (bits == 32) return std::vector<std::uint32_t>();
    if (bits == 16) return std::vector<std::uint16_t>();
    return std::vector<std::uint8_t>();
  }

  // Any sample is exact in double.
  double sample(const unsigned char* row, std::size_t i) const {
    const double stored = is_unsigned() ? unsigned_sample(row, i) : other_sample(row, i);
    return photometric == PHOTOMETRIC_MINISWHITE ? full_scale() - stored : stored;
  }

 private:
  template <class T>
  static double load(const unsigned char* row, std::size_t i) {
    T value;
    std::memcpy(&value, row + i * sizeof(T), sizeof(T));
    return static_cast<double>(value);
  }
  double unsigned_sample(const unsigned char* row, std::size_t i) const {
    if (bits == 32) return load<std::uint32_t>(row, i);
    if (bits == 16) return load<std::uint16_t>(row, i);
    const std::size_t end = (i + 1) * bits;  // the first sample has the highest bits of a byte
    return (row[i * bits / 8] >> (8 - 1 - (end - 1) % 8)) & ((1 << bits) - 1);
  }
  double other_sample(const unsigned char* row, std::size_t i) const {
    if (format == SAMPLEFORMAT_INT) {
      if (bits == 32) return load<std::int32_t>(row, i);
      return bits == 16 ? load<std::int16_t>(row, i) : load<std::int8_t>(row, i);
    }
    if (bits == 64) return load<double>(row, i);
    return bits == 32 ? load<float>(row, i) : load<Half>(row, i);
  }
};

Expected<void> check_layout(const std::filesystem::path& name, const TiffLayout& layout) {
  const auto has_bits = [&](std::initializer_list<int> legal) {
    return std::ranges::find(legal, layout.bits) != legal.end();
  };
  const bool is_legal = (layout.is_unsigned() && has_bits({1, 2, 4, 8, 16, 32})) ||
                        (layout.format == SAMPLEFORMAT_INT && has_bits({8, 16, 32})) ||
                        (layout.format == SAMPLEFORMAT_IEEEFP && has_bits({16, 32, 64}));
  if (!is_legal) {
    return fail(Diagnostic{
        fmt::format("has samples of {} bits and sample format {}", layout.bits, layout.format),
        {name, 0, 0},
        {"1 (unsigned integers) of 1, 2, 4, 8, 16 or 32 bits",
         "2 (signed integers) of 8, 16 or 32 bits", "3 (floats) of 16, 32 or 64 bits"}});
  }
  if (layout.channels < 1 || layout.channels > MaxTiffChannels)
    return fail_at({name}, "has {} channels, but 1 to {} can be read", layout.channels,
                   MaxTiffChannels);
  if (layout.depth > 1)
    return fail_at({name}, "has {} slices in one page, but only one can be read", layout.depth);
  const bool can_be_read =
      layout.photometric == PHOTOMETRIC_MINISBLACK || layout.photometric == PHOTOMETRIC_RGB ||
      (layout.photometric == PHOTOMETRIC_MINISWHITE && layout.is_unsigned()) ||
      (layout.is_palette() && layout.is_unsigned() && layout.bits <= 16 && layout.channels == 1) ||
      (layout.photometric == PHOTOMETRIC_SEPARATED && layout.is_unsigned() && layout.channels == 4);
  if (!can_be_read) {
    return fail(Diagnostic{
        fmt::format("has the photometric interpretation {} with {} channels", layout.photometric,
                    layout.channels),
        {name, 0, 0},
        {"0 (white is zero) of unsigned integers", "1 (black is zero)", "2 (RGB)",
         "3 (palette) of one channel", "5 (CMYK) of four channels", "6 (YCbCr) in JPEG"}});
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
    layer_.width = static_cast<int>(layout.width);
    layer_.height = static_cast<int>(layout.height);
    layer_.channels = color_channels(layout.channels);
    layer_.samples = layout.make_samples();
    layer_.full_scale = layout.full_scale();
  }

  // Absent when libtiff reported an error.
  std::optional<Layer> decode() {
    const std::uint16_t num_planes = layout_.is_separate() ? layout_.channels : std::uint16_t{1};
    bool decoded = true;
    for (std::uint16_t plane = 0; plane < num_planes && decoded; ++plane)
      decoded = lib_.TIFFIsTiled(tiff_) ? decode_tiles(plane) : decode_rows(plane);
    if (!decoded) return std::nullopt;
    return std::move(layer_);
  }

 private:
  bool decode_rows(std::uint16_t plane) {
    const auto row_bytes = static_cast<std::size_t>(lib_.TIFFScanlineSize(tiff_));
    if (row_bytes < layout_.row_bytes(layout_.width)) return false;
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
    const std::size_t row_bytes = layout_.row_bytes(width);
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
    std::visit(
        [&]<class T>(std::vector<T>& samples) {
          const std::size_t channels = layout_.channels;
          samples.resize(std::max(samples.size(), (y + std::size_t{1}) * layout_.width * channels));
          T* to = &samples[(std::size_t{y} * layout_.width + x0) * channels + plane];
          const std::size_t interleaved = layout_.interleaved();
          for (std::size_t x = 0; x < count; ++x)
            for (std::size_t c = 0; c < interleaved; ++c)
              to[x * channels + c] = static_cast<T>(layout_.sample(row, x * interleaved + c));
        },
        layer_.samples);
  }

  const LibTiff& lib_;
  TIFF* tiff_;
  const TiffLayout& layout_;
  Layer layer_;
};

// Replaces the numbers of colors by the colors, and keeps them as the index.
void apply_palette(const LibTiff& lib, TIFF* tiff, Raster& page) {
  std::uint16_t* colors[3] = {};
  if (lib.TIFFGetFieldDefaulted(tiff, TIFFTAG_COLORMAP, &colors[0], &colors[1], &colors[2]) != 1)
    return;
  Layer& layer = page.layers.front();
  page.index = layer;
  page.index.channels = {"index"};
  page.index.full_scale = 1;
  std::vector<std::uint16_t> samples;
  std::visit(
      [&](const auto& numbers) {
        for (const auto number : numbers)
          for (const std::uint16_t* map : colors)
            samples.push_back(map[static_cast<std::size_t>(number)]);
      },
      page.index.samples);
  layer.channels = color_channels(3);
  layer.samples = std::move(samples);
  layer.full_scale = 65535;
}

// True for pages that show another page smaller, or say where it is transparent.
bool is_auxiliary(const LibTiff& lib, TIFF* tiff) {
  const auto type = tag_of<std::uint32_t>(lib, tiff, TIFFTAG_SUBFILETYPE, 0);
  return (type & (FILETYPE_REDUCEDIMAGE | FILETYPE_MASK)) != 0;
}

// Writes the page that is current in `tiff`.
bool write_page(const LibTiff& lib, TIFF* tiff, const Image& image) {
  const auto set = [&](std::uint32_t tag, auto... value) { lib.TIFFSetField(tiff, tag, value...); };
  set(TIFFTAG_IMAGEWIDTH, static_cast<std::uint32_t>(image.width));
  set(TIFFTAG_IMAGELENGTH, static_cast<std::uint32_t>(image.height));
  set(TIFFTAG_SAMPLESPERPIXEL, image.channels);
  set(TIFFTAG_BITSPERSAMPLE, 32);
  set(TIFFTAG_SAMPLEFORMAT, SAMPLEFORMAT_IEEEFP);
  set(TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG);
  set(TIFFTAG_COMPRESSION, COMPRESSION_ADOBE_DEFLATE);
  const bool is_rgb = image.channels == 3 || image.channels == 4;
  set(TIFFTAG_PHOTOMETRIC, is_rgb ? PHOTOMETRIC_RGB : PHOTOMETRIC_MINISBLACK);
  if (const int num_colors = is_rgb ? 3 : 1; image.channels > num_colors) {
    const std::vector<std::uint16_t> extra(static_cast<std::size_t>(image.channels - num_colors),
                                           EXTRASAMPLE_UNSPECIFIED);
    set(TIFFTAG_EXTRASAMPLES, static_cast<int>(extra.size()), extra.data());
  }
  set(TIFFTAG_ROWSPERSTRIP, lib.TIFFDefaultStripSize(tiff, 0));
  std::vector<float> row(image.index(0, 1));
  for (int y = 0; y < image.height; ++y) {
    std::copy_n(image.data.begin() + static_cast<std::ptrdiff_t>(image.index(0, y)), row.size(),
                row.begin());
    if (lib.TIFFWriteScanline(tiff, row.data(), static_cast<std::uint32_t>(y), 0) != 1)
      return false;
  }
  return lib.TIFFWriteDirectory(tiff) == 1;
}

}  // namespace

bool is_tiff(std::string_view content) {
  // Byte order, then 42 (or 43 in a file for more than 4 GiB).
  return content.starts_with("II*\0"sv) || content.starts_with("MM\0*"sv) ||
         content.starts_with("II+\0"sv) || content.starts_with("MM\0+"sv);
}

Expected<Raster> parse_tiff(const std::filesystem::path& name, std::string_view content) {
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
  Raster raster;
  std::size_t num_samples = 0;
  do {
    if (!raster.layers.empty() && is_auxiliary(lib, tiff.get())) continue;
    const TiffLayout layout(lib, tiff.get());
    THALLO_CHECK(check_layout(name, layout));
    THALLO_CHECK(check_unpacked_size(name, lib, tiff.get()));
    num_samples += std::size_t{layout.width} * layout.height * layout.channels;
    if (num_samples > MaxImageSamples)
      return fail_at({name}, "its pages have more than the {} samples that can be read",
                     MaxImageSamples);
    auto layer = TiffDecoder(lib, tiff.get(), layout).decode();
    if (!layer) return damaged();
    Raster page(*std::move(layer));
    if (layout.is_palette()) apply_palette(lib, tiff.get(), page);
    if (layout.photometric == PHOTOMETRIC_SEPARATED) mix_inks(page.layers.front());
    orient(page.layers.front(), layout.orientation);
    orient(page.index, layout.orientation);
    raster.index = raster.layers.empty() ? std::move(page.index) : Layer();
    raster.layers.push_back(std::move(page.layers.front()));
  } while (lib.TIFFReadDirectory(tiff.get()) == 1);
  if (!memory.message.empty()) return damaged();
  for (std::size_t i = 0; i < raster.layers.size() && raster.layers.size() > 1; ++i)
    raster.layers[i].name = fmt::format("page{}", i);
  return raster;
}

Expected<void> write_tiff(const std::filesystem::path& path, std::span<const Image> pages) {
  for (const Image& image : pages) {
    if (image.width >= 1 && image.height >= 1 && image.channels >= 1 &&
        image.channels <= MaxTiffChannels)
      continue;
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
    written = std::ranges::all_of(
        pages, [&](const Image& image) { return write_page(lib, tiff.get(), image); });
  }
  if (!written) return fail_at({path}, "cannot be written: libtiff says: {}", memory.message);
  return write_file(path, memory.output);
}

}  // namespace thallo
