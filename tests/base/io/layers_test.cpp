// Files with several pictures (pages of TIFF, parts of EXR), and the kinds of samples that they
// hold.
#include <gmock/gmock.h>

#include <bit>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <ImfChannelList.h>
#include <ImfDeepFrameBuffer.h>
#include <ImfDeepScanLineOutputPart.h>
#include <ImfFrameBuffer.h>
#include <ImfHeader.h>
#include <ImfMultiPartOutputFile.h>
#include <ImfOutputPart.h>
#include <ImfPartType.h>

#include "core/base/half.h"
#include "core/base/io/byte_cursor.h"
#include "core/base/io/exr.h"
#include "core/base/io/file.h"
#include "core/base/io/tiff.h"
#include "tests/support/temp_dir.h"
#include "tests/support/tiff_bytes.h"

namespace thallo {
namespace {

using test::tiff_bytes;
using test::TiffPage;
using testing::ElementsAre, testing::HasSubstr;

std::vector<double> samples_of(const Layer& layer) {
  return std::visit([](const auto& all) { return std::vector<double>(all.begin(), all.end()); },
                    layer.samples);
}

Raster parsed(const Expected<Raster>& raster) {
  if (!raster) ADD_FAILURE() << raster.error().message();
  return raster ? *raster : Raster(Layer());
}

std::vector<double> tiff_samples(const TiffPage& page) {
  return samples_of(parsed(parse_tiff("a.tif", tiff_bytes({page}))).layers.front());
}

template <class T>
std::string bytes_of(std::initializer_list<T> values) {
  std::string bytes;
  append_bytes(bytes, std::span<const T>(values.begin(), values.size()));
  return bytes;
}

TEST(Tiff, KeepsSignedSamplesAndFloatsOfAllSizes) {
  EXPECT_THAT(tiff_samples({.bits = 8, .format = 2, .row = bytes_of<std::int8_t>({-128, 5})}),
              ElementsAre(-128, 5));
  EXPECT_THAT(tiff_samples({.bits = 16, .format = 2, .row = bytes_of<std::int16_t>({-1000, 40})}),
              ElementsAre(-1000, 40));
  // More than a float holds.
  EXPECT_THAT(
      tiff_samples({.bits = 32, .format = 2, .row = bytes_of<std::int32_t>({-16777217, 1})}),
      ElementsAre(-16777217, 1));
  const Half halves[] = {Half(-1.5), Half(65504)};
  EXPECT_THAT(tiff_samples({.bits = 16,
                            .format = 3,
                            .row = bytes_of({std::bit_cast<std::uint16_t>(halves[0]),
                                             std::bit_cast<std::uint16_t>(halves[1])})}),
              ElementsAre(-1.5, 65504));
  EXPECT_THAT(tiff_samples({.bits = 64, .format = 3, .row = bytes_of({0.1, -1e300})}),
              ElementsAre(0.1, -1e300));
}

TEST(Tiff, ReadsBitsInksAndColorsOfTables) {
  const Raster bits = parsed(parse_tiff(
      "a.tif", tiff_bytes({{.width = 10, .bits = 1, .row = std::string("\xa0\x40", 2)}})));
  EXPECT_THAT(samples_of(bits.layers.front()), ElementsAre(1, 0, 1, 0, 0, 0, 0, 0, 0, 1));
  EXPECT_EQ(bits.layers.front().full_scale, 1);
  EXPECT_THAT(tiff_samples({.width = 3, .bits = 4, .row = "\x3f\x80"}), ElementsAre(3, 15, 8));
  EXPECT_THAT(tiff_samples({.width = 3, .bits = 2, .row = "\xb4"}), ElementsAre(2, 3, 1));
  EXPECT_THAT(tiff_samples({.photometric = 0, .row = std::string("\x00\x0a", 2)}),
              ElementsAre(255, 245));
  const auto floats = parse_tiff(
      "a.tif",
      tiff_bytes({{.bits = 32, .format = 3, .photometric = 0, .row = bytes_of({1.f, 2.f})}}));
  EXPECT_THAT(floats.error().message(), HasSubstr("has the photometric interpretation 0"));
  EXPECT_THAT(
      tiff_samples({.width = 1, .channels = 4, .photometric = 5, .row = "\x01\x66\xff\x33"}),
      ElementsAre(203, 122, 0));
  const Raster palette = parsed(parse_tiff(
      "a.tif",
      tiff_bytes({{.bits = 1, .photometric = 3, .colors = {1, 2, 3, 4, 5, 6}, .row = "\x40"}})));
  EXPECT_THAT(samples_of(palette.layers.front()), ElementsAre(1, 3, 5, 2, 4, 6));
  EXPECT_THAT(samples_of(palette.index), ElementsAre(0, 1));
}

TEST(Tiff, TurnsAndHasALayerForEachPageButSmallerCopies) {
  Raster raster = parsed(parse_tiff("a.tif", tiff_bytes({{.orientation = 6, .row = "ab"}})));
  EXPECT_EQ(raster.layers.front().width, 1);
  EXPECT_EQ(raster.layers.front().height, 2);
  EXPECT_THAT(samples_of(raster.layers.front()), ElementsAre('a', 'b'));
  EXPECT_THAT(tiff_samples({.orientation = 2, .row = "ab"}), ElementsAre('b', 'a'));
  raster = parsed(parse_tiff(
      "a.tif", tiff_bytes({{.row = "ab"}, {.width = 1, .kind = 1, .row = "a"}, {.row = "cd"}})));
  ASSERT_EQ(raster.layers.size(), 2u);
  EXPECT_TRUE(raster.is_stack());
  EXPECT_EQ(raster.layers[1].name, "page1");
  EXPECT_THAT(samples_of(raster.layers[1]), ElementsAre('c', 'd'));
  EXPECT_FALSE(parsed(parse_tiff("a.tif", tiff_bytes({{.row = "ab"}, {.width = 1, .row = "c"}})))
                   .is_stack());
}

TEST(Tiff, WritesPages) {
  const test::TempDir dir;
  std::vector<Image> pages(3, Image(2, 1, 1));
  for (std::size_t i = 0; i < 3; ++i) pages[i].data = {static_cast<float>(i), -0.5f};
  ASSERT_TRUE(write_tiff(dir.path() / "a.tif", pages));
  const Raster raster = parsed(parse_tiff("a.tif", *read_file(dir.path() / "a.tif")));
  ASSERT_EQ(raster.layers.size(), 3u);
  EXPECT_THAT(samples_of(raster.layers[2]), ElementsAre(2, -0.5));
}

struct ExrPart {
  std::string name;
  std::vector<std::pair<std::string, std::vector<std::uint32_t>>> channels;  // of two samples
  bool is_integer = false;
  bool is_deep = false;
};

std::vector<std::uint32_t> floats(float first, float second) {
  return {std::bit_cast<std::uint32_t>(first), std::bit_cast<std::uint32_t>(second)};
}

// Parts of 2 x 1 pixels, whose data window begins at (-3, -2).
Raster exr_of(std::vector<ExrPart> parts) {
  const test::TempDir dir;
  const std::string path = (dir.path() / "a.exr").string();
  std::vector<Imf::Header> headers;
  for (const ExrPart& part : parts) {
    Imf::Header& header = headers.emplace_back(2, 1);
    header.dataWindow() = {{-3, -2}, {-2, -2}};
    header.setName(part.name);
    header.setType(part.is_deep ? Imf::DEEPSCANLINE : Imf::SCANLINEIMAGE);
    header.compression() = Imf::NO_COMPRESSION;
    for (const auto& channel : part.channels)
      header.channels().insert(channel.first,
                               Imf::Channel(part.is_integer ? Imf::UINT : Imf::FLOAT));
  }
  {
    Imf::MultiPartOutputFile file(path.c_str(), headers.data(), static_cast<int>(parts.size()));
    for (int i = 0; i < static_cast<int>(parts.size()); ++i) {
      ExrPart& part = parts[static_cast<std::size_t>(i)];
      if (part.is_deep) {
        unsigned counts[2] = {};
        Imf::DeepFrameBuffer frame;
        frame.insertSampleCountSlice(
            Imf::Slice(Imf::UINT, reinterpret_cast<char*>(counts + 3), sizeof(unsigned), 0));
        float* nothing[2] = {};
        for (const auto& channel : part.channels)
          frame.insert(channel.first,
                       Imf::DeepSlice(Imf::FLOAT, reinterpret_cast<char*>(nothing + 3),
                                      sizeof(float*), 0, sizeof(float)));
        Imf::DeepScanLineOutputPart out(file, i);
        out.setFrameBuffer(frame);
        out.writePixels(1);
        continue;
      }
      Imf::FrameBuffer frame;
      for (auto& channel : part.channels)
        frame.insert(channel.first,
                     Imf::Slice(part.is_integer ? Imf::UINT : Imf::FLOAT,
                                reinterpret_cast<char*>(channel.second.data() + 3), 4, 0));
      Imf::OutputPart out(file, i);
      out.setFrameBuffer(frame);
      out.writePixels(1);
    }
  }
  return parsed(parse_exr("a.exr", *read_file(path)));
}

TEST(Exr, HasALayerForEachPartUnlessItIsDeep) {
  Raster raster =
      exr_of({{"color", {{"B", floats(3, 6)}, {"G", floats(2, 5)}, {"R", floats(1, 4)}}},
              {"depth", {{"depth.Z", floats(-7, 8)}}},
              {"id", {{"Y", {16777217, 4294967295}}}, true}});
  ASSERT_EQ(raster.layers.size(), 3u);
  EXPECT_FALSE(raster.is_stack());
  EXPECT_EQ(raster.layers[0].name, "color");
  EXPECT_THAT(raster.layers[0].channels, ElementsAre("R", "G", "B"));
  EXPECT_THAT(samples_of(raster.layers[0]), ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_THAT(raster.layers[1].channels, ElementsAre("Z"));
  EXPECT_THAT(samples_of(raster.layers[1]), ElementsAre(-7, 8));
  EXPECT_THAT(samples_of(raster.layers[2]), ElementsAre(16777217, 4294967295));
  raster = exr_of({{"flat", {{"Z", floats(1, 2)}}}, {"fog", {{"Z", {}}}, false, true}});
  EXPECT_THAT(samples_of(raster.layers[0]), ElementsAre(1, 2));
  EXPECT_EQ(raster.layers[1].fault, "part 1 ('fog') has deep pixels, so it cannot be read");
}

TEST(Exr, OrdersTheColorsOfEachLayer) {
  const auto zero = floats(0, 0);
  const Raster raster = exr_of({{"all",
                                 {{"A", zero},
                                  {"B", zero},
                                  {"G", zero},
                                  {"R", zero},
                                  {"Z", zero},
                                  {"fill.B", zero},
                                  {"fill.R", zero},
                                  {"fill.aux", zero}}}});
  EXPECT_THAT(raster.layers[0].channels,
              ElementsAre("R", "G", "B", "A", "Z", "fill.R", "fill.B", "fill.aux"));
}

}  // namespace
}  // namespace thallo
