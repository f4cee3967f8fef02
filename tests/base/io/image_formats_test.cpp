// The formats that other libraries decode (jpeg, tiff, exr), flow fields, and how a format is
// found.
#include <gmock/gmock.h>

#include <cmath>
#include <string>

#include "core/base/io/exr.h"
#include "core/base/io/file.h"
#include "core/base/io/flo.h"
#include "core/base/io/image.h"
#include "core/base/io/jpeg.h"
#include "core/base/io/tiff.h"
#include "tests/support/data.h"
#include "tests/support/temp_dir.h"

namespace thallo {
namespace {

using testing::HasSubstr;
using namespace std::literals;

// Smooth, with values outside [0, 1].
Image make_smooth(int width, int height, int channels) {
  Image image(width, height, channels);
  for (std::size_t i = 0; i < image.data.size(); ++i)
    image.data[i] = 1.5f * std::sin(0.01f * static_cast<float>(i));
  return image;
}

TEST(ImageFormats, FloatsRoundTripByName) {
  const test::TempDir dir;
  const auto expect_round_trip = [&](const std::string& name, int channels) {
    const Image image = make_smooth(37, 21, channels);
    const auto path = dir.path() / name;
    const auto written = write_image(path, image);
    ASSERT_TRUE(written) << written.error().message();
    const auto back = read_image(path);
    ASSERT_TRUE(back) << back.error().message();
    EXPECT_EQ(*back, image) << name << " with " << channels << " channels";
  };
  for (const int channels : {1, 2, 3, 4, 7}) {
    for (const char* name : {"a.tif", "a.TIFF.gz", "a.exr", "a.imagedump.xz"})
      expect_round_trip(name, channels);
  }
  expect_round_trip("a.flo", 2);
  expect_round_trip("a.pfm.bz2", 3);
}

// A file with bytes missing at its end, or another signature.
template <class Parse>
void expect_refusals(const std::string& name, const std::string& whole, Parse parse) {
  for (const std::size_t size : {whole.size() / 3, whole.size() - 40}) {
    const auto cut = parse(name, std::string_view(whole).substr(0, size));
    ASSERT_FALSE(cut) << name << " cut to " << size << " of " << whole.size();
    EXPECT_THAT(cut.error().message(), HasSubstr(name + ": is truncated or damaged: "));
    EXPECT_THAT(cut.error().message(), HasSubstr("offset"));
  }
  EXPECT_THAT(parse(name, "GIF89a").error().message(), HasSubstr("signature is missing"));
}

TEST(ImageFormats, SayWhatTheyCannotRead) {
  EXPECT_EQ(parse_image("a.gif", "GIF89a").error().message(),
            "a.gif: is not an image that can be read (legal: png, jpeg, pgm, ppm, pfm, tiff, exr, "
            "flo, imagedump)");
  EXPECT_THAT(write_image("a.gif", Image(1, 1, 1)).error().message(), HasSubstr("legal: .png"));
  const test::TempDir dir;
  const auto content_of = [&](const std::string& name) {
    const auto written = write_image(dir.path() / name, make_smooth(64, 48, 3));
    EXPECT_TRUE(written) << written.error().message();
    return *read_file(dir.path() / name);
  };
  expect_refusals("cut.jpg", content_of("a.jpg"), parse_jpeg);
  expect_refusals("cut.tif", content_of("a.tif"), parse_tiff);
  expect_refusals("cut.exr", content_of("a.exr"), parse_exr);
  EXPECT_THAT(check_extents("a.exr", 1 << 20, 1 << 20, 3).error().message(),
              HasSubstr("more than the 1073741824 samples that can be read"));
  EXPECT_TRUE(check_extents("a.exr", 1 << 15, 1 << 15, 1));
}

TEST(Jpeg, LosesLittle) {
  const test::TempDir dir;
  for (const int channels : {1, 3}) {
    Image image(40, 24, channels);
    for (int y = 0; y < image.height; ++y)
      for (int x = 0; x < image.width; ++x)
        for (int c = 0; c < channels; ++c) image.at(x, y, c) = static_cast<float>(x + y) / 64.0f;
    ASSERT_TRUE(write_jpeg(dir.path() / "a.jpg", image));
    const auto back = read_image(dir.path() / "a.jpg");
    ASSERT_TRUE(back) << back.error().message();
    ASSERT_EQ(back->data.size(), image.data.size());
    for (std::size_t i = 0; i < image.data.size(); ++i)
      EXPECT_NEAR(back->data[i], image.data[i], 0.02);
  }
  EXPECT_THAT(write_jpeg(dir.path() / "a.jpg", Image(2, 2, 4)).error().message(),
              HasSubstr("a JPEG has 1 or 3 channels, this image has 4"));
}

TEST(Flo, NamesWhatIsWrong) {
  const auto message = [](std::string_view content) {
    return parse_flo("a.flo", content).error().message();
  };
  EXPECT_THAT(message("PNG"), HasSubstr("a.flo: is not a flow file"));
  EXPECT_THAT(message("PIEH\1\0\0\0"sv), HasSubstr("at offset 4, width and height"));
  EXPECT_THAT(message("PIEH\0\0\0\0\1\0\0\0"sv), HasSubstr("the image is 0 x 1"));
  EXPECT_THAT(message("PIEH\1\0\0\0\1\0\0\0abcd"sv), HasSubstr("the flow (8 bytes) should follow"));
  EXPECT_THAT(message("PIEH\1\0\0\0\1\0\0\0abcdefghi"sv), HasSubstr("has 1 bytes after its flow"));
}

// 177 bytes whose tiles unpack to gigabytes, as a fuzzer found them.
constexpr char HugeTiles[] =
    "\x49\x49\x2a\x00\x20\x00\x00\x00\x78\x9c\x63\x60\x00\x81\x00\x00"
    "\x00\x00\x00\x00\x00\xaa\xe0\xc0\x41\xa4\x18\x00\xb8\x59\x00\xbe"
    "\x0b\x00\x00\x01\x03\x00\x01\x00\x00\x00\x00\xff\xf7\x00\x01\x01"
    "\x03\x00\x01\x00\x00\x00\x16\x00\x00\x00\x02\x01\x03\x00\x01\x00"
    "\x00\x00\x20\x00\x00\x00\x03\xff\xfd\x00\x07\x00\x00\x00\x08\x00"
    "\x00\x00\x06\x01\x03\x00\x01\x00\x00\x00\x01\x00\x00\x00\x11\x01"
    "\x04\x00\x01\x00\x00\x00\x08\x00\x00\x00\x15\x01\x03\x00\x01\x00"
    "\x00\x00\x01\x00\x00\x00\x16\x01\x03\x00\x01\x00\x00\x00\x99\x01"
    "\x00\x10\x17\x01\x04\x00\x01\x20\x00\x00\x18\x00\x00\x00\x1c\x01"
    "\x03\x00\x01\x00\x00\x00\x01\x00\x5b\x00\x43\x01\x03\x00\x01\x00"
    "\x00\x00\x03\x28\x9e\x00\x49\x49\x2a\x00\x20\x00\x00\x00\x78\x9c"
    "\x00";

TEST(Tiff, RefusesTilesThatUnpackToGigabytes) {
  const std::string_view content(HugeTiles, sizeof(HugeTiles) - 1);
  const auto image = parse_tiff("huge.tif", content);
  ASSERT_FALSE(image);
  EXPECT_THAT(image.error().message(), HasSubstr("are read at once"));
}

TEST(Tiff, ReadsPublishedFloats) {
  THALLO_REQUIRE_DATA(path, "opt_thallo/simple_proximal/K.tif");
  const auto kernel = read_image(path);
  ASSERT_TRUE(kernel) << kernel.error().message();
  EXPECT_EQ(kernel->width, 15);
  EXPECT_EQ(kernel->height, 15);
  EXPECT_EQ(kernel->channels, 1);
}

}  // namespace
}  // namespace thallo
