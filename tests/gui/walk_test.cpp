// The path of a person who comes back: open a problem, change the schedule at the graph, follow
// moves and measure, explore with a pause, take the best, compare it with the command line, solve
// with it, save the session, quit, and find everything as it was left. Meanwhile a meter looks at
// how long the window's thread works at a stretch.
#include <optional>

#include <gtest/gtest.h>
#include <QLineEdit>
#include <QListView>
#include <QTableView>
#include <QTest>
#include <nlohmann/json.hpp>

#include "gui/graph/view/graph_page.h"
#include "gui/space/candidate_table.h"
#include "tests/gui/block_meter.h"
#include "tests/gui/walk_driver.h"
#include "tests/support/subprocess.h"
#include "tests/support/temp_dir.h"

namespace thallo::test {
namespace {

using gui::GraphNode;
using State = gui::ExplorationModel::State;

class Walk : public testing::Test {
 public:
  Walk() {
    app.emplace(path("shelf"), path("walk.store"));
    meter.excuse();
  }
  QString path(const char* name) const {
    return QString::fromStdString((folder.path() / name).string());
  }

  // The steps, in their order.
  void open_a_problem();
  void store_an_intermediate();
  void follow_moves() { app->follow_moves_and_measure(); }
  void explore();
  void take_the_best();
  void compare_with_the_command_line();
  void solve();
  void come_back();

  TempDir folder;
  std::optional<WalkDriver> app;
  BlockMeter meter;
};

// A small one, by its card and the form of its options.
void Walk::open_a_problem() {
  app->activate();
  ASSERT_TRUE(wait_until([this] { return app->workspace.problems().catalog().isReady(); }));
  app->type(app->child<QLineEdit>("problemSearch"), "image_warping");
  auto& cards = app->child<QListView>("problemCards");
  ASSERT_TRUE(wait_until([&] { return cards.model()->rowCount() == 1; }));
  QTest::mouseClick(cards.viewport(), Qt::LeftButton, {},
                    cards.visualRect(cards.model()->index(0, 0)).center());
  app->fill("option_size", "16");
  app->fill("option_solves", "1");
  app->click("openProblem");
  ASSERT_TRUE(wait_until([this] { return app->workspace.problems().problem().isReady(); }));
  app->settle();
  EXPECT_EQ(app->workspace.problems().problem().value->backend, "cpu");
}

// By a click at its slab, and then a part is unfolded by a double click.
void Walk::store_an_intermediate() {
  app->show_page("Graph");
  const QString time = app->time(), text = app->text();
  auto* view = app->child<gui::GraphView>("graphView").viewport();
  const GraphNode* node = app->node(DagKind::Intermediate, [](const GraphNode&) { return true; });
  ASSERT_NE(node, nullptr);
  QTest::mouseClick(view, Qt::LeftButton, {}, app->place_of(*node, true));
  ASSERT_TRUE(wait_until([this] { return app->schedule().name() == "edited"; }));
  app->settle();
  EXPECT_NE(app->time(), time);
  EXPECT_NE(app->text(), text);
  EXPECT_FALSE(app->time().contains("measured")) << app->time().toStdString();

  const GraphNode* part =
      app->node(DagKind::Part, [](const GraphNode& its) { return its.canExpand; });
  ASSERT_NE(part, nullptr);
  QTest::mouseDClick(view, Qt::LeftButton, {}, app->place_of(*part, false));
  ASSERT_TRUE(wait_until([this] {
    const auto& graph = app->workspace.graph().graph();
    return graph.isReady() && graph.value->clusters.size() == 1;
  }));
}

void Walk::explore() {
  app->show_page("Space");
  app->fill("exploreSamples", "10");
  app->choose("exploreSpace", "published");
  app->fill("exploreBudget", "0");
  app->fill("exploreWorkers", "2");
  app->click("exploreButton");
  const gui::ExplorationModel& exploration = app->workspace.space().exploration();
  ASSERT_TRUE(wait_until([&] { return exploration.progress().done > 3; }));
  app->click("pauseButton");
  ASSERT_TRUE(wait_until([&] { return exploration.state() == State::Paused; }));
  app->click("pauseButton");
  ASSERT_TRUE(
      wait_until([&] { return exploration.state() == State::Done; }, std::chrono::seconds(240)))
      << exploration.error().toStdString();
  EXPECT_EQ(exploration.settings().samples, 10);
  ASSERT_TRUE(wait_until([this] { return app->workspace.space().space().isReady(); }));
  EXPECT_GE(app->workspace.space().space().value->size(), 10u);
}

// The first row of the table.
void Walk::take_the_best() {
  const gui::SpaceSnapshot& space = *app->workspace.space().space().value;
  auto& table = app->child<QTableView>("candidateTable");
  ASSERT_EQ(table.model()->rowCount(), static_cast<int>(space.size()));
  const QModelIndex first = table.model()->index(0, 0);
  const QString best = space.hash[*space.best()];
  EXPECT_EQ(first.data(gui::CandidateTable::HashRole).toString(), best);
  table.scrollTo(first);
  QTest::mouseClick(table.viewport(), Qt::LeftButton, {}, table.visualRect(first).center());
  ASSERT_TRUE(wait_until([&] { return app->hash() == best; }));
  app->settle();
  EXPECT_TRUE(app->time().contains("measured")) << app->time().toStdString();
}

void Walk::compare_with_the_command_line() {
  const ProcessResult report =
      run_process({THALLO_PROGRAM, "report", "image_warping", "--size", "16", "--solves", "1",
                   "--json", "--store", path("walk.store").toStdString()},
                  {"THALLO_LOG=warn"});
  ASSERT_EQ(report.exit_code, 0) << report.err;
  const auto json = nlohmann::json::parse(report.out);
  meter.excuse();
  const gui::SpaceSnapshot& space = *app->workspace.space().space().value;
  EXPECT_EQ(json["fastest"].front().get<std::string>(), space.hash[*space.best()].toStdString());
  bool has_best = false;
  for (const auto& mark : json["marks"]) {
    if (mark["name"] != "best") continue;
    has_best = true;
    EXPECT_DOUBLE_EQ(mark["seconds"].get<double>(), space.seconds[*space.best()]);
  }
  EXPECT_TRUE(has_best);
}

void Walk::solve() {
  app->show_page("Solve");
  app->choose("backend", "cpu");
  app->fill("solverOptions", "nIterations=1 lIterations=5");
  app->click("solveButton");
  const auto& runs = app->workspace.solve().runs();
  ASSERT_TRUE(wait_until([&] { return runs.isReady(); }, std::chrono::seconds(120)))
      << runs.error.toStdString();
  const gui::SolveRun& run = runs.value->runs.back();
  EXPECT_EQ(run.scheduleText, app->text());
  EXPECT_LT(run.finalCost, run.initialCost);
}

// Saves the session, quits, starts the app again and opens the session.
void Walk::come_back() {
  ASSERT_TRUE(app->window.saveSession(path("walk.thallo-session")));
  gui::SessionData left = app->workspace.session();
  left.page = app->window.currentPage().id();
  const QString time = app->time();
  const int rows = app->child<QTableView>("candidateTable").model()->rowCount();
  const std::size_t kept = app->workspace.shelf().all().size();
  const std::size_t unfolded = app->workspace.graph().graph().value->clusters.size();
  app.reset();
  app.emplace(path("shelf"));
  meter.excuse();
  ASSERT_TRUE(app->window.openSession(path("walk.thallo-session")));
  app->settle();
  ASSERT_TRUE(wait_until([this] { return app->workspace.space().space().isReady(); }));
  gui::SessionData found = app->workspace.session();
  found.page = app->window.currentPage().id();
  EXPECT_EQ(found, left);
  EXPECT_EQ(app->workspace.shelf().all().size(), kept);
  EXPECT_NE(app->workspace.shelf().find("edited"), nullptr);
  EXPECT_EQ(app->time(), time);
  EXPECT_EQ(app->child<QTableView>("candidateTable").model()->rowCount(), rows);
  EXPECT_EQ(app->child<QLineEdit>("solverOptions").text(), "nIterations=1 lIterations=5");
  EXPECT_EQ(app->workspace.graph().graph().value->clusters.size(), unfolded);
}

TEST_F(Walk, LeadsFromAProblemToASolvedScheduleAndBack) {
  using Step = std::pair<const char*, void (Walk::*)()>;
  const std::initializer_list<Step> steps = {
      {"open a problem", &Walk::open_a_problem},
      {"store an intermediate", &Walk::store_an_intermediate},
      {"follow moves and measure", &Walk::follow_moves},
      {"explore", &Walk::explore},
      {"take the best", &Walk::take_the_best},
      {"compare with the command line", &Walk::compare_with_the_command_line},
      {"solve", &Walk::solve},
      {"come back", &Walk::come_back},
  };
  for (const auto& [name, step] : steps) {
    SCOPED_TRACE(name);
    ASSERT_NO_FATAL_FAILURE((this->*step)());
    EXPECT_LT(meter.longest().ms, LongestBlockMs) << meter.longest().text().toStdString();
  }
}

}  // namespace
}  // namespace thallo::test
