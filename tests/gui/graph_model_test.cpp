#include "gui/graph/graph_model.h"

#include <algorithm>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <QFile>
#include <QSignalSpy>

#include "gui/graph/graph_layout.h"
#include "tests/gui/qt_environment.h"
#include "tests/support/temp_dir.h"

namespace thallo::test {
namespace {

using gui::GraphModel;
using gui::GraphNode;

class GraphModelTest : public testing::Test {
 protected:
  void settle() {
    ASSERT_TRUE(wait_until([this] {
      const auto& schedule = open.workspace.schedule().schedule();
      return graph.graph().isReady() && schedule.isReady() &&
             graph.graph().value->scheduleHash == schedule.value->hash &&
             open.workspace.schedule().sites().isReady() &&
             !open.workspace.analysisRunner().isBusy("weights");
    }));
  }
  const GraphNode* node(const char* id) {
    const auto& nodes = graph.graph().value->nodes;
    const auto found = std::ranges::find(nodes, QString(id), &GraphNode::id);
    return found == nodes.end() ? nullptr : &*found;
  }
  const GraphNode* some_intermediate() {
    const auto& nodes = graph.graph().value->nodes;
    const auto found = std::ranges::find(nodes, DagKind::Intermediate, &GraphNode::kind);
    return found == nodes.end() ? nullptr : &*found;
  }

  OpenWorkspace open{{.problem = "image_warping", .device = "h200"}};
  GraphModel& graph = open.workspace.graph();
};

bool overlap(const gui::GraphSnapshot& graph) {
  for (const GraphNode& a : graph.nodes)
    for (const GraphNode& b : graph.nodes)
      if (&a != &b && !a.isExpanded && !b.isExpanded && a.box.intersects(b.box)) return true;
  return false;
}

// What is computed once a nonlinear iteration stands left of the cut, JtF with it.
void expect_sides(const gui::GraphSnapshot& graph) {
  ASSERT_TRUE(graph.cut.has_value());
  for (const GraphNode& node : graph.nodes) {
    if (node.isFar)
      EXPECT_GT(node.box.left(), *graph.cut) << node.id.toStdString();
    else
      EXPECT_LT(node.box.right(), *graph.cut) << node.id.toStdString();
  }
}

// It has another name then.
TEST_F(GraphModelTest, FoldsAPartThatIsSplit) {
  settle();
  gui::ScheduleModel& schedule = open.workspace.schedule();
  gui::SiteGroups parts = schedule.sites().value->groups.front();
  const auto split = std::ranges::find_if(
      parts.groups, [](const QStringList& residuals) { return residuals.size() > 1; });
  ASSERT_NE(split, parts.groups.end());
  graph.setExpanded({"part:" + split->front().section('[', 0, 0)});
  settle();
  ASSERT_EQ(graph.graph().value->clusters.size(), 1u);
  parts.groups.push_back({split->takeLast()});
  schedule.change({.construct = parts.construct, .groups = parts.groups});
  ASSERT_TRUE(wait_until([&] { return schedule.name() == "edited" && !schedule.isChanging(); }));
  settle();
  EXPECT_TRUE(graph.graph().value->clusters.empty());
  schedule.history().undo();
  settle();
  EXPECT_EQ(graph.graph().value->clusters.size(), 1u) << "it is unfolded again";
}

// A graph that is under way is not shown for the schedule that came back meanwhile.
TEST_F(GraphModelTest, FollowsAChangeThatIsUndoneAtOnce) {
  settle();
  gui::ScheduleModel& schedule = open.workspace.schedule();
  const QString before = schedule.schedule().value->hash;
  graph.storeNext(*some_intermediate());
  ASSERT_TRUE(wait_until(
      [&] { return schedule.schedule().value->hash != before && !schedule.isChanging(); }));
  schedule.history().undo();
  settle();
  EXPECT_EQ(schedule.schedule().value->hash, before);
}

TEST_F(GraphModelTest, PlacesEveryNodeOnItsSideOfTheCut) {
  settle();
  const gui::GraphSnapshot& shown = *graph.graph().value;
  EXPECT_GT(shown.nodes.size(), 10u);
  EXPECT_FALSE(overlap(shown));
  EXPECT_TRUE(shown.notice.isEmpty()) << shown.notice.toStdString();
  for (const char* product : {"product:JtF", "product:fit.JtF"}) {
    ASSERT_NE(node(product), nullptr);
    EXPECT_FALSE(node(product)->isFar);
  }
  expect_sides(shown);
  for (const gui::GraphEdge& edge : shown.edges) EXPECT_GE(edge.spline.size(), 4u);
  for (const GraphNode& its : shown.nodes) EXPECT_TRUE(shown.bounds.contains(its.box));
}

TEST_F(GraphModelTest, StoresAnIntermediateWhichChangesTextTimeAndGraph) {
  settle();
  const GraphNode before = *some_intermediate();
  ASSERT_FALSE(before.isStored());
  const double time = open.workspace.schedule().schedule().value->time.nonlinear;
  graph.storeNext(before);
  ASSERT_TRUE(wait_until([&] { return open.workspace.schedule().name() == "edited"; }));
  settle();
  EXPECT_TRUE(some_intermediate()->isStored());
  EXPECT_TRUE(open.workspace.schedule().schedule().value->text.contains(before.name));
  EXPECT_NE(open.workspace.schedule().schedule().value->time.nonlinear, time);
}

// Green words above a node, and the tree of decisions, are of the same choice.
TEST_F(GraphModelTest, GainsWhatTheBestChoiceAtASiteOfTheNodeGains) {
  settle();
  int numGains = 0;
  for (const GraphNode& its : graph.graph().value->nodes) {
    std::optional<gui::Gain> best;
    for (const gui::SiteRow* site : graph.sitesOf(its)) best = std::max(best, gainAt(*site));
    const auto gain = graph.gainOf(its);
    ASSERT_EQ(gain.has_value(), best.has_value());
    if (!gain) continue;
    EXPECT_EQ(gain->share, best->share);
    ++numGains;
  }
  EXPECT_GT(numGains, 0);
}

TEST_F(GraphModelTest, ExpandsAPartInPlace) {
  settle();
  const std::size_t before = graph.graph().value->nodes.size();
  graph.toggleExpanded("part:fit");
  ASSERT_TRUE(wait_until([&] { return graph.graph().isReady(); }));
  EXPECT_GT(graph.graph().value->nodes.size(), before + 4);
  EXPECT_EQ(graph.graph().value->clusters.size(), 1u);
  EXPECT_FALSE(overlap(*graph.graph().value));
  graph.toggleExpanded("part:fit");
  ASSERT_TRUE(wait_until([&] { return graph.graph().isReady(); }));
  EXPECT_EQ(graph.graph().value->nodes.size(), before);
}

TEST_F(GraphModelTest, DrawsAnEdgeThatLeadsBackFromThePartToItsJtF) {
  settle();
  const gui::GraphSnapshot& shown = *graph.graph().value;
  const auto edge = std::ranges::find_if(shown.edges, [&](const gui::GraphEdge& candidate) {
    return shown.nodes[candidate.to].id == "product:fit.JtF";
  });
  ASSERT_NE(edge, shown.edges.end());
  const GraphNode &part = shown.nodes[edge->from], &product = shown.nodes[edge->to];
  EXPECT_LT(product.box.right(), part.box.left());
  // It begins at the part, and its arrow is at the product.
  const auto touches = [](const GraphNode& node, QPointF point) {
    return node.box.adjusted(-2, -2, 2, 2).contains(point);
  };
  EXPECT_TRUE(touches(part, edge->spline.front()));
  EXPECT_TRUE(touches(product, edge->spline.back()));
}

TEST_F(GraphModelTest, DescribesANodeWithItsChoices) {
  settle();
  const auto inspection = graph.describe(some_intermediate()->id);
  ASSERT_TRUE(inspection.has_value());
  EXPECT_EQ(inspection->kind, "intermediate");
  ASSERT_EQ(inspection->sites.size(), 1u);
  EXPECT_GE(inspection->sites.front().choices.size(), 2u);
  EXPECT_FALSE(inspection->code.isEmpty());
}

TEST_F(GraphModelTest, LaysOutInColumnsWithoutDot) {
  settle();
  gui::GraphSnapshot simple = *graph.graph().value;
  applyRankLayout(simple);
  EXPECT_FALSE(overlap(simple));
  traceCut(simple);
  expect_sides(simple);
  for (const gui::GraphEdge& edge : simple.edges) {
    const GraphNode &from = simple.nodes[edge.from], &to = simple.nodes[edge.to];
    if (from.isFar && !to.isFar) {
      EXPECT_GT(from.box.left(), to.box.right());
      EXPECT_EQ(edge.spline.front().x(), from.box.left());
      EXPECT_EQ(edge.spline.back().x(), to.box.right());
    } else {
      EXPECT_LT(from.box.right(), to.box.left());
    }
  }
}

TEST(DotProcess, TellsThatTheProgramIsNotThere) {
  gui::DotProcess dot("no_such_dot_program");
  std::optional<std::string> why;
  dot.layOut("digraph {}", [&](const Expected<QByteArray>& json) { why = json.error().message(); });
  ASSERT_TRUE(wait_until([&] { return why.has_value(); }));
  EXPECT_THAT(*why, testing::HasSubstr("no_such_dot_program was not found"));
}

TEST(DotProcess, EndsAProgramThatHangs) {
  const TempDir folder;
  const auto script = folder.write("hangs", "#!/bin/sh\nexec sleep 600\n");
  std::filesystem::permissions(script, std::filesystem::perms::owner_all);
  gui::DotProcess dot(QString::fromStdString(script.string()));
  dot.setTimeLimit(std::chrono::milliseconds(100));
  std::optional<std::string> why;
  dot.layOut("digraph {}", [&](const Expected<QByteArray>& json) { why = json.error().message(); });
  ASSERT_TRUE(wait_until([&] { return why.has_value(); }));
  EXPECT_THAT(*why, testing::HasSubstr("made no layout after"));
}

TEST(DotProcess, ForgetsALayoutThatAnotherReplaces) {
  gui::DotProcess dot;
  std::string made;
  dot.layOut("digraph { a }", [&](const Expected<QByteArray>&) { made += "first"; });
  dot.layOut("digraph { b }", [&](const Expected<QByteArray>& json) {
    made += json ? "second" : "none: " + json.error().message();
  });
  ASSERT_TRUE(wait_until([&] { return !made.empty(); }));
  EXPECT_EQ(made, "second");
}

}  // namespace
}  // namespace thallo::test
