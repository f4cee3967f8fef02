// Meshes and pose graphs: what the geometry problems read and generate.
#include <gmock/gmock.h>

#include <array>
#include <cmath>
#include <cstdint>

#include "core/base/log.h"
#include "core/base/mesh.h"
#include "core/energy/manifold.h"
#include "problems/arap_mesh_deformation/star.h"
#include "problems/cotangent_mesh_smoothing/roughness.h"
#include "problems/cotangent_mesh_smoothing/torus.h"
#include "problems/pose_graph/chi_squared.h"
#include "problems/pose_graph/graph_view.h"
#include "problems/pose_graph/information.h"
#include "problems/pose_graph/walk.h"
#include "tests/problems/loaded_problems.h"

namespace thallo {
namespace {

using testing::ElementsAre, testing::HasSubstr;

MeshEdges edges_of(const Mesh& mesh) {
  return directed_edges(mesh.triangles, static_cast<std::int64_t>(mesh.positions.size()));
}

// Euler: V - E + F; every edge has its two triangles.
void expect_closed(const Mesh& mesh, int characteristic) {
  const MeshEdges edges = edges_of(mesh);
  EXPECT_EQ(static_cast<int>(mesh.positions.size()) - static_cast<int>(edges.size() / 2) +
                static_cast<int>(mesh.triangles.size()),
            characteristic);
  for (std::size_t e = 0; e < edges.size(); ++e) {
    EXPECT_GE(edges.v2[e], 0);
    EXPECT_GE(edges.v3[e], 0);
  }
}

TEST(Star, IsClosed) {
  const Mesh star = arap_mesh_deformation::make_star(1).mesh;
  EXPECT_EQ(star.triangles.size(), 60u);
  expect_closed(star, 2);
}

TEST(Torus, IsClosedAndFaithfulWithoutNoise) {
  using namespace cotangent_mesh_smoothing;
  const Mesh torus = make_torus(12, 0, 1);
  EXPECT_EQ(torus.positions.size(), 72u);
  expect_closed(torus, 0);
  for (const auto& point : torus.positions) EXPECT_NEAR(distance_to_torus(point), 0, 1e-6);
}

// The cotangents of a triangle's angles, each times the square of the opposite side, add up to four
// times its area: where none is replaced, the energy is the area.
TEST(CotangentMeshSmoothing, StartsAtTheAreaOfTheSurface) {
  const test::Made made =
      test::make("cotangent_mesh_smoothing", {{"around", 24}, {"noise", 0.002}, {"reg_weight", 3}});
  const Mesh torus = cotangent_mesh_smoothing::make_torus(24, 0.002, 1);
  double area = 0;
  for (const Triangle& t : torus.triangles) {
    std::array<double, 3> u{};
    std::array<double, 3> v{};
    for (std::size_t c = 0; c < 3; ++c) {
      const auto corner = [&](std::size_t k) {
        return double{torus.positions[static_cast<std::size_t>(t[k])][c]};
      };
      u[c] = corner(1) - corner(0);
      v[c] = corner(2) - corner(0);
    }
    area += std::hypot(u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2],
                       u[0] * v[1] - u[1] * v[0]) /
            2;
  }
  EXPECT_NEAR(test::cost_of(made) / (2 * 3 * area), 1, 1e-9);
}

TEST(Roughness, IsTheAngleBetweenNeighboringTriangles) {
  Mesh fold;  // two triangles on the edge from 0 to 1, which has a right angle
  fold.positions = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, -1}};
  fold.triangles = {{0, 1, 2}, {1, 0, 3}};
  const auto bend = [&] {
    return cotangent_mesh_smoothing::bend_across_edges(edges_of(fold), fold.positions);
  };
  EXPECT_NEAR(bend(), 90, 1e-9);
  fold.positions[3] = {0.7, -2, 0};
  EXPECT_NEAR(bend(), 0, 1e-9) << "flat, however the triangles are formed";
  fold.positions[3] = {0, -1, 1};
  EXPECT_NEAR(bend(), 45, 1e-5) << "either way";
}

PoseGraph graph_with_information(std::vector<double> information) {
  PoseGraph graph;
  graph.ids = {0, 1};
  graph.edges = {{0, 1}};
  graph.information = std::move(information);
  return graph;
}

TEST(Information, IsTheSquareOfItsRootAndRepairedWithAWarning) {
  // Nothing is known about the angle.
  PoseGraph graph = graph_with_information({4, 2, 0, 2, 5, 0, 0, 0, 0});
  auto roots = pose_graph::information_roots("a.g2o", graph, pose_graph::Indefinite::Refuse);
  ASSERT_TRUE(roots) << roots.error().message();
  EXPECT_THAT(roots->edges, ElementsAre(2, 1, 0, 0, 2, 0, 0, 0, 0));
  EXPECT_EQ(roots->num_measured(graph), 2);
  // The negative eigenvalue, -1e-9, is small beside the information of the angle alone.
  LogCapture log;
  graph = graph_with_information({1e-9, 2e-9, 0, 2e-9, 1e-9, 0, 0, 0, 1e6});
  roots = pose_graph::information_roots("a.g2o", graph, pose_graph::Indefinite::Repair);
  ASSERT_TRUE(roots) << roots.error().message();
  EXPECT_EQ(roots->num_repaired, 1u);
  EXPECT_EQ(log.records().size(), 1u);
}

// Units change entries by factors: lengths in m, in mm and in km, with an angle sure to 1 mrad.
TEST(Information, DoesNotDependOnUnits) {
  const std::vector<double> root = {3, 1, 200, 0, 2, -300, 0, 0, 1000};
  for (const double length : {1.0, 1e-3, 1e3, 1e-6, 1e6, 1e-9}) {
    std::vector<double> scaled = root;
    for (std::size_t row = 0; row < 3; ++row)
      for (std::size_t column = 0; column < 2; ++column) scaled[3 * row + column] *= length;
    std::vector<double> information(9, 0.0);
    for (std::size_t i = 0; i < 9; ++i)
      for (std::size_t k = 0; k < 3; ++k)
        information[i] += scaled[3 * k + i / 3] * scaled[3 * k + i % 3];
    PoseGraph graph = graph_with_information(information);
    const auto roots =
        pose_graph::information_roots("a.g2o", graph, pose_graph::Indefinite::Refuse);
    ASSERT_TRUE(roots) << roots.error().message();
    EXPECT_EQ(roots->num_measured(graph), 3) << length;
    for (std::size_t i = 0; i < 9; ++i)
      EXPECT_NEAR(roots->edges[i], scaled[i], 1e-9 * std::abs(scaled[i])) << length << " " << i;
  }
  // A position that is nearly fixed, and an angle that is not; one as small as a float can be.
  for (const double small : {1.0, 1e-38}) {
    PoseGraph graph = graph_with_information({1e12, 0, 0, 0, 1e12, 0, 0, 0, small});
    const auto roots =
        pose_graph::information_roots("a.g2o", graph, pose_graph::Indefinite::Refuse);
    ASSERT_TRUE(roots) << roots.error().message();
    EXPECT_DOUBLE_EQ(roots->edges[8], std::sqrt(small));
  }
}

TEST(Information, IsRepairedOrRefusedWhereItIsNone) {
  // Eigenvalues 3, -1 and 1; the nearest semidefinite matrix has 3, 0 and 1.
  PoseGraph graph = graph_with_information({1, 2, 0, 2, 1, 0, 0, 0, 1});
  const auto refused =
      pose_graph::information_roots("a.g2o", graph, pose_graph::Indefinite::Refuse);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message(), HasSubstr("edge 1 (0 to 1)"));

  LogCapture log;
  graph = graph_with_information({1, 2, 0, 2, 1, 0, 0, 0, 1});
  const auto roots = pose_graph::information_roots("a.g2o", graph, pose_graph::Indefinite::Repair);
  ASSERT_TRUE(roots) << roots.error().message();
  EXPECT_EQ(roots->num_repaired, 1u);
  EXPECT_EQ(roots->num_measured(graph), 2);
  EXPECT_THAT(graph.information,
              ::testing::Pointwise(::testing::DoubleNear(1e-12),
                                   {1.5, 1.5, 0.0, 1.5, 1.5, 0.0, 0.0, 0.0, 1.0}));
  ASSERT_EQ(log.records().size(), 1u);
  EXPECT_THAT(log.records()[0].text, HasSubstr("first that of edge 1 (0 to 1)"));
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      double product = 0;
      for (std::size_t k = 0; k < 3; ++k)
        product += roots->edges[3 * k + i] * roots->edges[3 * k + j];
      EXPECT_NEAR(product, graph.information[3 * i + j], 1e-12);
    }
  }
}

// A square of four poses with a diagonal is measured 5 times; of its 12 unknowns 3 are held, by the
// first pose, by a prior (3 more numbers), or not at all. What nothing measures does not count.
TEST(ChiSquared, CountsWhatIsDetermined) {
  PoseGraph graph;
  graph.ids = {0, 1, 2, 3};
  graph.edges = {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {0, 2}};
  const auto freedom = [&](std::int64_t num_measured) {
    return pose_graph::chi_squared_of(graph, num_measured, 1)->freedom;
  };
  EXPECT_EQ(freedom(15), 6);
  graph.fixed = {0};
  EXPECT_EQ(freedom(15), 6);
  graph.ids.push_back(4);
  graph.landmarks.ids = {9};
  EXPECT_EQ(freedom(15), 6);
  graph.fixed.clear();
  graph.priors.vertices = {2};
  EXPECT_EQ(freedom(18), 6);
  graph.sightings.edges = {{0, 0}, {1, 0}};
  EXPECT_EQ(freedom(22), 8);
  EXPECT_FALSE(pose_graph::chi_squared_of(graph, 14, 1));
}

// Without noise the measurements lead from each pose to the next, and loops close.
TEST(Walk, MeasuresTheTruth) {
  for (const int dimension : {2, 3}) {
    const auto walk = pose_graph::make_walk({.dimension = dimension,
                                             .rounds = 3,
                                             .poses_a_round = 8,
                                             .position_noise = 1e-12,
                                             .angle_noise = 1e-12});
    const PoseGraph& graph = walk.graph;
    EXPECT_EQ(graph.num_vertices(), 24u);
    EXPECT_GT(graph.num_edges(), 23u);
    const Manifold manifold = dimension == 2 ? Manifold::SE2 : Manifold::SE3;
    const std::size_t size = graph.pose_size();
    for (std::size_t i = 0; i < graph.num_vertices(); ++i) {
      EXPECT_TRUE(is_point(manifold, std::span(graph.poses).subspan(size * i, size)));
    }
    for (std::size_t e = 0; e < graph.num_edges(); ++e) {
      // The translation part of plus() is that of a composition.
      std::vector<double> step(graph.tangent_size());
      for (std::size_t c = 0; c < static_cast<std::size_t>(dimension); ++c) {
        step[c] = graph.measurements[size * e + c];
      }
      const auto from = static_cast<std::size_t>(graph.edges[e][0]);
      const auto to = static_cast<std::size_t>(graph.edges[e][1]);
      const auto reached =
          plus(manifold, std::span(walk.true_poses).subspan(size * from, size), step);
      for (std::size_t c = 0; c < static_cast<std::size_t>(dimension); ++c) {
        EXPECT_NEAR(reached[c], walk.true_poses[size * to + c], 1e-9);
        EXPECT_NEAR(graph.poses[size * to + c], walk.true_poses[size * to + c], 1e-9);
      }
    }
  }
}

TEST(GraphView, DrawsBothWalks) {
  const auto walk = pose_graph::make_walk({.dimension = 3, .rounds = 4, .poses_a_round = 12});
  PoseGraph after = walk.graph;
  after.poses = walk.true_poses;
  const Image image = pose_graph::draw_graphs(walk.graph, after);
  for (const int begin : {0, image.width / 2 + 4}) {
    int inked = 0;
    for (int y = 0; y < image.height; ++y) {
      for (int x = begin; x < begin + image.width / 2 - 4; ++x) inked += image.at(x, y, 1) < 0.9f;
    }
    EXPECT_GT(inked, 500);
  }
}

}  // namespace
}  // namespace thallo
