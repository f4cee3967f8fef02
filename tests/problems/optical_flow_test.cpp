#include <gmock/gmock.h>

#include <cmath>

#include "core/base/io/flo.h"
#include "core/base/io/png.h"
#include "core/energy/evaluate/evaluator.h"
#include "problems/optical_flow/filters.h"
#include "problems/optical_flow/flow_input.h"
#include "problems/optical_flow/flow_view.h"
#include "problems/optical_flow/moving_shapes.h"
#include "problems/optical_flow/stages.h"
#include "tests/problems/loaded_problems.h"
#include "tests/support/temp_dir.h"

namespace thallo::optical_flow {
namespace {

using ::testing::HasSubstr;

Image ramp(int width, int height, float dx, float dy) {
  Image image(width, height, 1);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      image.at(x, y) = dx * static_cast<float>(x) + dy * static_cast<float>(y);
    }
  }
  return image;
}

Image constant_flow(int width, int height, float u, float v) {
  Image flow(width, height, 2);
  for (std::size_t i = 0; i < flow.data.size(); i += 2) {
    flow.data[i] = u;
    flow.data[i + 1] = v;
  }
  return flow;
}

TEST(Filters, FindSlopesAndKeepConstantsButNoOutliers) {
  Image image = ramp(7, 6, 0.5f, -0.25f);
  EXPECT_NEAR(derivative_x(image).at(3, 3), 0.5, 1e-6);
  EXPECT_NEAR(derivative_y(image).at(3, 3), -0.25, 1e-6);
  EXPECT_NEAR(sampled(image, 2.5, 3.25, 0), 0.5 * 2.5 - 0.25 * 3.25, 1e-6);
  EXPECT_NEAR(sampled(image, -4, 9, 0), -0.25 * 5, 1e-6) << "outside is as the border";
  image = Image(9, 5, 1);
  for (float& value : image.data) value = 0.5f;
  EXPECT_NEAR(blurred(image, 2).at(0, 0), 0.5, 1e-6);
  EXPECT_EQ(blurred(image, 0), image);
  EXPECT_EQ(median_filtered(image), image);
  const Image half = resized(image, 4, 3);
  EXPECT_EQ(half.width, 4);
  EXPECT_NEAR(half.at(3, 2), 0.5, 1e-6);
  EXPECT_NEAR(resized(ramp(8, 8, 1, 0), 4, 4).at(1, 1), 2.5, 1e-6) << "between pixels 2 and 3";
  Image flow = constant_flow(6, 6, 1, 2);
  flow.at(3, 3, 0) = 100;
  EXPECT_EQ(median_filtered(flow), constant_flow(6, 6, 1, 2));
}

TEST(FlowColors, AreThoseOfTheBenchmark) {
  Image flow(4, 1, 2);
  flow.at(0, 0, 0) = 1;     // right
  flow.at(1, 0, 1) = 1;     // down
  flow.at(3, 0, 0) = 2e9f;  // unknown
  const Image picture = color_coded(flow, 1);
  // Right is red, down is yellow; what does not move is white.
  EXPECT_NEAR(picture.at(0, 0, 0), 1, 1e-6);
  EXPECT_LT(picture.at(0, 0, 1), 0.1);
  EXPECT_LT(picture.at(0, 0, 2), 0.2);
  EXPECT_NEAR(picture.at(1, 0, 0), 1, 0.15);
  EXPECT_GT(picture.at(1, 0, 1), 0.8);
  EXPECT_LT(picture.at(1, 0, 2), 0.1);
  for (int c = 0; c < 3; ++c) {
    EXPECT_EQ(picture.at(2, 0, c), 1.0f);
    EXPECT_EQ(picture.at(3, 0, c), 0.0f);
  }
}

TEST(FlowError, IsTheMeanDistanceOfEnds) {
  Image truth = constant_flow(2, 1, 0, 0);
  const FlowError error = compare_flows(constant_flow(2, 1, 3, 4), truth);
  EXPECT_DOUBLE_EQ(error.endpoint, 5);
  EXPECT_NEAR(error.angle, std::atan(5.0) * 180 / 3.14159265358979, 1e-9);
  EXPECT_EQ(error.over_a_pixel, 1);
  truth.at(0, 0, 0) = 1e10f;
  truth.at(1, 0, 0) = 3;
  truth.at(1, 0, 1) = 3.5f;
  EXPECT_DOUBLE_EQ(compare_flows(constant_flow(2, 1, 3, 4), truth).endpoint, 0.5)
      << "unknown flow does not count";
  EXPECT_EQ(longest_motion(truth), std::hypot(3.0, 3.5));
}

TEST(MovingShapes, AreBroughtBackByTheirTruth) {
  const auto scene = draw_moving_shapes(96);
  ASSERT_TRUE(scene.truth);
  EXPECT_EQ(scene.height(), 72);
  const Image back = brought_back(scene.second, *scene.truth);
  std::size_t alike = 0;
  for (std::size_t i = 0; i < back.data.size(); ++i) {
    alike += std::abs(back.data[i] - scene.first.data[i]) < 0.05f ? 1 : 0;
  }
  // What is covered in the second picture cannot be.
  EXPECT_GT(static_cast<double>(alike) / static_cast<double>(back.data.size()), 0.9);
  EXPECT_EQ(draw_moving_shapes(96).second, scene.second);
}

TEST(FlowInput, ReadsPicturesAndTruth) {
  const test::TempDir folder;
  const auto at = [&](const char* name) { return folder.path() / name; };
  ASSERT_TRUE(write_png(at("a.png"), Image(4, 3, 3)));
  ASSERT_TRUE(write_png(at("b.png"), Image(4, 2, 3)));
  ASSERT_TRUE(write_flo(at("t.flo"), constant_flow(4, 3, 1, 0)));
  const auto input = read_flow_input(at("a.png"), at("a.png"), at("t.flo"));
  ASSERT_TRUE(input) << input.error().message();
  EXPECT_EQ(input->truth->at(3, 2, 0), 1);
  EXPECT_FALSE(read_flow_input(at("a.png"), at("a.png"), "")->truth);
  const auto wrong = read_flow_input(at("a.png"), at("b.png"), "");
  ASSERT_FALSE(wrong);
  EXPECT_THAT(wrong.error().message(), AllOf(HasSubstr("b.png"), HasSubstr("4 x 2")));
}

TEST(Stages, RampTheWeightAsPublished) {
  const auto stages = plan_stages(Method::Published, 640, 480, 50);
  ASSERT_EQ(stages.size(), 6u);
  EXPECT_DOUBLE_EQ(stages.front().fit_weight, 10);
  EXPECT_DOUBLE_EQ(stages.back().fit_weight, 50);
  EXPECT_EQ(stages[2].sigma, 5);
  EXPECT_EQ(stages[3].sigma, 1);
  for (const Stage& stage : stages) EXPECT_EQ(stage.width, 640);
}

TEST(Stages, BuildAPyramid) {
  const auto stages = plan_stages(Method::Robust, 100, 67, 1);
  ASSERT_EQ(stages.size(), 9u);
  EXPECT_EQ(stages[0].width, 25);
  EXPECT_EQ(stages[0].height, 17);
  EXPECT_EQ(stages[3].width, 50);
  EXPECT_EQ(stages[8].width, 100);
  const Image start = start_of(stages[3], constant_flow(25, 17, 1, 2));
  EXPECT_EQ(start.width, 50);
  EXPECT_NEAR(start.at(20, 20, 0), 2, 1e-6) << "pixels are half as wide";
  EXPECT_NEAR(start.at(20, 20, 1), 2 * 34.0 / 17, 1e-6);
}

TEST(OpticalFlow, HasEighteenEntriesAPixel) {
  const test::Made made = test::make("optical_flow", {{"size", 32}});
  EnergyEvaluator evaluator(made.energy, made.instance.binding);
  std::size_t entries = 0;
  for (std::size_t group = 0; group < made.energy.groups().size(); ++group) {
    for (const ResidualRow& row : evaluator.linearize(group, 32 * 9 + 7)) {
      entries += row.partials.size();
    }
  }
  EXPECT_EQ(entries, 18u);
}

TEST(OpticalFlow, AdvanceChangesSizesAndWeights) {
  test::Made made = test::make("optical_flow", {{"size", 64}, {"method", "robust"}});
  const auto extent = [&made] { return made.instance.binding.extents()[0]; };
  EXPECT_EQ(extent(), 32);
  int solves = 1;
  while (*made.problem->advance(made.instance, solves - 1, {})) {
    ++solves;
    ASSERT_TRUE(made.instance.binding.validate(made.energy));
  }
  EXPECT_EQ(extent(), 64);
  EXPECT_EQ(solves, 6);

  made = test::make("optical_flow", {{"size", 32}});
  const FieldId weight = made.energy.find_field("w_fitSqrt");
  EXPECT_DOUBLE_EQ(made.instance.binding.param(weight), std::sqrt(10.0));
  solves = 1;
  while (*made.problem->advance(made.instance, solves - 1, {})) ++solves;
  EXPECT_EQ(solves, 6);
  EXPECT_DOUBLE_EQ(made.instance.binding.param(weight), std::sqrt(50.0));
}

TEST(OpticalFlow, SaysWhatIsWrongWithItsInput) {
  EXPECT_THAT(test::error_of("optical_flow", {{"file", "a.png"}}), HasSubstr("second is missing"));
  EXPECT_THAT(test::error_of("optical_flow", {{"method", "robst"}}), HasSubstr("robust"));
}

}  // namespace
}  // namespace thallo::optical_flow
