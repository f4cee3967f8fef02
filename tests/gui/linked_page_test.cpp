// Energy, graph, schedule, kernels and time strip light up together.
#include "gui/app/linked_page.h"

#include <algorithm>
#include <memory>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <QComboBox>
#include <QPlainTextEdit>
#include <QTest>
#include <QTextBlock>

#include "gui/app/main_window.h"
#include "gui/workspace/links.h"
#include "tests/gui/qt_environment.h"
#include "tests/support/scoped_env.h"
#include "tests/support/temp_dir.h"

namespace thallo::test {
namespace {

using gui::Selection;
using ::testing::Contains;
using ::testing::IsEmpty;

gui::Selection line_selection(int line) { return {Selection::Kind::Line, QString::number(line)}; }

// Two parts that share an intermediate of line 3; only the first one reads what line 4 says.
gui::GraphSnapshot small_graph() {
  gui::GraphSnapshot graph{.scheduleHash = "now"};
  const auto add = [&graph](const char* id, DagKind kind, const char* site,
                            std::vector<int> lines) {
    graph.nodes.push_back({.id = id, .kind = kind, .lines = std::move(lines), .siteName = site});
  };
  add("field:X", DagKind::Unknown, "", {2});
  add("intermediate:bend", DagKind::Intermediate, "bend", {3});
  add("part:fit", DagKind::Part, "fit", {4, 6});
  add("part:reg", DagKind::Part, "reg", {5, 6});
  add("product:fit.JtJp", DagKind::Product, "fit.JtJp", {});
  return graph;
}

gui::KernelSnapshot kernels_of(const char* hash) {
  gui::KernelSnapshot kernels{.scheduleHash = hash};
  const auto add = [&kernels](const char* label, std::vector<std::vector<int>> lines) {
    kernels.rows.emplace_back();
    kernels.rows.back().facts.label = label;
    kernels.rows.back().linesOf = std::move(lines);
  };
  add("apply_jtjp [fit]", {{}, {3, 4}, {}});
  add("apply_jtjp [reg]", {{3}, {5}});
  add("jtf [fit]", {{}, {}});
  return kernels;
}

TEST(LinkedParts, OfALineAreTheNodesSitesAndKernelsThatComeFromIt) {
  const gui::GraphSnapshot graph = small_graph();
  const gui::KernelSnapshot kernels = kernels_of("now");
  const gui::LinkedParts of_fit = gui::linkedParts(line_selection(4), graph, &kernels);
  EXPECT_EQ(of_fit.nodes, std::set<QString>({"part:fit"}));
  EXPECT_TRUE(of_fit.hasSite("strategy@fit"));
  EXPECT_FALSE(of_fit.hasSite("strategy@reg"));
  EXPECT_EQ(of_fit.steps, std::set<QString>({"apply_jtjp [fit]"}));
  EXPECT_FALSE(of_fit.hasStep("jtf [fit]"));
  const gui::LinkedParts of_bend = gui::linkedParts(line_selection(3), graph, &kernels);
  EXPECT_EQ(of_bend.steps, std::set<QString>({"apply_jtjp [fit]", "apply_jtjp [reg]"}));
  EXPECT_THAT(gui::linkedParts(line_selection(9), graph, &kernels).nodes, IsEmpty());
}

TEST(LinkedParts, GoByPartsWhileKernelsAreThoseOfAnotherSchedule) {
  const gui::GraphSnapshot graph = small_graph();
  const gui::KernelSnapshot before = kernels_of("before");
  const gui::LinkedParts linked = gui::linkedParts(line_selection(4), graph, &before);
  EXPECT_TRUE(linked.hasStep("jtf [fit]"));
  EXPECT_FALSE(linked.hasStep("jtf [reg]"));
  EXPECT_FALSE(linked.hasStep("update"));
}

TEST(LinkedParts, OfANodeASiteAndAStepHaveTheirLines) {
  const gui::GraphSnapshot graph = small_graph();
  const gui::KernelSnapshot kernels = kernels_of("now");
  const auto linked = [&](Selection::Kind kind, const char* id) {
    return gui::linkedParts({kind, id}, graph, &kernels);
  };
  EXPECT_EQ(linked(Selection::Kind::Node, "part:fit").lines, std::set<int>({4, 6}));
  EXPECT_TRUE(linked(Selection::Kind::Node, "product:fit.JtJp").hasStep("jtf [fit]"));
  EXPECT_EQ(linked(Selection::Kind::Node, "intermediate:bend").steps.size(), 2u);
  EXPECT_EQ(linked(Selection::Kind::Site, "materialize@bend").lines, std::set<int>({3}));
  const gui::LinkedParts step = linked(Selection::Kind::Step, "apply_jtjp [fit]");
  EXPECT_EQ(step.lines, std::set<int>({3, 4}));
  EXPECT_EQ(step.nodes, std::set<QString>({"part:fit", "intermediate:bend"}));
  EXPECT_FALSE(step.hasStep("jtf [fit]"));
}

TEST(KernelToShow, StaysAtAKernelThatBelongs) {
  const gui::GraphSnapshot graph = small_graph();
  const gui::KernelSnapshot kernels = kernels_of("now");
  const auto shown = [&](const Selection& selection, const char* before) {
    return gui::kernelToShow(selection, gui::linkedParts(selection, graph, &kernels), kernels,
                             before);
  };
  EXPECT_EQ(shown(line_selection(3), "apply_jtjp [reg]"), "apply_jtjp [reg]");
  EXPECT_EQ(shown(line_selection(5), "apply_jtjp [fit]"), "apply_jtjp [reg]");
  EXPECT_EQ(shown(line_selection(9), "gone"), "apply_jtjp [fit]");
  EXPECT_EQ(shown({Selection::Kind::Step, "jtf [fit]"}, "apply_jtjp [reg]"), "jtf [fit]");
}

// The window with the page, and a problem whose energy has one line for the difference of all
// residuals and one for each of them.
class LinkedPageTest : public testing::Test {
 protected:
  // Kernels are compiled by the first test.
  struct Cache {
    TempDir folder;
    ScopedEnv variable{"THALLO_CACHE_DIR", folder.path().c_str()};
  };
  static void SetUpTestSuite() { cache = std::make_unique<Cache>(); }
  static void TearDownTestSuite() { cache.reset(); }
  static inline std::unique_ptr<Cache> cache;

  LinkedPageTest() {
    window.resize(1440, 900);
    window.showPage("linked");
    window.show();
    const bool is_settled = wait_until([this] { return window.currentPage().isSettled(); });
    EXPECT_TRUE(is_settled) << window.currentPage().message().toStdString();
  }
  QPlainTextEdit& energy() { return *page().findChild<QPlainTextEdit*>("linkedEnergy"); }
  QPlainTextEdit& kernel() { return *page().findChild<QPlainTextEdit*>("kernelText"); }
  gui::Page& page() { return window.currentPage(); }
  int line_with(const char* text) { return energy().document()->find(text).blockNumber() + 1; }
  const gui::LinkedParts& linked() { return open.workspace.links().linked(); }
  gui::SelectionModel& selection() { return open.workspace.selection(); }

  OpenWorkspace open{small_poisson("cpu")};
  gui::MainWindow window{open.workspace};
};

TEST_F(LinkedPageTest, AClickOnALineLightsItsNodesDirectivesKernelLinesAndSteps) {
  const int line = line_with("local difference");
  energy().setTextCursor(QTextCursor(energy().document()->findBlockByNumber(line - 1)));
  energy().centerCursor();
  QTest::mouseClick(energy().viewport(), Qt::LeftButton, {}, energy().cursorRect().center());
  ASSERT_EQ(selection().current(), line_selection(line));
  EXPECT_THAT(linked().nodes, Contains(QString("part:reg_right")));
  EXPECT_FALSE(linked().steps.empty());
  EXPECT_FALSE(kernel().extraSelections().isEmpty());
  EXPECT_LT(kernel().extraSelections().size(), kernel().blockCount() / 2);
  EXPECT_EQ(energy().extraSelections().size(), 1);
  ASSERT_TRUE(open.workspace.inspector().current().has_value());
  EXPECT_TRUE(open.workspace.inspector().current()->code.startsWith("local difference"));
}

TEST_F(LinkedPageTest, ALineOfAKernelLeadsBackToTheEnergyByMouseAndKeys) {
  selection().select(line_selection(line_with("return Select")));
  ASSERT_FALSE(kernel().extraSelections().isEmpty());
  selection().select(line_selection(line_with("local difference")));
  const int lit = kernel().extraSelections().front().cursor.blockNumber();
  kernel().setTextCursor(QTextCursor(kernel().document()->findBlockByNumber(lit)));
  kernel().centerCursor();
  QTest::mouseClick(kernel().viewport(), Qt::LeftButton, {}, kernel().cursorRect().center());
  EXPECT_EQ(selection().current().kind, Selection::Kind::Line);
  EXPECT_THAT(linked().lines, Contains(selection().current().id.toInt()));
  energy().setFocus();
  energy().setTextCursor(
      QTextCursor(energy().document()->findBlockByNumber(line_with("reg_left") - 1)));
  QTest::keyClick(&energy(), Qt::Key_Up);
  EXPECT_EQ(selection().current(), line_selection(line_with("reg_right")));
}

TEST_F(LinkedPageTest, ShowsTheKernelThatIsSelected) {
  auto* steps = page().findChild<QComboBox*>("linkedStep");
  ASSERT_GT(steps->count(), 2);
  steps->setCurrentIndex(2);
  const QString label = steps->currentData().toString();
  Q_EMIT steps->activated(2);
  EXPECT_EQ(selection().current(), (Selection{Selection::Kind::Step, label}));
  EXPECT_TRUE(kernel().toPlainText().contains(gui::roleOf(label) + '('));
  EXPECT_TRUE(kernel().extraSelections().isEmpty());
}

}  // namespace
}  // namespace thallo::test
