#include "core/base/io/image.h"

#include <gmock/gmock.h>

#include <limits>

#include "core/base/io/file.h"
#include "core/base/io/imagedump.h"
#include "core/base/io/pfm.h"
#include "core/base/io/png.h"
#include "core/base/io/pnm.h"
#include "tests/support/data.h"
#include "tests/support/temp_dir.h"

namespace thallo {
namespace {

using testing::HasSubstr;
using namespace std::literals;

// Samples k / max: they survive quantization exactly.
Image make_image(int width, int height, int channels, int max) {
  Image image(width, height, channels);
  for (std::size_t i = 0; i < image.data.size(); ++i)
    image.data[i] =
        static_cast<float>((i * 37) % static_cast<std::size_t>(max + 1)) / static_cast<float>(max);
  return image;
}

TEST(Image, IsRowMajorAndTurnsGrayByLuma) {
  Image image(3, 2, 2);
  image.at(2, 1, 1) = 5.0f;
  EXPECT_EQ(image.index(2, 1, 1), 11u);
  EXPECT_EQ(image.data.back(), 5.0f);
  image = Image(1, 1, 3);
  image.data = {1.0f, 0.5f, 0.25f};
  EXPECT_FLOAT_EQ(to_gray(image).data[0], 0.299f + 0.587f * 0.5f + 0.114f * 0.25f);
  image = Image(5, 1, 1);
  image.data = {-1.0f, 0.0f, 0.5f, 2.0f, std::nanf("")};
  EXPECT_THAT(to_bytes(image), testing::ElementsAre(0, 0, 128, 255, 0));
  EXPECT_THAT(to_bytes(image, 1000), testing::ElementsAre(0, 0, 0, 0, 1, 0xf4, 3, 0xe8, 0, 0));
}

TEST(Png, RoundTripsAllChannelCountsAndDepthsThatItCanHold) {
  const test::TempDir dir;
  const auto path = dir.path() / "a.png";
  for (const int channels : {1, 2, 3, 4}) {
    for (const int full_scale : {255, 65535}) {
      const Image image = make_image(7, 5, channels, full_scale);
      ASSERT_TRUE(write_png(path, image, full_scale));
      const auto back = read_image(path);
      ASSERT_TRUE(back) << back.error().message();
      EXPECT_EQ(*back, image) << channels << " channels";
    }
  }
  EXPECT_THAT(write_png(dir.path() / "a.png", Image(2, 2, 5)).error().message(),
              HasSubstr("a PNG has 1 to 4 channels"));
  EXPECT_FALSE(write_png(dir.path() / "a.png", Image(0, 2, 1)));
}

TEST(Png, SaysWhatIsNoPngAndWhereItIsTruncated) {
  const test::TempDir dir;
  ASSERT_TRUE(write_png(dir.path() / "a.png", make_image(50, 50, 3, 255)));
  const std::string whole = *read_file(dir.path() / "a.png");
  for (const std::size_t size : {20ul, whole.size() / 2, whole.size() - 1}) {
    const auto cut = read_image(dir.write("cut.png", whole.substr(0, size)));
    ASSERT_FALSE(cut) << size;
    EXPECT_THAT(cut.error().message(), HasSubstr("cut.png: is truncated or damaged: at offset"));
  }
  EXPECT_THAT(parse_png("a.png", "GIF89a").error().message(),
              HasSubstr("a.png: is not a PNG file"));
  EXPECT_THAT(read_image(dir.path() / "absent.png").error().message(),
              HasSubstr("absent.png: cannot be opened"));
}

TEST(Png, ReadsThePublishedCat) {
  THALLO_REQUIRE_DATA(path, "opt_thallo/cat512.png");
  const auto cat = read_image(path);
  ASSERT_TRUE(cat) << cat.error().message();
  EXPECT_EQ(cat->width, 512);
  EXPECT_EQ(cat->height, 512);
  EXPECT_EQ(cat->channels, 4);
}

TEST(Pnm, ReadsAndWritesTextAndSixteenBitsOrNamesWhatIsWrong) {
  const test::TempDir dir;
  auto image = read_image(dir.write("a.pgm", "P2\n# made by hand\n2 2\n4\n0 1\n# half\n2 4\n"));
  ASSERT_TRUE(image) << image.error().message();
  EXPECT_THAT(image->data, testing::ElementsAre(0.0f, 0.25f, 0.5f, 1.0f));
  image = read_image(dir.write("a.pgm", "P5 2 1 65535\n\x01\x00\xff\xff"s));
  ASSERT_TRUE(image) << image.error().message();
  EXPECT_THAT(image->data, testing::ElementsAre(256.0f / 65535.0f, 1.0f));
  for (const int channels : {1, 3}) {
    const Image image = make_image(6, 4, channels, 255);
    ASSERT_TRUE(write_pnm(dir.path() / "a.pnm", image));
    EXPECT_EQ(*read_image(dir.path() / "a.pnm"), image);
  }
  EXPECT_THAT(write_pnm(dir.path() / "a.pnm", Image(1, 1, 2)).error().message(),
              HasSubstr("this image has 2"));
  const auto message = [](std::string_view content) {
    return parse_pnm("a.pgm", content).error().message();
  };
  EXPECT_THAT(message("hello"), HasSubstr("a.pgm: is not a PGM or PPM file"));
  EXPECT_THAT(message("P2 2\nx 255"), HasSubstr("a.pgm:2: found 'x' where the height should be"));
  EXPECT_THAT(message("P2 2 0 255"), HasSubstr("the height is 0, but must be 1 to"));
  EXPECT_THAT(message("P2 2 2 255\n1 2 3"),
              HasSubstr("a.pgm:2: the file ends where sample 4 of 4 should be"));
  EXPECT_THAT(message("P2 1 1 255\n256"), HasSubstr("sample 1 is 256, but samples are 0 to 255"));
  EXPECT_THAT(message("P5 10 1 255\nabc"),
              HasSubstr("at offset 12, 10 bytes of samples should follow, but 3 bytes are left"));
  EXPECT_THAT(message("P5 100000 100000 255\nabc"), HasSubstr("the file is truncated"));
}

TEST(Pnm, ReadsTheNoisyImageOfCeres) {
  THALLO_REQUIRE_DATA(path, "images/ceres_noisy.pgm");
  const auto image = read_image(path);
  ASSERT_TRUE(image) << image.error().message();
  EXPECT_EQ(image->width, 177);
  EXPECT_EQ(image->height, 213);
}

TEST(Pfm, RoundTripsAnyFloatFromTheBottomOrNamesWhatIsWrong) {
  const test::TempDir dir;
  for (const int channels : {1, 3}) {
    Image image = make_image(3, 4, channels, 255);
    image.data[0] = -1e30f;
    image.data[1] = std::numeric_limits<float>::infinity();
    ASSERT_TRUE(write_pfm(dir.path() / "a.pfm", image));
    EXPECT_EQ(*read_as<parse_pfm>(dir.path() / "a.pfm"), image);
    EXPECT_EQ(*read_image(dir.path() / "a.pfm"), image);
  }
  // Big-endian 1.0 is 3f 80 00 00; the second row of the file is the top.
  const auto image =
      read_as<parse_pfm>(dir.write("a.pfm", "Pf\n1 2\n1.0\n\x3f\x80\x00\x00\x40\x00\x00\x00"s));
  ASSERT_TRUE(image) << image.error().message();
  EXPECT_THAT(image->data, testing::ElementsAre(2.0f, 1.0f));
  const auto message = [&](std::string_view content) {
    return read_as<parse_pfm>(dir.write("a.pfm", content)).error().message();
  };
  EXPECT_THAT(message("P5"), HasSubstr("is not a PFM file"));
  EXPECT_THAT(message("Pf\n2 x"), HasSubstr("a.pfm:2: found 'x' where the height should be"));
  EXPECT_THAT(message("Pf\n2 2\n-1.0\n1234"),
              HasSubstr("at offset 12, the pixels (16 bytes) should follow, but 4 bytes are left"));
  EXPECT_THAT(message("Pf\n-2 2\n-1.0\n"), HasSubstr("extents must be 1 to"));
}

TEST(ImageDump, RoundTripsOrNamesWhatIsWrong) {
  const test::TempDir dir;
  const auto path = dir.path() / "a.imagedump";
  Image image(3, 2, 2);
  for (std::size_t i = 0; i < image.data.size(); ++i) image.data[i] = static_cast<float>(20 * i);
  for (const ImageDumpType type : {ImageDumpType::Float, ImageDumpType::Uint8}) {
    ASSERT_TRUE(write_imagedump(path, image, type));
    const auto back = read_as<parse_imagedump>(path);
    ASSERT_TRUE(back) << back.error().message();
    EXPECT_EQ(*back, image);
  }
  EXPECT_EQ(std::filesystem::file_size(path), 16u + 12u);
  ASSERT_TRUE(write_imagedump(dir.path() / "a.imagedump", Image(4, 4, 1)));
  const std::string whole = *read_file(dir.path() / "a.imagedump");
  const auto message = [&](const std::string& content) {
    return read_as<parse_imagedump>(dir.write("b.imagedump", content)).error().message();
  };
  EXPECT_THAT(message(whole.substr(0, 10)), HasSubstr("at offset 0, the header"));
  EXPECT_THAT(message(whole.substr(0, 70)),
              HasSubstr("at offset 16, the samples (64 bytes) should follow, but 54 bytes"));
  EXPECT_THAT(message(whole + "x"), HasSubstr("has 1 bytes after its 16 samples"));
  EXPECT_THAT(message("this is a plain text file"), HasSubstr("is not an imagedump"));
}

TEST(ImageDump, ReadsThePublishedDepth) {
  THALLO_REQUIRE_DATA(path, "opt_thallo/shape_from_shading/default_targetDepth.imagedump.xz");
  const auto depth = read_as<parse_imagedump>(path);
  ASSERT_TRUE(depth) << depth.error().message();
  EXPECT_EQ(depth->width, 640);
  EXPECT_EQ(depth->height, 480);
}

TEST(Image, SaysWhatCanBeRead) {
  const test::TempDir dir;
  EXPECT_THAT(read_image(dir.write("a.bmp", "BM....")).error().message(),
              HasSubstr("is not an image that can be read (legal: png, jpeg, "));
}

}  // namespace
}  // namespace thallo
