// What pictures store: their samples, palettes, inks and the way they are turned.
#include "core/base/io/raster.h"

#include <gmock/gmock.h>
#include <zlib.h>

#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include <jpeglib.h>

#include "core/base/io/exif.h"
#include "core/base/io/file.h"
#include "core/base/io/jpeg.h"
#include "core/base/io/png.h"
#include "core/base/io/pnm.h"
#include "tests/support/temp_dir.h"

namespace thallo {
namespace {

using testing::ElementsAre;
using namespace std::literals;

using Bytes = std::vector<std::uint8_t>;
using Words = std::vector<std::uint16_t>;

// EXIF data with the entry Orientation alone.
std::string exif_bytes(char orientation, bool is_big_endian) {
  if (is_big_endian)
    return "MM\0*\0\0\0\x08\0\1\1\x12\0\3\0\0\0\1\0"s + orientation + "\0\0\0\0\0\0"s;
  return "II*\0\x08\0\0\0\1\0\x12\1\3\0\1\0\0\0"s + orientation + "\0\0\0\0\0\0\0"s;
}

std::string big_endian(std::uint32_t value) {
  std::string bytes;
  for (const int shift : {24, 16, 8, 0}) bytes += static_cast<char>(value >> shift & 0xff);
  return bytes;
}

std::string chunk(const std::string& type, const std::string& data) {
  const std::string body = type + data;
  const auto sum =
      crc32(0, reinterpret_cast<const Bytef*>(body.data()), static_cast<uInt>(body.size()));
  return big_endian(static_cast<std::uint32_t>(data.size())) + body +
         big_endian(static_cast<std::uint32_t>(sum));
}

// A PNG of one row, whose samples are packed in `row`.
std::string png_bytes(std::uint32_t width, char bits, char color_type, const std::string& chunks,
                      const std::string& row) {
  const std::string raw = '\0' + row;  // no filter
  std::string packed(compressBound(raw.size()), '\0');
  uLongf size = packed.size();
  EXPECT_EQ(compress(reinterpret_cast<Bytef*>(packed.data()), &size,
                     reinterpret_cast<const Bytef*>(raw.data()), raw.size()),
            Z_OK);
  packed.resize(size);
  const std::string header = big_endian(width) + big_endian(1) + bits + color_type + "\0\0\0"s;
  return "\x89PNG\r\n\x1a\n"s + chunk("IHDR", header) + chunks + chunk("IDAT", packed) +
         chunk("IEND", "");
}

// The same four inks everywhere, 8 x 8 times.
std::string cmyk_bytes(const Bytes& inks, J_COLOR_SPACE stored) {
  jpeg_error_mgr errors{};
  jpeg_compress_struct codec{};
  codec.err = jpeg_std_error(&errors);
  jpeg_create_compress(&codec);
  unsigned char* encoded = nullptr;
  unsigned long size = 0;
  jpeg_mem_dest(&codec, &encoded, &size);
  codec.image_width = codec.image_height = 8;
  codec.input_components = 4;
  codec.in_color_space = JCS_CMYK;
  jpeg_set_defaults(&codec);
  jpeg_set_colorspace(&codec, stored);
  jpeg_set_quality(&codec, 100, TRUE);
  jpeg_start_compress(&codec, TRUE);
  Bytes row;
  for (int x = 0; x < 8; ++x) row.insert(row.end(), inks.begin(), inks.end());
  for (JSAMPROW at = row.data(); codec.next_scanline < 8;) jpeg_write_scanlines(&codec, &at, 1);
  jpeg_finish_compress(&codec);
  jpeg_destroy_compress(&codec);
  std::string bytes(reinterpret_cast<const char*>(encoded), size);
  std::free(encoded);
  return bytes;
}

Layer only_layer(const Expected<Raster>& raster) {
  if (!raster) ADD_FAILURE() << raster.error().message();
  return raster ? raster->layers.front() : Layer();
}

TEST(Raster, IsTurnedInAllEightWays) {
  //   1 2 3
  //   4 5 6
  const std::pair<int, Words> turned[] = {{1, {1, 2, 3, 4, 5, 6}}, {2, {3, 2, 1, 6, 5, 4}},
                                          {3, {6, 5, 4, 3, 2, 1}}, {4, {4, 5, 6, 1, 2, 3}},
                                          {5, {1, 4, 2, 5, 3, 6}}, {6, {4, 1, 5, 2, 6, 3}},
                                          {7, {6, 3, 5, 2, 4, 1}}, {8, {3, 6, 2, 5, 1, 4}}};
  for (const auto& [orientation, wanted] : turned) {
    Layer layer{.width = 3, .height = 2, .channels = {"gray"}, .samples = Words{1, 2, 3, 4, 5, 6}};
    orient(layer, orientation);
    EXPECT_EQ(layer.width, orientation < 5 ? 3 : 2);
    EXPECT_EQ(layer.height, orientation < 5 ? 2 : 3);
    EXPECT_EQ(std::get<Words>(layer.samples), wanted) << orientation;
  }
  Layer layer{.width = 2, .height = 1, .channels = {"u", "v"}, .samples = Words{1, 2, 3, 4}};
  orient(layer, 6);
  EXPECT_THAT(std::get<Words>(layer.samples), ElementsAre(1, 2, 3, 4));
  orient(layer, 3);
  EXPECT_THAT(std::get<Words>(layer.samples), ElementsAre(3, 4, 1, 2));
}

TEST(Exif, SaysHowAPictureIsTurned) {
  for (const char orientation : {char{1}, char{6}, char{8}}) {
    EXPECT_EQ(exif_orientation(exif_bytes(orientation, false)), orientation);
    EXPECT_EQ(exif_orientation(exif_bytes(orientation, true)), orientation);
  }
  EXPECT_EQ(exif_orientation(exif_bytes(9, false)), 1);
  for (std::size_t size = 0; size < 20; ++size)
    EXPECT_EQ(exif_orientation(exif_bytes(6, true).substr(0, size)), 1) << size;
  EXPECT_EQ(exif_orientation("II*\0\xff\xff\xff\xff"sv), 1);
}

TEST(Jpeg, IsTurnedAsItsExifDataSay) {
  const test::TempDir dir;
  Image image(16, 8, 1);
  for (int x = 0; x < 16; ++x)
    for (int y = 0; y < 8; ++y) image.at(x, y) = x < 8 ? 0.0f : 1.0f;
  ASSERT_TRUE(write_jpeg(dir.path() / "a.jpg", image));
  const std::string data = "Exif\0\0"s + exif_bytes(8, true);
  const std::string marker = "\xff\xe1\0"s + static_cast<char>(data.size() + 2) + data;
  const auto turned =
      read_image(dir.write("turned.jpg", read_file(dir.path() / "a.jpg")->insert(2, marker)));
  ASSERT_TRUE(turned) << turned.error().message();
  EXPECT_EQ(turned->width, 8);
  EXPECT_EQ(turned->height, 16);
  EXPECT_NEAR(turned->at(4, 0), 1, 0.02);
  EXPECT_NEAR(turned->at(4, 15), 0, 0.02);
}

TEST(Jpeg, MixesInks) {
  // Adobe's programs store what an ink leaves of white; libjpeg marks its files as theirs.
  for (const J_COLOR_SPACE stored : {JCS_CMYK, JCS_YCCK}) {
    const Layer layer = only_layer(parse_jpeg("a.jpg", cmyk_bytes({255, 102, 0, 204}, stored)));
    EXPECT_THAT(layer.channels, ElementsAre("r", "g", "b"));
    EXPECT_NEAR(layer.value(0), 0.8, 0.02);
    EXPECT_NEAR(layer.value(1), 0.4 * 0.8, 0.02);
    EXPECT_NEAR(layer.value(2), 0, 0.02);
  }
}

TEST(Png, KeepsSamplesOfAnyDepthAsTheyAreStored) {
  const Layer words = only_layer(parse_png("a.png", png_bytes(2, 16, 0, "", "\x01\x02\xff\xff")));
  EXPECT_THAT(std::get<Words>(words.samples), ElementsAre(0x102, 0xffff));
  EXPECT_EQ(words.full_scale, 65535);
  const Layer nibbles = only_layer(parse_png("a.png", png_bytes(3, 4, 0, "", "\x3f\x80")));
  EXPECT_THAT(std::get<Bytes>(nibbles.samples), ElementsAre(3, 15, 8));
  EXPECT_EQ(nibbles.full_scale, 15);
  const std::string row(100'000, '\0');
  const auto raster = parse_png("a.png", png_bytes(800'000, 1, 0, "", row));
  EXPECT_EQ(only_layer(raster).width, 800'000);
}

TEST(Png, IsTurnedAsItsExifDataSay) {
  const Layer layer = only_layer(
      parse_png("a.png", png_bytes(3, 8, 0, chunk("eXIf", exif_bytes(6, false)), "abc")));
  EXPECT_EQ(layer.width, 1);
  EXPECT_THAT(std::get<Bytes>(layer.samples), ElementsAre('a', 'b', 'c'));
}

TEST(Png, KeepsTheNumbersOfColorsBesideThem) {
  const std::string palette = chunk("PLTE", "\x0a\x14\x1e\xff\xff\xff\x01\x02\x03");
  const auto raster = parse_png("a.png", png_bytes(3, 2, 3, palette, "\x84"));  // 2 0 1
  const Layer layer = only_layer(raster);
  EXPECT_THAT(layer.channels, ElementsAre("r", "g", "b"));
  EXPECT_THAT(std::get<Bytes>(layer.samples), ElementsAre(1, 2, 3, 10, 20, 30, 255, 255, 255));
  EXPECT_THAT(std::get<Bytes>(raster->index.samples), ElementsAre(2, 0, 1));

  const std::string alpha = chunk("tRNS", "\x07");
  const Layer clear = only_layer(parse_png("a.png", png_bytes(2, 4, 3, palette + alpha, "\x02")));
  EXPECT_THAT(clear.channels, ElementsAre("r", "g", "b", "a"));
  EXPECT_THAT(std::get<Bytes>(clear.samples), ElementsAre(10, 20, 30, 7, 1, 2, 3, 255));
}

TEST(Pnm, KeepsSamplesAndTheirLargest) {
  const Layer layer = only_layer(parse_pnm("a.pgm", "P5 2 1 4095\n\x01\x00\x0f\xff"s));
  EXPECT_THAT(std::get<Words>(layer.samples), ElementsAre(256, 4095));
  EXPECT_EQ(layer.full_scale, 4095);
  const test::TempDir dir;
  const auto path = dir.path() / "b.pgm";
  ASSERT_TRUE(write_image(path, to_image(layer), 4095));
  EXPECT_EQ(*read_file(path), "P5\n2 1\n4095\n\x01\x00\x0f\xff"s);
}

}  // namespace
}  // namespace thallo
