// Pictures as inputs and outputs: their samples in fields of integers and of real numbers, and the
// pages, parts, layers and channels that can be selected.
#include "core/problem/files/picture_parts.h"

#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "core/base/io/image.h"
#include "core/language/load_energy.h"
#include "core/problem/files/bind_inputs.h"
#include "core/problem/files/outputs.h"
#include "tests/support/temp_dir.h"
#include "tests/support/tiff_bytes.h"

namespace thallo {
namespace {

using testing::ElementsAre, testing::HasSubstr;

using Floats = std::vector<float>;

Energy copy_of(const std::string& type, const std::string& dims = "{W, H}") {
  return load_energy_text("local W, H, D = Dims('W', 'H', 'D') Inputs { X = Unknown(float, " +
                              dims + "), A = Array(" + type + ", " + dims +
                              "), One = Array(float, {W, H, D}) }\n"
                              "local w, h, d = W(), H(), D()\nResiduals { r = One(w, h, d) * (" +
                              (dims == "{W, H}" ? "X(w, h) - A(w, h)" : "X(w, h, d) - A(w, h, d)") +
                              ") }",
                          "copy.lua")
      ->energy;
}

class PictureParts : public testing::Test {
 protected:
  std::string path(const std::string& name) const { return (dir_.path() / name).string(); }

  Expected<BoundInputs> bind(const Energy& energy, const std::string& source) const {
    return bind_inputs(energy, std::vector<SourceText>{{"A", source}, {"One", "1"}, {"D", "2"}});
  }
  std::vector<double> values(const Energy& energy, const std::string& source) const {
    const auto bound = bind(energy, source);
    if (!bound) ADD_FAILURE() << bound.error().message();
    return bound ? bound->binding.field(energy.find_field("A")).to_doubles()
                 : std::vector<double>();
  }
  std::string message(const Energy& energy, const std::string& source) const {
    const auto bound = bind(energy, source);
    return bound ? "no error" : bound.error().message();
  }
  // Two pixels of 16 bits.
  std::string picture(const std::string& name, float first, float second) const {
    Image image(2, 1, 1);
    image.data = {first / 65535, second / 65535};
    EXPECT_TRUE(write_image(dir_.path() / name, image, 65535));
    return path(name);
  }
  std::string tiff(const std::vector<test::TiffPage>& pages) const {
    return dir_.write("a.tif", test::tiff_bytes(pages)).string();
  }
  // Binds X to a file, and reads what is written of it back.
  std::vector<Layer> written(const Energy& energy, const std::vector<SourceText>& texts,
                             const std::string& name) const {
    const auto bound = bind_inputs(energy, texts);
    if (!bound) ADD_FAILURE() << bound.error().message();
    const auto requests =
        plan_outputs(energy, *bound, std::vector<SourceText>{{"X", path(name)}}, false);
    if (!requests) ADD_FAILURE() << requests.error().message();
    const auto files = make_outputs(energy, *bound, bound->binding, *requests);
    EXPECT_TRUE(write_data_file(path(name), *files.front().data));
    return std::get<Raster>(read_data_file(path(name))->content).layers;
  }

  test::TempDir dir_;
};

TEST_F(PictureParts, IntegerFieldsHaveSamplesRoundedButNotClamped) {
  for (const char* name : {"a.png", "a.pgm"}) {
    const std::string file = picture(name, 600, 65535);
    EXPECT_THAT(values(copy_of("int"), file), ElementsAre(600, 65535));
    EXPECT_THAT(values(copy_of("double"), file), ElementsAre(600 / 65535.0, 1));
    const Energy floats = copy_of("float");
    const auto bound = bind_inputs(
        floats, std::vector<SourceText>{{"X", file}, {"A", file}, {"One", "1"}, {"D", "2"}});
    ASSERT_TRUE(bound) << bound.error().message();
    EXPECT_EQ(bound->binding.field(floats.find_field("X")).to_doubles(),
              bound->binding.field(floats.find_field("A")).to_doubles());
    EXPECT_THAT(message(copy_of("uint8"), file),
                HasSubstr("600 at [0, 0] does not fit into 'A' (uint8)"));
  }
  const std::string file = tiff({{.bits = 16, .format = 2, .row = "\xff\xff\x28\x01"}});
  for (const char* type : {"int", "float"})
    EXPECT_THAT(values(copy_of(type), file), ElementsAre(-1, 296));
  Image image(2, 1, 1);
  image.data = {6.6f, -2.4f};
  ASSERT_TRUE(write_image(path("a.pfm"), image));
  EXPECT_THAT(values(copy_of("int"), path("a.pfm")), ElementsAre(7, -2));
  EXPECT_THAT(message(copy_of("uint8"), path("a.pfm")), HasSubstr("-2 at [0, 1] does not fit"));
}

TEST_F(PictureParts, OutputsHaveTheBitsOfWhatTheUnknownWasReadFrom) {
  const Energy energy = copy_of("float");
  const std::string deep = picture("deep.png", 600, 65535);
  const auto texts = [&](const std::string& x, const std::string& a) {
    return std::vector<SourceText>{{"X", x}, {"A", a}, {"One", "1"}, {"D", "2"}};
  };
  for (const char* name : {"x.png", "x.pgm"}) {
    const Layer own = written(energy, texts(deep, "0"), name).front();
    EXPECT_EQ(own.full_scale, 65535);
    EXPECT_THAT(std::get<std::vector<std::uint16_t>>(own.samples), ElementsAre(600, 65535));
    // An unknown that came from no picture is like the others over its dims.
    EXPECT_EQ(written(energy, texts("0", deep), name).front().full_scale, 65535);
    Image image(2, 1, 1);
    ASSERT_TRUE(write_image(path("flat.png"), image));
    EXPECT_EQ(written(energy, texts(path("flat.png"), deep), name).front().full_scale, 255);
  }
}

TEST_F(PictureParts, PagesAreAThirdDimInAndOut) {
  const std::string stack = tiff({{.row = "\x33\xff"}, {.row = "\x66\xcc"}});
  const Energy flat = copy_of("double");
  EXPECT_THAT(
      message(flat, stack),
      HasSubstr("a.tif: has 2 pages; choose one, or bind it to an input over 3 dims (legal: "
                "page0, page1)"));
  EXPECT_THAT(values(flat, stack + ":page1"), ElementsAre(0.4, 0.8));
  const Energy deep = copy_of("int", "{W, H, D}");
  EXPECT_THAT(values(deep, stack), ElementsAre(0x33, 0xff, 0x66, 0xcc));
  const std::vector<SourceText> texts = {{"X", stack}, {"A", "0"}, {"One", "1"}};
  const auto pages = written(deep, texts, "x.tif");
  ASSERT_EQ(pages.size(), 2u);
  EXPECT_THAT(std::get<Floats>(pages[1].samples), ElementsAre(0.4f, 0.8f));
  const auto bound = bind_inputs(deep, texts);
  EXPECT_THAT(
      plan_outputs(deep, *bound, std::vector<SourceText>{{"X", "x.png"}}, false).error().message(),
      HasSubstr("an image is over 2 dims, 'X' over 3; a .tif may be over 3"));

  const std::string pages_apart = tiff({{.row = "ab"}, {.width = 1, .row = "c"}});
  EXPECT_THAT(message(flat, pages_apart), HasSubstr("has 2 pages that differ in extents"));
  EXPECT_THAT(message(deep, pages_apart), HasSubstr("has 2 pages that differ in extents"));
}

// 1 x 1 pixels; sample k of a layer is 10 times its number, plus k.
DataFile exr_of(const std::vector<std::pair<std::string, std::vector<std::string>>>& parts) {
  Raster raster;
  for (const auto& [name, channels] : parts) {
    const auto first = static_cast<float>(10 * raster.layers.size());
    Layer& layer = raster.layers.emplace_back();
    layer.name = name;
    layer.width = layer.height = 1;
    layer.channels = channels;
    Floats samples;
    for (std::size_t k = 0; k < channels.size(); ++k)
      samples.push_back(first + static_cast<float>(k));
    layer.samples = samples;
    if (channels.empty()) layer.fault = "is deep";
  }
  return {"a.exr", ".exr", raster};
}

std::vector<double> selected(const DataFile& file, int rank, const std::string& selection) {
  const auto part = PartReader(file, rank).select(selection);
  if (!part) ADD_FAILURE() << part.error().message();
  return part ? part->values : std::vector<double>();
}

TEST(PictureSources, AreChannelsAndLayersByName) {
  const DataFile file = exr_of({{"", {"R", "G", "B", "Z", "ch10", "fill.R", "fill.G", "a.b.R"}}});
  EXPECT_THAT(selected(file, 2, "Z"), ElementsAre(3));
  EXPECT_THAT(selected(file, 2, "ch10"), ElementsAre(4));
  EXPECT_THAT(selected(file, 2, "fill.G"), ElementsAre(6));
  EXPECT_THAT(selected(file, 2, "fill"), ElementsAre(5, 6));
  EXPECT_THAT(selected(file, 2, "a.b"), ElementsAre(7));
  EXPECT_THAT(selected(file, 2, "rgb"), ElementsAre(0, 1, 2));
  EXPECT_THAT(selected(file, 2, "b,R"), ElementsAre(2, 0));
  EXPECT_THAT(selected(file, 2, "gray"), ElementsAre(0.587 + 2 * 0.114));
  EXPECT_THAT(PartReader(file, 2).select("fil.R").error().message(), HasSubstr("did you mean"));
}

TEST(PictureSources, ArePartsByNameAndEqualOnesAThirdDim) {
  DataFile file = exr_of({{"color", {"R", "G", "B"}}, {"depth", {"Z", "aux.Z"}}, {"fog", {}}});
  EXPECT_THAT(selected(file, 2, ""), ElementsAre(0, 1, 2));
  EXPECT_THAT(selected(file, 2, "depth.Z"), ElementsAre(10));
  EXPECT_THAT(selected(file, 2, "depth.aux.Z"), ElementsAre(11));
  EXPECT_THAT(selected(file, 2, "G,depth.Z"), ElementsAre(1, 10));
  EXPECT_THAT(PartReader(file, 2).select("fog.Z").error().message(), HasSubstr("a.exr: is deep"));
  EXPECT_THAT(
      PartReader(file, 3).select("").error().message(),
      HasSubstr("has 3 parts that differ in extents, channels or bits; choose one (legal: color, "
                "depth, fog)"));
  file = exr_of({{"left", {"R", "G", "B"}}, {"right", {"R", "G", "B"}}});
  EXPECT_THAT(selected(file, 3, "G"), ElementsAre(1, 11));
  EXPECT_THAT(PartReader(file, 3).select("")->extents, ElementsAre(1, 1, 2));
  EXPECT_THAT(selected(file, 2, "right"), ElementsAre(10, 11, 12));
  EXPECT_THAT(PartReader(file, 2).select("").error().message(), HasSubstr("has 2 parts; choose"));
}

TEST(PictureSources, OfAPaletteAreColorsAndTheirNumbers) {
  Layer colors{.width = 1, .height = 1, .channels = {"r", "g", "b"}, .full_scale = 255};
  colors.samples = std::vector<std::uint8_t>{51, 102, 255};
  Layer index{.width = 1, .height = 1, .channels = {"index"}};
  index.samples = std::vector<std::uint8_t>{7};
  Raster raster(colors);
  raster.index = index;
  const DataFile file{"a.png", ".png", raster};
  EXPECT_THAT(selected(file, 2, "index"), ElementsAre(7));
  // Together they have no common scale.
  EXPECT_THAT(selected(file, 2, "rg,index"), ElementsAre(0.2, 0.4, 7));
}

}  // namespace
}  // namespace thallo
