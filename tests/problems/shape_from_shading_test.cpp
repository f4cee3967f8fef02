#include <gmock/gmock.h>

#include <array>
#include <limits>
#include <string>
#include <vector>

#include "core/base/io/imagedump.h"
#include "core/energy/evaluate/evaluator.h"
#include "problems/shape_from_shading/depth_input.h"
#include "problems/shape_from_shading/relief.h"
#include "problems/shape_from_shading/surface.h"
#include "tests/problems/loaded_problems.h"
#include "tests/support/data.h"
#include "tests/support/temp_dir.h"

namespace thallo::shape_from_shading {
namespace {

using ::testing::HasSubstr;

std::string parameters_with(std::size_t at, float value) {
  std::array<float, 40> numbers{};
  numbers.fill(1);
  numbers[at] = value;
  return {reinterpret_cast<const char*>(numbers.data()), sizeof numbers};
}

// A plane at one meter, 5 x 4 pixels.
DepthInput plane() {
  DepthInput input;
  input.camera = {{10, 10}, {2, 2}};
  input.light = {1, 0, 0, 0, 0, 0, 0, 0, 0};
  input.depth = input.brightness = Image(5, 4, 1);
  for (float& z : input.depth.data) z = 1;
  input.start = input.depth;
  compare_all(input);
  return input;
}

TEST(DepthInput, ParsesItsParameters) {
  DepthInput input;
  ASSERT_TRUE(parse_parameters("p", parameters_with(29, -0.5f), input));
  EXPECT_EQ(input.light[2], -0.5);
  const auto error_of = [&input](const std::string& content) {
    const auto parsed = parse_parameters("p.SFSSolverParameters", content, input);
    return parsed ? std::string("no error") : parsed.error().message();
  };
  EXPECT_THAT(error_of("short"), HasSubstr("found 5 bytes, expected 160"));
  EXPECT_THAT(error_of(parameters_with(8, 0)), HasSubstr("the focal length is 0"));
  EXPECT_THAT(error_of(parameters_with(1, -1)), HasSubstr("a weight is -1"));
  EXPECT_THAT(error_of(parameters_with(30, std::numeric_limits<float>::quiet_NaN())),
              HasSubstr("number 31 of 40 is nan"));
}

TEST(DepthInput, ReadsFilesBesideEachOther) {
  const test::TempDir folder;
  const auto parameters = folder.write("a.SFSSolverParameters", parameters_with(0, 7));
  const auto write = [&](const char* name, int width, int height) {
    Image image(width, height, 1);
    for (float& value : image.data) value = 1;
    ASSERT_TRUE(write_imagedump(folder.path() / name, image));
  };
  write("a_targetDepth.imagedump", 3, 2);
  write("a_initialUnknown.imagedump", 3, 2);
  auto input = read_depth_input(parameters);
  ASSERT_FALSE(input);
  EXPECT_THAT(input.error().message(), HasSubstr("a_targetIntensity.imagedump"));

  write("a_targetIntensity.imagedump.gz", 3, 2);
  input = read_depth_input(parameters);
  ASSERT_TRUE(input) << input.error().message();
  EXPECT_EQ(input->num_measured(), 6);
  EXPECT_EQ(input->weights.fit, 7);
  EXPECT_EQ(input->compares_right, (std::vector<std::uint8_t>{0, 0, 0, 0, 1, 0}));

  write("a_maskEdgeMap.imagedump", 3, 3);
  input = read_depth_input(parameters);
  ASSERT_FALSE(input);
  EXPECT_THAT(input.error().message(),
              HasSubstr("found 3 x 3 pixels of 1 channels, expected 3 x 4"));
}

TEST(DepthInput, ReadsThePublishedDepthMap) {
  THALLO_REQUIRE_DATA(file, "opt_thallo/shape_from_shading/default.SFSSolverParameters");
  const auto input = read_depth_input(file);
  ASSERT_TRUE(input) << input.error().message();
  EXPECT_EQ(input->width(), 640);
  EXPECT_EQ(input->height(), 480);
  EXPECT_EQ(input->num_measured(), 192162);
  EXPECT_NEAR(input->camera.focal_length[0], 574.0528, 1e-3);
  EXPECT_EQ(input->camera.principal_point[1], 240);
  EXPECT_NEAR(input->light[0], 0.690832, 1e-6);
  EXPECT_NEAR(input->light[8], 0.005797, 1e-6);
  EXPECT_EQ(input->weights.fit, 100);
  EXPECT_EQ(input->weights.smooth, 100);
  EXPECT_EQ(input->weights.shading, 1);
}

TEST(Surface, OfAPlaneFacesTheCamera) {
  const DepthInput input = plane();
  for (int y = 1; y < 4; ++y) {
    for (int x = 1; x < 5; ++x) {
      const Vector3 normal = normal_at(input.camera, input.depth, x, y);
      EXPECT_NEAR(normal[2], -1, 1e-12);
    }
  }
  EXPECT_EQ(shading_error(input, input.depth), 0) << "light and brightness are constant";
  const SurfaceError error = compare_surfaces(input, input.depth, input.depth);
  EXPECT_EQ(error.depth_mm, 0);
  EXPECT_EQ(error.normals_degrees, 0);
}

TEST(Surface, IsAMeshWithoutItsHoles) {
  DepthInput input = plane();
  EXPECT_EQ(make_mesh(input, input.depth).triangles.size(), 2u * 4 * 3);
  input.depth.at(0, 0) = -std::numeric_limits<float>::infinity();
  const Mesh mesh = make_mesh(input, input.depth);
  EXPECT_EQ(mesh.positions.size(), 19u);
  EXPECT_EQ(mesh.triangles.size(), 2u * 4 * 3 - 1);
}

TEST(Relief, IsSeenInItsBrightnessNotInItsDepth) {
  const auto relief = make_relief(48);
  ASSERT_TRUE(relief.truth);
  const Vector3 normal = normal_at(relief.camera, *relief.truth, 30, 20);
  EXPECT_FLOAT_EQ(relief.brightness.at(30, 20),
                  static_cast<float>(reflected(relief.light, normal)));
  EXPECT_GT(compare_surfaces(relief, relief.depth, *relief.truth).normals_degrees, 1);
  EXPECT_EQ(make_relief(48).depth, relief.depth);
}

// The normals and the light of the energy text are those of surface.h.
TEST(ShapeFromShading, SeesTheLightThatTheReliefWasMadeWith) {
  test::Made made = test::make(
      "shape_from_shading",
      {{"size", 32}, {"fit_weight", 0.0}, {"smooth_weight", 0.0}, {"shading_weight", 2.0}});
  const double cost = test::cost_of(made);
  const auto relief = make_relief(32);
  double comparisons = 0;
  for (int y = 1; y < 31; ++y) {
    for (int x = 1; x < 31; ++x) {
      const std::size_t at = relief.depth.index(x, y);
      comparisons += relief.compares_right[at] + relief.compares_down[at];
    }
  }
  const double error = shading_error(relief, relief.depth);
  EXPECT_GT(error, 0.001);
  EXPECT_NEAR(cost / (comparisons * error * error), 1, 1e-6);
}

TEST(DepthInput, DropsDarkPixelsAndBeginsWithEvenLight) {
  DepthInput input = plane();
  input.brightness.at(0, 0) = 0.05f;
  for (int x = 0; x < 5; ++x) input.brightness.at(x, 3) = 0.5f;
  for (int x = 1; x < 5; ++x) input.brightness.at(x, 0) = 1;
  for (int y = 1; y < 3; ++y)
    for (int x = 0; x < 5; ++x) input.brightness.at(x, y) = 1;
  drop_dark_pixels(input, 0.1);
  EXPECT_EQ(input.num_measured(), 19);
  EXPECT_FALSE(input.measured(0, 0));
  const Light light = even_light(input);
  EXPECT_NEAR(light[0], (14 + 5 * 0.5) / 19, 1e-6);
  EXPECT_EQ(light[1], 0);
}

// With the light of the relief, shape_and_shading sees what shape_from_shading sees; the last
// residual is that of the light itself.
TEST(ShapeAndShading, HasTheEnergyOfShapeFromShadingButForTheLight) {
  const Options weights = {
      {"size", 24}, {"fit_weight", 0.0}, {"smooth_weight", 0.0}, {"shading_weight", 2.0}};
  Options with_darkest = weights;
  with_darkest.set("darkest", 0.0);
  test::Made made = test::make("shape_and_shading", with_darkest);
  const Light light = make_relief(24).light;
  ASSERT_TRUE(
      made.instance.binding.set_field("Light", std::vector<double>(light.begin(), light.end())));
  EnergyEvaluator evaluator(made.energy, made.instance.binding);
  double lighting = 0;
  for (std::size_t group = 0; group < made.energy.groups().size(); ++group) {
    if (made.energy.groups()[group].name != "shading") continue;
    for (std::int64_t point = 0; point < evaluator.num_points(group); ++point) {
      const double of_light = evaluator.linearize(group, point).back().residual.value;
      lighting += 0.5 * of_light * of_light;
    }
  }
  EXPECT_GT(lighting, 0);
  EXPECT_NEAR(
      (evaluator.cost() - lighting) / test::cost_of(test::make("shape_from_shading", weights)), 1,
      1e-6);
}

TEST(ShapeAndShading, SolvesForTheLightToo) {
  const test::Made made = test::make("shape_and_shading", {{"size", 16}});
  const test::Made known = test::make("shape_from_shading", {{"size", 16}});
  EXPECT_EQ(made.instance.binding.num_unknowns(made.energy),
            known.instance.binding.num_unknowns(known.energy) + 9);
}

TEST(ShapeFromShading, SaysWhatIsWrongWithItsInput) {
  EXPECT_THAT(test::error_of("shape_from_shading", {{"file", "absent.SFSSolverParameters"}}),
              HasSubstr("absent.SFSSolverParameters"));
}

}  // namespace
}  // namespace thallo::shape_from_shading
