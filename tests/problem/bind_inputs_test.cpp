#include "core/problem/bind_inputs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/base/io/image.h"
#include "core/language/energy_file.h"
#include "core/problem/data_part.h"
#include "core/problem/outputs.h"
#include "tests/support/temp_dir.h"

namespace thallo {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

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
                        "say W=100"));
  EXPECT_THAT(message(energy, {{"A", "1,2"}, {"W", "2"}, {"H", "2"}}),
              HasSubstr("'A' has 1 channels, but 2 numbers are given"));
  EXPECT_THAT(message(energy, {{"A", "absent.png"}}), HasSubstr("absent.png: cannot be opened"));
  EXPECT_THAT(message(energy, {{"W", "0"}}), HasSubstr("'W' is a dim; its extent is an integer"));
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
  EXPECT_EQ(moved.positions[1], (std::array{1.0f, 7.0f, 0.0f}));
  EXPECT_EQ(moved.triangles.size(), 2u);
  EXPECT_THAT(plan_outputs(energy, *bound, std::vector<SourceText>{{"Q", "q.ply"}}, false)
                  .error()
                  .message(),
              HasSubstr("there is no unknown 'Q'"));
  EXPECT_THAT(plan_outputs(energy, *bound, std::vector<SourceText>{{"P", "p.png"}}, false)
                  .error()
                  .message(),
              HasSubstr("an image is over 2 dims, 'P' over 1"));
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
  const auto vectors = select(*file, "poses.rx.ry.rz", 1);
  ASSERT_TRUE(vectors) << vectors.error().message();
  EXPECT_NEAR(vectors->values[3], 3.14159265358979, 1e-12);
  EXPECT_EQ(select(*file, "sqrt_information.11.12", 1)->values, (std::vector<double>{2, 0}));
  EXPECT_THAT(select(*file, "fixed", 1)->values, ElementsAre(1, 0));
  // A quarter turn about z, written back as a quaternion.
  ASSERT_TRUE(put(*file, "poses.rx.ry.rz", 1, {0, 0, 0, 0, 0, 1.5707963267948966}));
  const auto& graph = std::get<PoseGraph>(file->content);
  EXPECT_NEAR(graph.poses[12], std::sqrt(0.5), 1e-12);
  EXPECT_EQ(graph.poses[7], 1);
}

}  // namespace
}  // namespace thallo
