#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "core/base/mesh.h"
#include "core/energy/evaluate/evaluator.h"
#include "problems/face_fitting/drawn_face.h"
#include "problems/face_fitting/face_model.h"
#include "problems/face_fitting/ict_model.h"
#include "tests/problems/loaded_problems.h"
#include "tests/support/data.h"

namespace thallo::face_fitting {
namespace {

using testing::ElementsAre, testing::HasSubstr;

TEST(DrawnFace, HasTheSizesAskedFor) {
  const FaceModel model = make_face(9, 7);
  EXPECT_EQ(model.num_vertices(), 9u * 12);
  EXPECT_EQ(model.average.triangles.size(), 2u * 8 * 11);
  EXPECT_EQ(model.num_shapes(), 7u);
  EXPECT_THAT(model.is_expression, ElementsAre(false, false, false, false, false, true, true));
  EXPECT_EQ(model.displacements.size(), 3u * 7 * 9 * 12);
  EXPECT_NEAR(diagonal(model.average.positions), 2, 1e-5);
  for (const auto& normal : vertex_normals(model.average.triangles, model.average.positions)) {
    EXPECT_GT(normal[2], 0) << "it faces the camera";
  }
}

TEST(FaceModel, DeformsByItsWeights) {
  FaceModel model;
  model.average.positions = {{0, 0, 0}, {1, 0, 0}};
  model.displacements = {0, 1, 0, 0, 0, 0,  // shape 0 lifts the first vertex
                         0, 0, 2, 0, 0, 2};
  model.is_expression = {true, false};
  const auto vertices = deform(model, std::vector{3.0, -0.5});
  EXPECT_THAT(vertices[0], ElementsAre(0, 3, -1));
  EXPECT_THAT(vertices[1], ElementsAre(1, 0, -1));
  EXPECT_DOUBLE_EQ(distance(model, std::vector{1.0, 0.0}, std::vector{0.0, 0.0}), std::sqrt(0.5));
}

TEST(FaceModel, IsSeenWithNoiseAndGaps) {
  const FaceModel model = make_face(30, 6);
  const std::vector<double> weights = draw_weights(model, 3);
  const auto exact = observe(model, weights, {});
  EXPECT_EQ(reprojection_error(model, weights, exact), 0);
  EXPECT_GT(reprojection_error(model, std::vector<double>(6), exact), 1);
  const auto seen = observe(model, weights, {.noise = 2, .missing = 0.25, .seed = 5});
  EXPECT_NEAR(reprojection_error(model, weights, seen), 2 * std::sqrt(2), 0.2);
  const auto unseen = std::ranges::count_if(seen, [](double c) { return std::isinf(c); });
  EXPECT_NEAR(static_cast<double>(unseen), 0.25 * 2400, 120);
}

// Two vertices and three shapes, the first and the last of which are identities.
std::string ict_text(int num_vertices) {
  std::string text = "ICTBLEND 1\nsource test\nvertices " + std::to_string(num_vertices) +
                     "  (of the mesh)\nshapes 3\nshape identity000\nshape jawOpen\n"
                     "shape identity001\ndata\n";
  std::vector<std::int32_t> deltas(static_cast<std::size_t>(3 * 3 * num_vertices));
  std::iota(deltas.begin(), deltas.end(), 1);
  for (std::int32_t& delta : deltas) delta *= 1'000'000;
  text.append(reinterpret_cast<const char*>(deltas.data()), deltas.size() * sizeof(deltas[0]));
  return text;
}

TEST(IctModel, TakesIdentitiesBeforeExpressions) {
  Mesh neutral;
  neutral.positions = {{-1, 0, 0}, {1, 0, 0}, {9, 9, 9}};  // of which two are in the file
  neutral.triangles = {{0, 1, 2}};
  const auto model = parse_ict_model("a.bin", ict_text(2), neutral, 140);
  ASSERT_TRUE(model) << model.error().message();
  EXPECT_EQ(model->num_vertices(), 2u);
  EXPECT_TRUE(model->average.triangles.empty());
  EXPECT_THAT(model->is_expression, ElementsAre(false, false, true));
  EXPECT_THAT(model->displacements,
              ElementsAre(1, 2, 3, 4, 5, 6, 13, 14, 15, 16, 17, 18, 7, 8, 9, 10, 11, 12));
  EXPECT_EQ(parse_ict_model("a.bin", ict_text(2), neutral, 1)->num_shapes(), 1u);
}

TEST(IctModel, SaysWhatIsWrongWithItsFiles) {
  Mesh neutral;
  neutral.positions = {{-1, 0, 0}, {1, 0, 0}};
  const auto message = [&](const std::string& text) {
    const auto model = parse_ict_model("a.bin", text, neutral, 140);
    return model ? "no error" : model.error().message();
  };
  EXPECT_THAT(message("hello"), AllOf(HasSubstr("a.bin:1"), HasSubstr("ICTBLEND 1")));
  EXPECT_THAT(message("ICTBLEND 1\nvertices many\nshape a\ndata\n"),
              AllOf(HasSubstr("a.bin:2"), HasSubstr("many")));
  EXPECT_THAT(message("ICTBLEND 1\nvertices 2\ndata\n"), HasSubstr("0 shapes"));
  EXPECT_THAT(message(ict_text(3)), AllOf(HasSubstr("3 vertices"), HasSubstr("has 2")));
  EXPECT_THAT(message(ict_text(2).substr(0, 120)), HasSubstr("truncated"));
}

TEST(IctModel, OfTheDataHasThePublishedSize) {
  THALLO_REQUIRE_DATA(file, "blendshapes/ict_deltas_head11248.bin.xz");
  const auto model = read_ict_model(file, PublishedShapes);
  ASSERT_TRUE(model) << model.error().message();
  EXPECT_EQ(model->num_vertices(), 11248u);
  EXPECT_EQ(model->num_shapes(), 140u);
  EXPECT_EQ(std::ranges::count(model->is_expression, true), 57);
  EXPECT_FALSE(model->is_expression[69]);
  EXPECT_TRUE(model->is_expression[70]);
}

// The camera in the energy is that in C++, and the Sum adds up what deform() does.
TEST(FaceFitting, CostsOnlyItsWeightsAtTheTruthWithTwoEntriesAVertexAndShape) {
  test::Made made =
      test::make("face_fitting", {{"across", 5}, {"shapes", 6}, {"noise", 0.0}, {"missing", 0.2}});
  const std::vector<double> truth = draw_weights(make_face(5, 6), 1);
  EXPECT_GT(test::cost_of(made), 100);
  ASSERT_TRUE(made.instance.binding.set_field("BlendshapeWeights", truth));
  const double squares = std::inner_product(truth.begin(), truth.end(), truth.begin(), 0.0);
  EXPECT_NEAR(test::cost_of(made), 0.5 * 0.001 * squares, 1e-9);
  made = test::make("face_fitting", {{"across", 4}, {"shapes", 6}, {"missing", 0.0}});
  EnergyEvaluator evaluator(made.energy, made.instance.binding);
  std::size_t entries = 0;
  for (const ResidualRow& row : evaluator.linearize(0, 3)) entries += row.partials.size();
  EXPECT_EQ(entries, 2u * 6);
}

}  // namespace
}  // namespace thallo::face_fitting
