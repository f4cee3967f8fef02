#include "core/base/io/png.h"

#include <array>
#include <csetjmp>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include <png.h>

#include "core/base/error.h"
#include "core/base/io/exif.h"
#include "core/base/io/file.h"

namespace thallo {
namespace {

using namespace std::literals;

// libpng reports errors by longjmp. Everything with a destructor therefore lives in a Session that
// the functions below, which call setjmp, only refer to.
struct Session {
  std::string_view input;
  std::size_t at = 0;
  std::string output;
  std::string message;

  png_uint_32 width = 0;
  png_uint_32 height = 0;
  int channels = 0;
  int bits = 0;
  int full_scale = 255;
  int orientation = 1;
  bool has_palette = false;
  bool has_alpha = false;
  std::array<std::array<png_byte, 4>, 256> palette{};  // r g b a
  std::vector<png_byte> bytes;
  std::vector<png_bytep> rows;

  std::size_t row_bytes() const {
    return std::size_t{width} * static_cast<std::size_t>(channels * bits / 8);
  }
  std::size_t num_bytes() const { return row_bytes() * height; }

  void make_rows() {
    bytes.resize(num_bytes());
    rows.resize(height);
    for (std::size_t y = 0; y < height; ++y) rows[y] = bytes.data() + y * row_bytes();
  }
};

void on_error(png_structp png, png_const_charp message) {
  static_cast<Session*>(png_get_error_ptr(png))->message = message;
  png_longjmp(png, 1);
}

void on_warning(png_structp, png_const_charp) {}  // e.g. an unknown color profile

void on_read(png_structp png, png_bytep data, std::size_t size) {
  auto& session = *static_cast<Session*>(png_get_io_ptr(png));
  if (session.input.size() - session.at < size) png_error(png, "the data end too early");
  std::memcpy(data, session.input.data() + session.at, size);
  session.at += size;
}

void on_write(png_structp png, png_bytep data, std::size_t size) {
  auto& session = *static_cast<Session*>(png_get_io_ptr(png));
  session.output.append(reinterpret_cast<const char*>(data), size);
}

void on_flush(png_structp) {}

void read_palette(Session& session, png_structp png, png_infop info) {
  png_colorp colors = nullptr;
  png_bytep alpha = nullptr;
  int num_colors = 0, num_alpha = 0;
  png_get_PLTE(png, info, &colors, &num_colors);
  png_get_tRNS(png, info, &alpha, &num_alpha, nullptr);
  for (int i = 0; i < num_colors; ++i) {
    const png_color& color = colors[i];
    session.palette[static_cast<std::size_t>(i)] = {color.red, color.green, color.blue,
                                                    i < num_alpha ? alpha[i] : png_byte{255}};
  }
}

bool decode(Session& session, png_structp png, png_infop info) {
  if (setjmp(png_jmpbuf(png))) return false;
  png_set_read_fn(png, &session, on_read);
  png_set_user_limits(png, MaxImageExtent, MaxImageExtent);
  png_read_info(png, info);
  // Deflate makes at most 1032 bytes of one: a damaged header must not allocate more than that.
  const std::size_t num_packed = png_get_rowbytes(png, info) * png_get_image_height(png, info);
  if (num_packed / 1032 > session.input.size()) png_error(png, "the data end too early");
  session.has_palette = png_get_color_type(png, info) == PNG_COLOR_TYPE_PALETTE;
  session.has_alpha = png_get_valid(png, info, PNG_INFO_tRNS) != 0;
  if (session.has_palette) {
    read_palette(session, png, info);
  } else if (session.has_alpha) {
    png_set_tRNS_to_alpha(png);  // it also scales 1, 2 and 4 bits to 8
  } else {
    session.full_scale = (1 << png_get_bit_depth(png, info)) - 1;
  }
  png_set_packing(png);
  png_set_interlace_handling(png);
  png_read_update_info(png, info);
  session.width = png_get_image_width(png, info);
  session.height = png_get_image_height(png, info);
  session.channels = png_get_channels(png, info);
  session.bits = png_get_bit_depth(png, info);
  session.make_rows();
  png_read_image(png, session.rows.data());
  png_read_end(png, info);
  png_bytep exif = nullptr;
  png_uint_32 num_bytes = 0;
  if (png_get_eXIf_1(png, info, &num_bytes, &exif) != 0)
    session.orientation = exif_orientation({reinterpret_cast<const char*>(exif), num_bytes});
  return true;
}

bool encode(Session& session, png_structp png, png_infop info, int color_type) {
  if (setjmp(png_jmpbuf(png))) return false;
  png_set_write_fn(png, &session, on_write, on_flush);
  png_set_IHDR(png, info, session.width, session.height, session.bits, color_type,
               PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_set_rows(png, info, session.rows.data());
  png_write_png(png, info, PNG_TRANSFORM_IDENTITY, nullptr);
  return true;
}

// Replaces the numbers of colors by the colors, and keeps them as the index.
void apply_palette(const Session& session, Raster& raster) {
  Layer& layer = raster.layers.front();
  raster.index = layer;
  raster.index.channels = {"index"};
  raster.index.full_scale = 1;
  layer.channels = color_channels(session.has_alpha ? 4 : 3);
  std::vector<std::uint8_t> samples;
  for (const std::uint8_t number : std::get<std::vector<std::uint8_t>>(raster.index.samples)) {
    const auto& color = session.palette[number];
    samples.insert(samples.end(), color.begin(), color.begin() + (session.has_alpha ? 4 : 3));
  }
  layer.samples = std::move(samples);
}

}  // namespace

bool is_png(std::string_view content) { return content.starts_with("\x89PNG\r\n\x1a\n"sv); }

Expected<Raster> parse_png(const std::filesystem::path& name, std::string_view content) {
  if (!is_png(content)) return fail_at({name}, "is not a PNG file (its signature is missing)");
  Session session;
  session.input = content;
  png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &session, on_error, on_warning);
  png_infop info = png ? png_create_info_struct(png) : nullptr;
  const bool decoded = info && decode(session, png, info);
  png_destroy_read_struct(&png, &info, nullptr);
  if (!decoded) {
    return fail_at({name}, "is truncated or damaged: at offset {} of {}, libpng says: {}",
                   session.at, content.size(), session.message);
  }

  Layer layer;
  layer.width = static_cast<int>(session.width);
  layer.height = static_cast<int>(session.height);
  layer.channels = color_channels(session.channels);
  layer.full_scale = session.full_scale;
  if (session.bits == 8) {
    layer.samples = std::move(session.bytes);
  } else {
    std::vector<std::uint16_t> samples(session.bytes.size() / 2);
    for (std::size_t i = 0; i < samples.size(); ++i)  // most significant byte first
      samples[i] = static_cast<std::uint16_t>(session.bytes[2 * i] << 8 | session.bytes[2 * i + 1]);
    layer.full_scale = 65535;
    layer.samples = std::move(samples);
  }
  orient(layer, session.orientation);
  Raster raster(std::move(layer));
  if (session.has_palette) apply_palette(session, raster);
  return raster;
}

Expected<void> write_png(const std::filesystem::path& path, const Image& image, int full_scale) {
  constexpr int ColorTypes[] = {PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_GRAY_ALPHA, PNG_COLOR_TYPE_RGB,
                                PNG_COLOR_TYPE_RGB_ALPHA};
  if (image.channels < 1 || image.channels > 4 || image.width < 1 || image.height < 1) {
    return fail_at({path},
                   "cannot be written: a PNG has 1 to 4 channels and at least one pixel, "
                   "this image has {} channels and {} x {} pixels",
                   image.channels, image.width, image.height);
  }
  THALLO_ASSERT_EQ(image.data.size(), image.index(0, image.height));
  Session session;
  session.width = static_cast<png_uint_32>(image.width);
  session.height = static_cast<png_uint_32>(image.height);
  session.channels = image.channels;
  session.bits = full_scale > 255 ? 16 : 8;
  session.bytes = to_bytes(image, (1 << session.bits) - 1);
  session.make_rows();
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, &session, on_error, on_warning);
  png_infop info = png ? png_create_info_struct(png) : nullptr;
  const bool encoded = info && encode(session, png, info, ColorTypes[image.channels - 1]);
  png_destroy_write_struct(&png, &info);
  if (!encoded) return fail_at({path}, "cannot be written: libpng says: {}", session.message);
  return write_file(path, session.output);
}

}  // namespace thallo
