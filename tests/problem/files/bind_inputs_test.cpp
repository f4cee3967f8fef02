#include "core/problem/files/bind_inputs.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <fstream>
#include <string>
#include <vector>

#include "core/backend/host_machine.h"
#include "core/base/io/image.h"
#include "core/language/load_energy.h"
#include "core/problem/files/data_part.h"
#include "core/problem/files/outputs.h"
#include "tests/support/temp_dir.h"
#include "tests/support/tiff_bytes.h"

namespace thallo {
namespace {

using testing::AllOf, testing::ElementsAre, testing::HasSubstr;

Energy denoise() {
  return load_energy_text(R"(
local W, H = Dims("W", "H")
Inputs { X = Unknown(float, {W, H}, 0), A = Array(float, {W, H}, 1), M = Array(uint8, {W, H}, 2),
         w = Param(float, 3) }
local x, y = W(), H()
Residuals { fit = M(x, y) * (X(x, y) - A(x, y)), reg = w * (X(x, y) - X(x + 1, y)) }
)",
                          "denoise.lua")
      ->energy;
}

Energy smooth() {
  return load_energy_text(R"(
local V, E = Dims("V", "E")
Inputs { P = Unknown(float3, {V}, 0), O = Array(float3, {V}, 1),
         V0 = Sparse({E}, {V}, 2), V1 = Sparse({E}, {V}, 3) }
local v, e = V(), E()
Residuals { fit = P(v) - O(v), reg = P(V0(e)) - P(V1(e)) }
)",
                          "smooth.lua")
      ->energy;
}

constexpr const char* Square = "OFF\n4 2 0\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n3 0 1 2\n3 0 2 3\n";

class BindInputs : public testing::Test {
 protected:
  std::string path(const char* name) const { return (dir_.path() / name).string(); }
  std::string image(const char* name, int width, int height, int channels) const {
    Image picture(width, height, channels);
    for (std::size_t i = 0; i < picture.data.size(); ++i)
      picture.data[i] = static_cast<float>(i % 256) / 255.0f;
    EXPECT_TRUE(write_image(dir_.path() / name, picture));
    return path(name);
  }
  static std::string message(const Energy& energy, const std::vector<SourceText>& texts) {
    const auto bound = bind_inputs(energy, texts);
    return bound ? "no error" : bound.error().message();
  }

  test::TempDir dir_;
};

TEST_F(BindInputs, AParamOfSeveralNumbersIsARowOrAList) {
  const Energy energy =
      load_energy_text(
          "local N = Dims('N') Inputs { X = Unknown(float, N), lens = Param(float2) }\n"
          "Residuals { r = X(N()) * lens(0) - lens(1) }",
          "lens.lua")
          ->energy;
  std::ofstream(path("lens.csv")) << "fx,fy\n520,510\n";
  std::ofstream(path("two.csv")) << "fx,fy\n520,510\n1,2\n";
  for (const std::string& source : {path("lens.csv"), std::string("520,510")}) {
    const auto bound = bind_inputs(energy, std::vector<SourceText>{{"N", "3"}, {"lens", source}});
    ASSERT_TRUE(bound) << bound.error().message();
    EXPECT_THAT(bound->binding.field(energy.find_field("lens")).to_doubles(),
                ElementsAre(520, 510));
  }
  EXPECT_THAT(message(energy, {{"N", "3"}, {"lens", path("two.csv")}}),
              HasSubstr("'lens' is over 0 dims (), but rows is over 1 (2)"));
}

TEST_F(BindInputs, OneOfSeveralColumnsOfANameIsSelectedByItsNumber) {
  const Energy energy =
      load_energy_text(
          "local N = Dims('N') Inputs { X = Unknown(float, N), A = Array(float, N) }\n"
          "Residuals { r = X(N()) - A(N()) }",
          "fit.lua")
          ->energy;
  const std::string file = dir_.write("two.csv", "b,a,t,a,T,m_1\n1,2,3,4,5,6\n").string();
  EXPECT_EQ(message(energy, {{"A", file + ":a"}}),
            "A=" + file + ":a: " + file +
                ": 2 channels have the name 'a', numbers 1 and 3; select one by its number");
  for (const auto& [column, value] :
       {std::pair("1", 2.0), {"3", 4}, {"b", 1}, {"t", 3}, {"T", 5}, {"M_1", 6}, {"rows.3", 4}}) {
    const auto bound = bind_inputs(energy, std::vector<SourceText>{{"A", file + ":" + column}});
    ASSERT_TRUE(bound) << bound.error().message();
    EXPECT_EQ(bound->binding.field(energy.find_field("A")).value(0), value) << column;
  }
}

TEST_F(BindInputs, TakesExtentsFromImagesAndScalesSamplesForIntegers) {
  const Energy energy = denoise();
  const std::string gray = image("gray.png", 3, 2, 1);
  const std::string color = image("color.png", 3, 2, 3);
  const auto bound = bind_inputs(
      energy, std::vector<SourceText>{
                  {"X", color + ":g"}, {"A", color + ":gray"}, {"M", gray}, {"w", "0.5"}});
  ASSERT_TRUE(bound) << bound.error().message();
  EXPECT_TRUE(bound->binding.validate(energy));
  EXPECT_THAT(bound->binding.extents(), ElementsAre(3, 2));
  EXPECT_FLOAT_EQ(static_cast<float>(bound->binding.field(energy.find_field("X")).value(1)),
                  4.0f / 255.0f);
  EXPECT_EQ(bound->binding.field(energy.find_field("M")).value(4), 4);
  EXPECT_EQ(bound->binding.param(energy.find_field("w")), 0.5);
}

TEST_F(BindInputs, ScalesIntegerSamplesOfTiffsAndTakesTheirFloatsAsTheyAre) {
  const Energy energy = denoise();
  const auto value_of = [&](const std::string& file) {
    const auto bound =
        bind_inputs(energy, std::vector<SourceText>{{"A", "1"}, {"M", file}, {"w", "1"}});
    if (!bound) ADD_FAILURE() << bound.error().message();
    return bound ? bound->binding.field(energy.find_field("M")).value(0) : -1;
  };
  EXPECT_EQ(value_of(dir_.write("a.tif", test::tiff_bytes({{.row = "\x80\xff"}})).string()), 128);
  Image numbers(2, 1, 1);
  numbers.data = {7, 3};
  ASSERT_TRUE(write_image(dir_.path() / "numbers.tif", numbers));
  EXPECT_EQ(value_of(path("numbers.tif")), 7);
}

TEST_F(BindInputs, NamesExtentsAndArraysThatNoMemoryHolds) {
  const Energy energy = denoise();
  const std::string huge = "2147483647";
  EXPECT_THAT(
      message(energy, {{"W", huge}, {"H", huge}, {"A", "1"}, {"M", "ramp.0"}, {"w", "1"}}),
      testing::AllOf(HasSubstr("A=1: with W = 2147483647, H = 2147483647, 'A' (1 channel) needs "
                               "3.436e+10 GiB, which cannot be allocated"),
                     HasSubstr("M=ramp.0: with W = "), HasSubstr("X=zeros: with W = ")));
  EXPECT_THAT(message(energy, {{"W", "2147483648"}}),
              HasSubstr("its extent is an integer from 1 to 2147483647"));
  // Each would be given its memory by the system, which ends the process when they are filled.
  const auto points =
      static_cast<std::int64_t>(0.6 / 8 * static_cast<double>(host_machine().memory_bytes));
  EXPECT_THAT(
      message(energy,
              {{"X", "0"}, {"A", "0"}, {"M", "1"}, {"W", fmt::to_string(points)}, {"H", "1"}}),
      AllOf(HasSubstr("memory ran out: with W = " + fmt::to_string(points)),
            HasSubstr("which cannot be allocated")));
}

TEST_F(BindInputs, FillsValuesAndRamps) {
  const Energy energy = denoise();
  const auto bound = bind_inputs(
      energy,
      std::vector<SourceText>{{"W", "3"}, {"H", "2"}, {"A", "ramp.1"}, {"M", "ones"}, {"w", "2"}});
  ASSERT_TRUE(bound) << bound.error().message();
  EXPECT_TRUE(bound->binding.validate(energy));
  EXPECT_THAT(bound->binding.field(energy.find_field("A")).to_doubles(),
              ElementsAre(0, 0, 0, 1, 1, 1));
  EXPECT_THAT(bound->zero_unknowns, ElementsAre("X"));
}

TEST_F(BindInputs, DrawsValuesAndMaps) {
  const Energy energy = smooth();
  const auto bind = [&](const std::string& points, const std::string& edges) {
    auto bound = bind_inputs(energy, std::vector<SourceText>{{"V", points},
                                                             {"E", edges},
                                                             {"P", "random"},
                                                             {"O", "random"},
                                                             {"V0", "random"},
                                                             {"V1", "nearby"}});
    if (!bound) throw std::runtime_error(bound.error().message());
    EXPECT_TRUE(bound->binding.validate(energy));  // every index is that of a point
    return std::move(bound->binding);
  };
  const Binding binding = bind("1000", "3000");
  const std::vector<double> values = binding.field(energy.find_field("P")).to_doubles();
  const auto [least, most] = std::ranges::minmax(values);
  EXPECT_THAT(least, testing::AllOf(testing::Ge(-1), testing::Lt(-0.99)));
  EXPECT_THAT(most, testing::AllOf(testing::Lt(1), testing::Gt(0.99)));
  EXPECT_NE(binding.field(energy.find_field("O")).to_doubles(), values);
  const std::vector<std::int32_t>& near = binding.map(energy.find_map("V1"));
  for (int e = 0; e < 3000; ++e)
    EXPECT_LE(std::abs(near[static_cast<std::size_t>(e)] - e / 3), 8) << e;
  const std::vector<std::int32_t>& any = binding.map(energy.find_map("V0"));
  EXPECT_GT(std::ranges::max(std::vector(any.begin(), any.begin() + 100)), 900);
  EXPECT_EQ(bind("1000", "3000").map(energy.find_map("V0")), any);
  EXPECT_THAT(bind("1", "2").map(energy.find_map("V1")), ElementsAre(0, 0));
  EXPECT_THAT(message(energy, {{"V", "2"}, {"E", "2"}, {"P", "nearby"}}),
              HasSubstr("P=nearby: 'P' is no sparse map"));
  const std::string huge = "2147483647";
  EXPECT_THAT(message(energy, {{"V", huge}, {"E", huge}, {"V0", "ramp"}}),
              HasSubstr("made by V0=random or V0=nearby"));
}

TEST_F(BindInputs, DrawsMasksOfZerosAndOnes) {
  const Energy energy = denoise();
  const auto bound = bind_inputs(
      energy, std::vector<SourceText>{
                  {"W", "30"}, {"H", "20"}, {"A", "random"}, {"M", "random"}, {"w", "2"}});
  ASSERT_TRUE(bound) << bound.error().message();
  const std::vector<double> mask = bound->binding.field(energy.find_field("M")).to_doubles();
  EXPECT_THAT(mask, testing::Each(testing::AnyOf(0, 1)));
  EXPECT_THAT(std::ranges::count(mask, 1), testing::AllOf(testing::Gt(250), testing::Lt(350)));
}

TEST_F(BindInputs, TakesMapsFromMeshes) {
  const Energy energy = smooth();
  const std::string mesh = dir_.write("square.off", Square).string();
  const auto bound = bind_inputs(energy, std::vector<SourceText>{{"P", mesh},
                                                                 {"O", mesh + ":positions.x.x.x"},
                                                                 {"V0", mesh + ":edges.0"},
                                                                 {"V1", mesh + ":edges.1"}});
  ASSERT_TRUE(bound) << bound.error().message();
  EXPECT_TRUE(bound->binding.validate(energy));
  EXPECT_THAT(bound->binding.extents(), ElementsAre(4, 5));
  EXPECT_THAT(bound->binding.map(energy.find_map("V0")), ElementsAre(0, 0, 0, 1, 2));
  EXPECT_THAT(bound->binding.map(energy.find_map("V1")), ElementsAre(1, 2, 3, 2, 3));
}

TEST_F(BindInputs, ExplainsWhatDoesNotFit) {
  const Energy energy = denoise();
  const std::string small = image("small.png", 3, 2, 1);
  const std::string large = image("large.png", 4, 2, 1);
  const std::string color = image("color.png", 3, 2, 3);
  EXPECT_THAT(message(energy, {{"X", small}, {"A", large}, {"M", "1"}, {"w", "1"}}),
              testing::AllOf(HasSubstr("dim 'W' is "), HasSubstr("4 by A=" + large),
                             HasSubstr("3 by X=" + small)));
  EXPECT_THAT(message(energy, {{"A", color}}),
              testing::AllOf(HasSubstr("'A' has 1 channel, but " + color + " has 3 (r, g, b)"),
                             HasSubstr("choose, e.g. A=" + color + ":gray"),
                             HasSubstr("array 'M' is not bound"),
                             HasSubstr("param 'w' is not bound; e.g. w=0.5")));
  EXPECT_THAT(message(energy, {{"A", color + ":grey"}}),
              HasSubstr("has no part or channel 'grey'; did you mean 'gray'?"));
  EXPECT_THAT(message(energy, {{"a", "1"}}),
              HasSubstr("the energy has no input 'a'; did you mean"));
  EXPECT_THAT(message(energy, {{"A", "1"}, {"M", "1"}, {"w", "1"}}),
              HasSubstr("dim 'W' has no extent: nothing over it is bound to a file; bind one, or "
                        "the extent itself, e.g. the option 'bind=W=100'"));
  EXPECT_THAT(message(energy, {{"A", "1,2"}, {"W", "2"}, {"H", "2"}}),
              HasSubstr("'A' has 1 channel, but 2 numbers are given; give one"));
  EXPECT_THAT(message(energy, {{"A", path("smal.png")}}),
              HasSubstr("there is no file '" + path("smal.png") +
                        "'; did you mean 'small.png'? (values are numbers"));
  EXPECT_THAT(message(energy, {{"w", small}}),
              HasSubstr("'w' is a param; it is bound to a number, e.g. w=0.5"));
  EXPECT_THAT(
      message(energy, {{"A", dir_.write("a.lua", "one two\n3 words here\n").string()}}),
      HasSubstr("a.lua:2: the line has 3 fields, but the table has 2 columns (one, two) (it "
                "was read as a table"));
  EXPECT_THAT(message(energy, {{"W", "0"}}), HasSubstr("'W' is a dim; its extent is an integer"));
}

TEST_F(BindInputs, RefusesValuesThatAnIntegerDoesNotHold) {
  const Energy energy = denoise();
  const auto array = [&](std::vector<std::int64_t> shape, std::vector<std::int64_t> values) {
    EXPECT_TRUE(write_npy(dir_.path() / "a.npy", {std::move(shape), std::move(values)}));
    return path("a.npy");
  };
  const std::string file = array({2, 3}, {0, 255, 1, 2, 256, 3});
  EXPECT_THAT(
      message(energy, {{"M", file}}),
      HasSubstr(
          "M=" + file +
          ": 256 at [1, 1] does not fit into 'M' (uint8), which holds integers from 0 to 255"));
  EXPECT_THAT(message(energy, {{"M", dir_.write("a.csv", "1,2\n3,-1\n").string()}}),
              HasSubstr("-1 at [1, 1] does not fit into 'M' (uint8)"));
  EXPECT_THAT(
      message(energy, {{"M", "300"}, {"W", "2"}, {"H", "2"}}),
      HasSubstr("M=300: 300 does not fit into 'M' (uint8), which holds integers from 0 to 255"));
  EXPECT_THAT(message(energy, {{"M", dir_.write("half.csv", "1,2\n3,1.5\n").string()}}),
              HasSubstr("1.5 at [1, 1] does not fit into 'M' (uint8), which holds integers"));
  EXPECT_THAT(message(energy, {{"M", "0.5"}, {"W", "2"}, {"H", "2"}}),
              HasSubstr("M=0.5: 0.5 does not fit into 'M' (uint8)"));
  const std::string indices = array({3, 1}, {0, 1, 4294967296});
  EXPECT_THAT(message(smooth(), {{"V0", indices}}),
              HasSubstr("V0=" + indices +
                        ": 4294967296 at [2] is no index, which is an integer of 32 bits"));
}

TEST_F(BindInputs, TakesArraysOfAnArchiveByName) {
  const std::string archive = THALLO_SOURCE_DIR "/tests/fuzz/seeds/npz/numpy.npz";
  const Energy energy = denoise();
  const auto bound = bind_inputs(
      energy,
      std::vector<SourceText>{
          {"A", archive + ":depth"}, {"X", archive + ":layer.weight"}, {"M", archive}, {"w", "1"}});
  EXPECT_THAT(bound.error().message(),
              testing::AllOf(HasSubstr("3 by A=" + archive + ":depth"),
                             HasSubstr("2 by X=" + archive + ":layer.weight")));
  const auto other = bind_inputs(
      energy, std::vector<SourceText>{{"A", archive + ":depth"}, {"M", archive}, {"w", "1"}});
  ASSERT_TRUE(other) << other.error().message();
  EXPECT_THAT(other->binding.extents(), ElementsAre(3, 2));
  EXPECT_EQ(other->binding.field(energy.find_field("A")).value(4), 4);
  EXPECT_THAT(message(energy, {{"A", archive + ":dept"}}),
              HasSubstr("has no part or channel 'dept'; did you mean 'depth'?"));
  const auto file = read_data_file(archive);
  ASSERT_TRUE(file) << file.error().message();
  // An input over three dims, for which the first array has none.
  EXPECT_THAT(PartReader(*file, 3).select("layer.weigth").error().message(),
              HasSubstr("has no part or channel 'layer.weigth'; did you mean 'layer.weight'?"));
  EXPECT_THAT(PartReader(*file, 3).select("depth").error().message(),
              HasSubstr("numpy.npz:depth: has the shape (2, 3), but the input has 3 dims"));
  const auto part = PartReader(*file, 1).select("layer.weight.1,layer.weight.0");
  ASSERT_TRUE(part) << part.error().message();
  EXPECT_THAT(part->values, ElementsAre(2, 1, 4, 3, 6, 5));
}

TEST_F(BindInputs, ExplainsMapsThatAreNone) {
  const Energy energy = smooth();
  const std::string mesh = dir_.write("square.off", Square).string();
  EXPECT_THAT(message(energy, {{"V0", mesh}}),
              HasSubstr("needs indices, but positions are values"));
  EXPECT_THAT(message(energy, {{"V0", mesh + ":edges"}}),
              HasSubstr("'V0' leads to 1 dim (V), but edges has 2 channels (0, 1)"));
  EXPECT_THAT(message(energy, {{"V0", "7"}}), HasSubstr("it is bound to a file with indices"));
  const std::string gray = image("gray.png", 2, 2, 1);
  EXPECT_THAT(message(energy, {{"P", gray}}),
              HasSubstr("'P' is over 1 dims (V), but pixels is over 2 (2 x 2)"));
}

TEST_F(BindInputs, WritesUnknownsBackIntoWhatFedThem) {
  const Energy energy = smooth();
  const std::string mesh = dir_.write("square.off", Square).string();
  auto bound = bind_inputs(energy, std::vector<SourceText>{{"P", mesh + ":positions"},
                                                           {"O", mesh},
                                                           {"V0", mesh + ":edges.0"},
                                                           {"V1", mesh + ":edges.1"}});
  ASSERT_TRUE(bound) << bound.error().message();
  Binding solved = bound->binding;
  solved.field(energy.find_field("P")).set_value(4, 7.0);
  const auto requests = plan_outputs(energy, *bound, {}, true);
  ASSERT_TRUE(requests) << requests.error().message();
  const auto files = make_outputs(energy, *bound, solved, *requests);
  ASSERT_EQ(files.size(), 1u);
  EXPECT_EQ(files[0].path, "square.off");
  const Mesh& moved = std::get<Mesh>(files[0].data->content);
  EXPECT_EQ(moved.positions[1], (std::array{1.0, 7.0, 0.0}));
  EXPECT_EQ(moved.triangles.size(), 2u);
  EXPECT_THAT(plan_outputs(energy, *bound, std::vector<SourceText>{{"Q", "q.ply"}}, false)
                  .error()
                  .message(),
              HasSubstr("there is no unknown 'Q'"));
  EXPECT_THAT(plan_outputs(energy, *bound, std::vector<SourceText>{{"P", "p.png"}}, false)
                  .error()
                  .message(),
              HasSubstr("an image is over 2 dims, 'P' over 1"));
  const std::string inside = path("square.off") + "/p.off";
  EXPECT_THAT(
      plan_outputs(energy, *bound, std::vector<SourceText>{{"P", inside}}, false).error().message(),
      HasSubstr("'" + path("square.off") + "' is no folder"));
}

TEST(DataFile, IsADamagedOneOfTheFormatThatItIsNamedLike) {
  const test::TempDir dir;
  const auto fault = [&](const char* name, const std::string& content) {
    return read_data_file(dir.write(name, content)).error().message();
  };
  EXPECT_THAT(fault("a.png", "\x89PNG\n\n"), HasSubstr("a.png: is not a PNG file"));
  EXPECT_THAT(fault("a.stl", std::string(80, '\0') + '\1' + std::string(3, '\0')),
              HasSubstr("a.stl: the file is truncated"));
  EXPECT_THAT(fault("a.dat", std::string(9, '\1')), HasSubstr("is of no format"));
}

TEST(DataPart, KeepsWhatAnArrayOfFloatsDoesNotHold) {
  DataFile file{"a.npy", ".npy", NpyArray{{2}, std::vector<float>{1, 2}}};
  ASSERT_TRUE(put(file, "", 1, {0.5, 3}));
  EXPECT_EQ(std::get<NpyArray>(file.content), (NpyArray{{2}, std::vector<float>{0.5f, 3}}));
  ASSERT_TRUE(put(file, "", 1, {0.1, 3}));
  EXPECT_EQ(std::get<NpyArray>(file.content), (NpyArray{{2}, std::vector<double>{0.1, 3}}));
}

TEST(DataPart, GivesRotationVectorsAndRootsOfInformation) {
  std::string text =
      "VERTEX_SE3:QUAT 0 0 0 0 0 0 0 1\nVERTEX_SE3:QUAT 1 1 2 3 1 0 0 0\n"
      "EDGE_SE3:QUAT 0 1 1 2 3 0 0 0 1";
  for (int row = 0; row < 6; ++row)
    for (int column = row; column < 6; ++column) text += row == column ? " 4" : " 0";
  const test::TempDir dir;
  auto file = read_data_file(dir.write("a.g2o", text));
  ASSERT_TRUE(file) << file.error().message();
  const PartReader parts(*file, 1);
  const auto vectors = parts.select("poses.rx.ry.rz");
  ASSERT_TRUE(vectors) << vectors.error().message();
  EXPECT_NEAR(vectors->values[3], 3.14159265358979, 1e-12);
  EXPECT_EQ(parts.select("sqrt_information.11.12")->values, (std::vector<double>{2, 0}));
  EXPECT_THAT(parts.select("fixed")->values, ElementsAre(1, 0));
  // A quarter turn about z, written back as a quaternion.
  ASSERT_TRUE(put(*file, "poses.rx.ry.rz", 1, {0, 0, 0, 0, 0, 1.5707963267948966}));
  const auto& graph = std::get<PoseGraph>(file->content);
  EXPECT_NEAR(graph.poses[12], std::sqrt(0.5), 1e-12);
  EXPECT_EQ(graph.poses[7], 1);
}

TEST(DataPart, GivesLandmarksAndPriorsOfAGraph) {
  const test::TempDir dir;
  auto file = read_data_file(dir.write("a.g2o",
                                       "VERTEX_SE2 3 0 0 0\nVERTEX_SE2 4 1 0 0\nVERTEX_XY 8 1 2\n"
                                       "VERTEX_XY 9 3 4\nFIX 9\nEDGE_SE2 3 4 1 0 0 1 0 0 1 0 1\n"
                                       "EDGE_SE2_XY 4 9 2 4 4 0 9\n"
                                       "EDGE_PRIOR_SE2 4 1 0 0 4 0 0 1 0 1\n"));
  ASSERT_TRUE(file) << file.error().message();
  const PartReader parts(*file, 1);
  const auto values = [&](const char* selection) {
    const auto part = parts.select(selection);
    EXPECT_TRUE(part) << part.error().message();
    return part->values;
  };
  EXPECT_THAT(values("landmarks"), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(values("fixed_landmarks"), ElementsAre(0, 1));
  EXPECT_THAT(values("sightings"), ElementsAre(2, 4));
  EXPECT_THAT(values("sighting_sqrt_information"), ElementsAre(2, 0, 0, 3));
  EXPECT_THAT(values("sighting_pose"), ElementsAre(1));
  EXPECT_THAT(values("sighting_landmark"), ElementsAre(1));
  EXPECT_EQ(parts.select("sighting_landmark")->num_targets, 2);
  EXPECT_THAT(values("priors"), ElementsAre(1, 0, 0));
  EXPECT_THAT(values("prior_information.11"), ElementsAre(4));
  EXPECT_THAT(values("prior_pose"), ElementsAre(1));
  // The prior holds the graph, so that its first pose is free.
  EXPECT_THAT(values("fixed"), ElementsAre(0, 0));
  ASSERT_TRUE(put(*file, "landmarks.y", 1, {5, 6}));
  EXPECT_THAT(std::get<PoseGraph>(file->content).landmarks.positions, ElementsAre(1, 5, 3, 6));
}

// What bind_inputs() says in one text, for a form that has a field for each input.
TEST_F(BindInputs, SayWhichInputsAFaultConcerns) {
  const Energy energy = denoise();
  const std::string a = image("a.png", 3, 2, 1), x = image("x.png", 4, 2, 1);
  const std::string color = image("color.png", 3, 2, 3);
  const auto check = check_bindings(
      energy, std::vector<SourceText>{{"A", a}, {"X", x}, {"M", color}, {"no", "1"}});
  std::vector<std::vector<std::string>> concerned;
  for (const BindingFault& fault : check.faults) concerned.push_back(fault.inputs);
  EXPECT_THAT(concerned, ElementsAre(ElementsAre("no"), ElementsAre("M"),
                                     ElementsAre("X", "A", "W"), ElementsAre("w")));
  EXPECT_FALSE(check.faults[2].is_missing);
  EXPECT_TRUE(check.faults[3].is_missing);
  ASSERT_TRUE(check.parts.contains("M")) << "also where it does not fit";
  EXPECT_EQ(check.parts.at("M").num_channels, 3u);
  EXPECT_THAT(check.parts.at("X").extents, ElementsAre(4, 2));
}

}  // namespace
}  // namespace thallo
