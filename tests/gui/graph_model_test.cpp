#include "gui/graph/graph_model.h"

#include <algorithm>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <QFile>

#include "gui/graph/graph_fit.h"
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
  int expect_to_fit(const QStringList& problems);
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

// What is computed once a nonlinear iteration stands left of the cut, JtF with it. A direct solver
// makes no linear iterations, and has no cut.
void expect_sides(const gui::GraphSnapshot& graph) {
  for (const GraphNode& node : graph.nodes) {
    if (!graph.cut) {
      EXPECT_FALSE(node.isFar) << node.id.toStdString();
      continue;
    }
    if (node.isFar)
      EXPECT_GT(node.box.left(), *graph.cut) << node.id.toStdString();
    else
      EXPECT_LT(node.box.right(), *graph.cut) << node.id.toStdString();
  }
}

// The ends of an edge are at the boxes that it connects.
void expect_ends_at_its_nodes(const gui::GraphSnapshot& graph, const gui::GraphEdge& edge) {
  const GraphNode &from = graph.nodes[edge.from], &to = graph.nodes[edge.to];
  const std::string what = from.id.toStdString() + " to " + to.id.toStdString();
  EXPECT_TRUE(from.box.adjusted(-3, -3, 3, 3).contains(edge.spline.front())) << what;
  EXPECT_TRUE(to.box.adjusted(-3, -3, 3, 3).contains(edge.spline.back())) << what;
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
  schedule.change({{.construct = parts.construct, .groups = parts.groups}});
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
  EXPECT_TRUE(open.workspace.schedule().schedule().value->text.contains(before.siteName));
  EXPECT_NE(open.workspace.schedule().schedule().value->time.nonlinear, time);
}

TEST_F(GraphModelTest, StoresOnceWhenAskedTwiceAtOnce) {
  settle();
  gui::ScheduleModel& schedule = open.workspace.schedule();
  const GraphNode before = *some_intermediate();
  graph.storeNext(before);
  graph.storeNext(before);
  ASSERT_TRUE(wait_until([&] { return schedule.name() == "edited" && !schedule.isChanging(); }));
  settle();
  EXPECT_TRUE(some_intermediate()->isStored());
  schedule.history().undo();
  settle();
  EXPECT_FALSE(some_intermediate()->isStored()) << "there was one change";
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

// Two schedules of each problem, on a page as large as it is in a window of 1280 x 800. Returns how
// many of their graphs are small enough to be read at once.
int GraphModelTest::expect_to_fit(const QStringList& problems) {
  const QSizeF page(768, 660);
  int count = 0;
  for (const QString& problem : problems) {
    open.workspace.open({.problem = problem, .device = "h200"}, "default");
    graph.setPage(page);
    for (const char* name : {"default", "auto"}) {
      const std::string what = problem.toStdString() + ", " + name;
      settle();
      const auto& named = open.workspace.problems().problem().value->schedules;
      const auto schedule = std::ranges::find(named, name, &gui::NamedSchedule::name);
      if (schedule == named.end()) {
        ADD_FAILURE() << what << ": there is no such schedule";
        continue;
      }
      open.workspace.schedule().take(schedule->name, schedule->text);
      EXPECT_TRUE(wait_until([&] {
        return open.workspace.schedule().name() == name && !open.workspace.schedule().isChanging();
      }));
      settle();
      const gui::GraphSnapshot& shown = *graph.graph().value;
      EXPECT_FALSE(overlap(shown)) << what;
      expect_sides(shown);
      for (const GraphNode& its : shown.nodes)
        EXPECT_TRUE(shown.bounds.contains(its.box)) << what << its.id.toStdString();
      for (const gui::GraphEdge& edge : shown.edges) {
        expect_ends_at_its_nodes(shown, edge);
        for (const QPointF& point : edge.spline)
          EXPECT_TRUE(shownArea(shown).contains(point)) << what << " at " << point.y();
      }
      if (shown.nodes.size() > 40) continue;
      EXPECT_GE(scaleToShow(shown, page), gui::readableScale()) << what;
      ++count;
    }
  }
  return count;
}

TEST_F(GraphModelTest, FitsThePageWithNamesThatCanBeRead) {
  EXPECT_EQ(expect_to_fit({"curve_fit", "poisson_image_editing"}), 4);
}

// Opens all problems, and finds names and graphs of sizes that few have.
TEST_F(GraphModelTest, FitsThePageForEveryProblem) {
  ASSERT_TRUE(wait_until([this] { return open.workspace.problems().catalog().isReady(); }));
  QStringList problems;
  for (const gui::ProblemCard& card : open.workspace.problems().catalog().value->problems)
    problems.append(card.name);
  EXPECT_GE(expect_to_fit(problems), 28);
}

// A larger page has what it shows in fewer lines, and fills itself.
TEST_F(GraphModelTest, FitsAgainWhenThePageChanges) {
  settle();
  const auto used = [&](const QSizeF& page) {
    graph.setPage(page);
    QRectF all;
    for (const GraphNode& its : graph.graph().value->nodes) all |= its.box;
    const QSizeF shown = all.size() * scaleToShow(*graph.graph().value, page);
    EXPECT_LE(shown.width(), page.width());
    EXPECT_LE(shown.height(), page.height());
    return QSizeF(shown.width() / page.width(), shown.height() / page.height());
  };
  for (const QSizeF& page : {QSizeF(400, 900), QSizeF(768, 660), QSizeF(2000, 1300)}) {
    const QSizeF part = used(page);
    EXPECT_GT(std::max(part.width(), part.height()), 0.8);
    EXPECT_GT(std::min(part.width(), part.height()), 0.4);
    expect_sides(*graph.graph().value);
  }
}

// JtJp reads the unknowns in every linear iteration, which a nonlinear one has many of.
TEST_F(GraphModelTest, CountsTheBytesThatAnEdgeMoves) {
  settle();
  const gui::GraphSnapshot& shown = *graph.graph().value;
  const double iterations = open.workspace.problems().problem().value->linearIterations;
  int numCut = 0;
  for (const gui::GraphEdge& edge : shown.edges) {
    const GraphNode& from = shown.nodes[edge.from];
    EXPECT_EQ(edge.bytes > 0, from.isStored() && from.bytes.value_or(0) > 0);
    if (!edge.isCut) continue;
    EXPECT_DOUBLE_EQ(edge.bytes, iterations * from.bytes.value_or(0)) << from.id.toStdString();
    ++numCut;
  }
  EXPECT_GT(numCut, 0);
}

TEST_F(GraphModelTest, TogglesOneSlabAndLeavesTheOther) {
  settle();
  const GraphNode before = *some_intermediate();
  const std::vector<gui::GraphSlab> slabs = graph.slabsOf(before);
  ASSERT_EQ(slabs.size(), 2u);
  for (const gui::GraphSlab& slab : slabs) {
    EXPECT_FALSE(slab.isOn);
    EXPECT_TRUE(slab.isKnown());
    EXPECT_FALSE(slab.gain.isEmpty()) << slab.name.toStdString();
    EXPECT_TRUE(slab.tip().contains(slab.cost.change)) << slab.tip().toStdString();
  }
  graph.toggle(before, 1);
  ASSERT_TRUE(wait_until([&] { return open.workspace.schedule().name() == "edited"; }));
  settle();
  EXPECT_TRUE(some_intermediate()->storesGradient);
  EXPECT_FALSE(some_intermediate()->storesValue);
  graph.toggle(*some_intermediate(), 0);
  ASSERT_TRUE(wait_until([&] { return !open.workspace.schedule().isChanging(); }));
  settle();
  EXPECT_TRUE(some_intermediate()->storesGradient);
  EXPECT_TRUE(some_intermediate()->storesValue);
}

// The cut that is drawn while an edit is tried out is the one that it makes.
TEST_F(GraphModelTest, PreviewsTheCutThatAToggleMakes) {
  settle();
  const GraphNode before = *some_intermediate();
  const QString hash = open.workspace.schedule().schedule().value->hash;
  graph.tryToggle(before, 0);
  ASSERT_TRUE(wait_until([&] { return graph.preview() != nullptr; }));
  const gui::GraphPreview preview = *graph.preview();
  EXPECT_EQ(open.workspace.schedule().schedule().value->hash, hash) << "nothing is changed";
  ASSERT_TRUE(preview.changes.contains(before.id));
  EXPECT_TRUE(preview.changes.at(before.id).isStored);
  EXPECT_TRUE(preview.words().contains(before.name)) << preview.words().toStdString();
  open.workspace.schedule().endTrial();
  EXPECT_EQ(graph.preview(), nullptr);
  graph.toggle(before, 0);
  ASSERT_TRUE(wait_until([&] { return open.workspace.schedule().name() == "edited"; }));
  settle();
  std::set<std::pair<QString, QString>> cut;
  const gui::GraphSnapshot& then = *graph.graph().value;
  for (const gui::GraphEdge& edge : then.edges)
    if (edge.isCut) cut.emplace(then.nodes[edge.from].id, then.nodes[edge.to].id);
  EXPECT_EQ(preview.cut, cut);
  EXPECT_EQ(some_intermediate()->isFar, preview.changes.at(before.id).isFar);
}

TEST_F(GraphModelTest, DescribesANodeWithItsChoices) {
  settle();
  open.workspace.selection().select({gui::Selection::Kind::Node, some_intermediate()->id});
  const auto& inspection = open.workspace.inspector().current();
  ASSERT_TRUE(inspection.has_value());
  EXPECT_EQ(inspection->kind, "intermediate");
  EXPECT_EQ(inspection->sites.size(), 1u) << "what is stored of it";
  for (const auto& site : inspection->sites) EXPECT_GE(site.choices.size(), 2u);
  EXPECT_FALSE(inspection->code.isEmpty());
}

TEST(GraphOfADirectSolver, HasTheMatrixAndNothingOfLinearIterations) {
  OpenWorkspace open{{.problem = "bundle_adjustment", .device = "h200"}};
  const auto& graph = open.workspace.graph().graph();
  ASSERT_TRUE(wait_until([&] { return graph.isReady(); }));
  EXPECT_EQ(open.workspace.problems().problem().value->linearIterations, 0);
  EXPECT_TRUE(std::ranges::none_of(graph.value->nodes, &GraphNode::isFar));
  EXPECT_TRUE(std::ranges::none_of(graph.value->edges, &gui::GraphEdge::isCut));
  EXPECT_FALSE(graph.value->cut.has_value());
  EXPECT_EQ(std::ranges::count(graph.value->nodes, QString("JtJ"), &GraphNode::name), 1);
  EXPECT_EQ(std::ranges::count(graph.value->nodes, QString("JtJp"), &GraphNode::name), 0);
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
