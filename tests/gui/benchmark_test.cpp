// What `thallo-explorer --benchmark` says of its targets, and the data that it makes up.
#include <set>

#include <gtest/gtest.h>

#include "gui/app/benchmark_data.h"
#include "gui/app/benchmark_targets.h"

namespace thallo::test {
namespace {

using gui::BenchmarkTarget;

TEST(BenchmarkTargets, KeepTheWorst) {
  BenchmarkTarget edit{.what = "edit", .limit = 100};
  EXPECT_FALSE(edit.isMet()) << "what was never measured is not met";
  edit.add(20, "pose_graph");
  edit.add(10, "curve_fit");
  edit.add(std::nullopt, "image_warping");
  EXPECT_EQ(edit.measured, 20);
  EXPECT_EQ(edit.where, "pose_graph");
  EXPECT_TRUE(edit.isMet());
  BenchmarkTarget pan{.what = "pan", .limit = 30, .unit = "fps", .isAtLeast = true};
  pan.add(60);
  EXPECT_TRUE(pan.isMet());
  pan.add(29);
  EXPECT_EQ(pan.measured, 29);
  EXPECT_FALSE(pan.isMet());
}

TEST(BenchmarkTargets, NameWhatIsMissed) {
  std::vector<BenchmarkTarget> targets = {{.what = "edit", .limit = 100},
                                          {.what = "memory", .limit = 500, .unit = "MB"}};
  targets[0].add(20, "pose_graph");
  targets[1].add(100);
  const QString met = targetsText(targets);
  EXPECT_TRUE(met.contains("all targets are met")) << met.toStdString();
  EXPECT_TRUE(met.contains("20.0 ms met (pose_graph)")) << met.toStdString();
  targets[1].add(600);
  const QString missed = targetsText(targets);
  EXPECT_TRUE(missed.contains("missed: memory\n")) << missed.toStdString();
  EXPECT_TRUE(missed.contains("600 MB MISSED")) << missed.toStdString();
}

TEST(BenchmarkData, RepeatsAGraphWithoutOverlaps) {
  gui::GraphSnapshot graph;
  for (int i = 0; i < 3; ++i)
    graph.nodes.push_back({.id = QString::number(i), .box = QRectF(0, 50 * i, 40, 30)});
  graph.edges.push_back({.from = 0, .to = 2, .spline = {QPointF(20, 30), QPointF(20, 100)}});
  graph.bounds = QRectF(0, 0, 40, 130);
  const auto many = gui::manyNodes(graph, 20);
  ASSERT_EQ(many->nodes.size(), 20u);
  EXPECT_EQ(many->edges.size(), 6u) << "the last copy lacks the node that its edge ends at";
  std::set<QString> ids;
  for (std::size_t i = 0; i < many->nodes.size(); ++i) {
    ids.insert(many->nodes[i].id);
    EXPECT_TRUE(many->bounds.contains(many->nodes[i].box));
    for (std::size_t k = 0; k < i; ++k)
      EXPECT_FALSE(many->nodes[i].box.intersects(many->nodes[k].box)) << i << ' ' << k;
  }
  EXPECT_EQ(ids.size(), 20u);
  for (const gui::GraphEdge& edge : many->edges)
    EXPECT_EQ(edge.spline.front(), many->nodes[edge.from].box.center() + QPointF(0, 15));
}

}  // namespace
}  // namespace thallo::test
