// The path that a person takes through the whole app: open a problem, change the theme, change the
// schedule at the graph, by dragging a domain, by a split and by typing, read what it costs, leave
// for other problems with work that is not finished, follow moves and measure, explore twice, take
// the best, solve with it, save the session, quit, and find everything as it was left. Meanwhile a
// meter looks at how long the window's thread works at a stretch.
#include <optional>

#include <gtest/gtest.h>
#include <QInputDialog>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QListWidget>
#include <QMessageBox>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSettings>
#include <QTableView>
#include <QTest>
#include <nlohmann/json.hpp>

#include "gui/graph/view/graph_page.h"
#include "gui/problem/energy_draft.h"
#include "gui/problem/view/problem_page.h"
#include "gui/schedule/view/editors/chip.h"
#include "gui/schedule/view/editors/site_editor.h"
#include "gui/schedule/view/site_tree_view.h"
#include "gui/space/candidate_table.h"
#include "tests/gui/block_meter.h"
#include "tests/gui/mouse.h"
#include "tests/gui/own_energy.h"
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
    EXPECT_TRUE(own.writeProblemFile());
    app.emplace(path("shelf"), path("walk.store"));
    meter.excuse();
  }
  QString path(const char* name) const {
    return QString::fromStdString((folder.path() / name).string());
  }

  // The steps, in their order.
  void open_a_problem();
  void change_the_theme();
  void store_an_intermediate();
  void drag_a_domain();
  void split_and_move_back();
  void type_a_fault();
  void leave_with_a_fault_and_come_back();
  void leave_an_energy_that_is_not_saved();
  void keep_what_was_edited();
  void follow_moves() { app->follow_moves_and_measure(); }
  void explore();
  void explore_more();
  void take_the_best();
  void compare_with_the_command_line();
  void solve();
  void come_back();

  TempDir folder;
  OwnEnergy own;
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

// On every page, with the problem open.
void Walk::change_the_theme() {
  for (const gui::Page* page : app->window.pages()) {
    app->show_page(page->title());
    for (int i = 0; i < 2; ++i) {
      const gui::Theme before = gui::currentTheme();
      QTest::keyClick(&app->window, Qt::Key_T, Qt::ControlModifier);
      meter.excuse();  // all widgets get another style, at a stretch
      QCoreApplication::processEvents();
      ASSERT_NE(gui::currentTheme(), before) << page->title().toStdString();
      // The next start begins with it.
      const bool isDark = gui::currentTheme() == gui::Theme::Dark;
      EXPECT_EQ(QSettings().value("theme").toString(), isDark ? "dark" : "light");
    }
  }
}

// By a click at its slab, and then a part is unfolded by a double click.
void Walk::store_an_intermediate() {
  app->show_page("Graph");
  // What is shown is rounded: on a cpu the intermediate costs about as much when it is stored.
  const auto seconds = [this] { return app->schedule().schedule().value->time.nonlinear; };
  const double before = seconds();
  const QString text = app->text();
  auto* view = app->child<gui::GraphView>("graphView").viewport();
  const GraphNode* node = app->node(DagKind::Intermediate, [](const GraphNode&) { return true; });
  ASSERT_NE(node, nullptr);
  QTest::mouseClick(view, Qt::LeftButton, {}, app->place_of(*node, true));
  ASSERT_TRUE(wait_until([this] { return app->schedule().name() == "edited"; }));
  app->settle();
  EXPECT_NE(seconds(), before);
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

// The outermost domain of a part goes below the next.
void Walk::drag_a_domain() {
  app->show_page("Schedule");
  const auto& sites = app->schedule().sites().value->sites;
  const auto site = std::ranges::find_if(sites, [](const gui::SiteRow& row) {
    return gui::editorKindOf(row) == gui::EditorKind::Order && row.choices.size() > 1 &&
           row.choices[1].illegal.isEmpty();
  });
  ASSERT_NE(site, sites.end());
  auto& tree = app->child<gui::SiteTreeView>("siteTree");
  const QModelIndex row = dynamic_cast<gui::SiteTree&>(*tree.model()).indexOf(site->id());
  tree.scrollTo(row);
  QTest::mouseClick(tree.viewport(), Qt::LeftButton, {}, tree.visualRect(row).center());
  auto& items = app->child<QListWidget>("orderItems");
  ASSERT_TRUE(wait_until([&] { return items.isVisible(); }));
  const QString time = app->time(), text = app->text();
  const QString first = items.item(0)->data(Qt::UserRole).toString();
  drag(items.viewport(), items.visualItemRect(items.item(0)).center(),
       items.visualItemRect(items.item(1)).center());
  ASSERT_TRUE(wait_until([&] { return app->text() != text; }));
  app->settle();
  EXPECT_EQ(items.item(1)->data(Qt::UserRole).toString(), first);
  EXPECT_NE(app->time(), time);
}

// A residual of the last part gets one of its own, by dragging, and goes back by the keyboard.
void Walk::split_and_move_back() {
  const auto groups = [this] { return app->schedule().sites().value->groups.front().groups; };
  const std::size_t before = groups().size();
  const QString item = groups().back().back();
  ASSERT_GT(groups().back().size(), 1);
  app->workspace.selection().select(
      {gui::Selection::Kind::Site, gui::SiteRow::idOf("split_merge", item)});
  const std::string chip_name = "chip " + item.toStdString();
  auto& chip = app->child<gui::Chip>(chip_name.c_str());
  ASSERT_TRUE(wait_until([&] { return chip.isVisible(); }));
  drag(&chip, chip.rect().center(), middle_of(&app->child<QFrame>("newGroup"), &chip));
  ASSERT_TRUE(wait_until([&] { return groups().size() == before + 1; }));
  app->settle();
  QTest::keyClick(&app->child<gui::Chip>(chip_name.c_str()), Qt::Key_Left, Qt::AltModifier);
  ASSERT_TRUE(wait_until([&] { return groups().size() == before; }));
  app->settle();
}

// The schedule stays until the fault is gone.
void Walk::type_a_fault() {
  auto& editor = app->child<QPlainTextEdit>("scheduleText");
  const QString text = app->text();
  ASSERT_EQ(editor.toPlainText(), text);
  const QString wrong = "r.nothing:strategy(\"[JtJ]p\")";
  editor.setFocus();
  QTest::keyClick(&editor, Qt::Key_End, Qt::ControlModifier);
  app->type(editor, wrong);
  const auto& faults = app->child<QLabel>("textFaults");
  ASSERT_TRUE(wait_until([&] { return faults.isVisible(); }));
  const QString line = QStringLiteral("line %1, column 1: ").arg(text.count('\n') + 1);
  EXPECT_TRUE(faults.text().startsWith(line)) << faults.text().toStdString();
  EXPECT_TRUE(faults.text().contains("nothing"));
  EXPECT_EQ(app->text(), text);
  for (int i = 0; i < wrong.size(); ++i) QTest::keyClick(&editor, Qt::Key_Backspace);
  ASSERT_TRUE(wait_until([&] { return !faults.isVisible(); }));
  app->settle();
}

// What was typed a moment ago is there again, and what was changed before can be undone.
void Walk::leave_with_a_fault_and_come_back() {
  auto& editor = app->child<QPlainTextEdit>("scheduleText");
  const QString text = app->text();
  editor.setFocus();
  QTest::keyClick(&editor, Qt::Key_End, Qt::ControlModifier);
  app->type(editor, "r.half");
  app->open_card("curve_fit");
  ASSERT_TRUE(wait_until([&] {
    const auto& problems = app->workspace.problems();
    return problems.request().problem == "curve_fit" && problems.problem().isReady();
  }));
  app->settle();
  EXPECT_FALSE(app->schedule().history().canUndo());
  app->open_card("image_warping");  // with the options that it had
  ASSERT_TRUE(wait_until([this] { return app->schedule().draft().endsWith("r.half"); }));
  app->settle();
  app->show_page("Schedule");
  EXPECT_TRUE(editor.toPlainText().endsWith("r.half"));
  EXPECT_TRUE(app->child<QLabel>("textFaults").isVisible());
  EXPECT_EQ(app->schedule().name(), "edited");
  EXPECT_EQ(app->text(), text);
  EXPECT_EQ(app->workspace.problems().request().options.size(), 2);
  app->schedule().setText(text);
  ASSERT_TRUE(wait_until([this] { return app->schedule().draft().isEmpty(); }));
  app->settle();
  ASSERT_TRUE(app->schedule().history().canUndo());
  QTest::keyClick(&app->window, Qt::Key_Z, Qt::ControlModifier);
  ASSERT_TRUE(wait_until([&] { return app->text() != text && !app->schedule().isChanging(); }));
  app->settle();
  app->click("redoButton");
  ASSERT_TRUE(wait_until([&] { return app->text() == text && !app->schedule().isChanging(); }));
  app->settle();
}

void Walk::leave_an_energy_that_is_not_saved() {
  app->window.findChild<gui::ProblemPage*>()->openFile(own.problemFile());
  const auto is_open = [this](const char* name) {
    const auto& problems = app->workspace.problems();
    return problems.request().problem == name && problems.problem().isReady();
  };
  ASSERT_TRUE(wait_until([&] { return is_open("own_energy"); }));
  app->settle();
  app->show_page("Problem");
  auto& energy = app->child<QPlainTextEdit>("energyText");
  energy.setFocus();
  app->type(energy, "-- mine ");
  for (const auto button : {QMessageBox::Cancel, QMessageBox::Save}) {
    app->open_card("curve_fit");
    auto* box = app->window.findChild<QMessageBox*>("unsavedEnergy");
    ASSERT_NE(box, nullptr) << "nothing was asked";
    EXPECT_TRUE(is_open("own_energy"));
    QTest::mouseClick(box->button(button), Qt::LeftButton);
    QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
  }
  ASSERT_TRUE(wait_until([&] { return is_open("curve_fit"); }));
  app->settle();
  QFile file(own.energy());
  ASSERT_TRUE(file.open(QIODevice::ReadOnly));
  EXPECT_TRUE(file.readAll().startsWith("-- mine "));
  app->open_card("image_warping");  // with the options that it had
  ASSERT_TRUE(wait_until([&] { return is_open("image_warping"); }));
  app->settle();
}

// A named one is taken and the edited one again, which is given a name.
void Walk::keep_what_was_edited() {
  const QString text = app->text();
  ASSERT_EQ(app->schedule().name(), "edited");
  app->take_listed("default");
  ASSERT_TRUE(wait_until([this] { return app->schedule().name() == "default"; }));
  app->settle();
  app->take_listed("edited");
  ASSERT_TRUE(wait_until([this] { return app->schedule().name() == "edited"; }));
  app->settle();
  EXPECT_EQ(app->text(), text);
  app->activate();
  QTest::keyClick(&app->window, Qt::Key_F2);
  auto* dialog = app->window.findChild<QInputDialog*>("renameSchedule");
  ASSERT_NE(dialog, nullptr);
  dialog->setTextValue("walked");
  dialog->accept();
  EXPECT_EQ(app->schedule().name(), "walked");
  // An X server gives the focus back a moment later.
  ASSERT_TRUE(wait_until(
      [this] { return app->window.findChild<QInputDialog*>("renameSchedule") == nullptr; }));
  app->activate();
  QTest::keyClick(&app->window, Qt::Key_D, Qt::ControlModifier);
  ASSERT_TRUE(wait_until([this] { return app->schedule().name() == "walked copy"; }));
  app->settle();
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

// Once more, with more samples: what was measured stays, and more is added.
void Walk::explore_more() {
  const std::size_t before = app->workspace.space().space().value->size();
  app->fill("exploreSamples", "13");
  app->click("exploreButton");
  const gui::ExplorationModel& exploration = app->workspace.space().exploration();
  ASSERT_TRUE(wait_until([&] { return exploration.isRunning(); }));
  ASSERT_TRUE(wait_until([&] { return !exploration.isRunning(); }, std::chrono::seconds(240)));
  EXPECT_EQ(exploration.state(), State::Done) << exploration.error().toStdString();
  ASSERT_TRUE(wait_until([&] { return app->workspace.space().space().value->size() > before; }));
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
  EXPECT_NE(app->workspace.shelf().find("walked"), nullptr);
  EXPECT_EQ(app->time(), time);
  EXPECT_EQ(app->child<QTableView>("candidateTable").model()->rowCount(), rows);
  EXPECT_EQ(app->child<QLineEdit>("solverOptions").text(), "nIterations=1 lIterations=5");
  EXPECT_EQ(app->workspace.graph().graph().value->clusters.size(), unfolded);
}

TEST_F(Walk, LeadsFromAProblemToASolvedScheduleAndBack) {
  using Step = std::pair<const char*, void (Walk::*)()>;
  const std::initializer_list<Step> steps = {
      {"open a problem", &Walk::open_a_problem},
      {"change the theme", &Walk::change_the_theme},
      {"store an intermediate", &Walk::store_an_intermediate},
      {"drag a domain", &Walk::drag_a_domain},
      {"split and move back", &Walk::split_and_move_back},
      {"type a fault", &Walk::type_a_fault},
      {"leave with a fault and come back", &Walk::leave_with_a_fault_and_come_back},
      {"leave an energy that is not saved", &Walk::leave_an_energy_that_is_not_saved},
      {"keep what was edited", &Walk::keep_what_was_edited},
      {"follow moves and measure", &Walk::follow_moves},
      {"explore", &Walk::explore},
      {"explore more", &Walk::explore_more},
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
