#include "gui/space/exploration_model.h"
#include "gui/base/text.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "gui/space/space_model.h"
#include "tests/gui/qt_environment.h"
#include "tests/gui/space_records.h"
#include "tests/support/subprocess.h"
#include "tests/support/temp_dir.h"

namespace thallo::test {
namespace {

using gui::ExplorationModel;
using gui::ExplorationSettings;
using State = gui::ExplorationModel::State;

class ExplorationModelTest : public testing::Test {
 protected:
  ExplorationModelTest() { space.openStore(QString::fromStdString(store.string())); }

  bool has_arrived(State state) {
    return wait_until([&] { return exploration.state() == state; }, std::chrono::seconds(60));
  }

  TempDir folder;
  std::filesystem::path store = folder.path() / "curve_fit.store";
  OpenWorkspace open{{.problem = "curve_fit", .device = "cpu"}};
  gui::SpaceModel& space = open.workspace.space();
  ExplorationModel& exploration = space.exploration();
  const ExplorationSettings settings = {.samples = 30, .budgetMinutes = 0, .workers = 2};
};

TEST_F(ExplorationModelTest, GoesOnAfterAPauseAndMeasuresNothingTwice) {
  space.explore(settings);
  EXPECT_TRUE(exploration.isRunning());
  ASSERT_TRUE(wait_until([this] { return step_times(store).size() > 4; }));
  exploration.pause();
  ASSERT_TRUE(has_arrived(State::Paused)) << exploration.error().toStdString();
  const auto before = step_times(store);
  exploration.resume();
  ASSERT_TRUE(has_arrived(State::Done)) << exploration.error().toStdString();
  const auto after = step_times(store);
  EXPECT_GT(after.size(), before.size());
  for (const auto& [step, seconds] : before) EXPECT_EQ(after.at(step), seconds) << step;

  ASSERT_TRUE(wait_until([this] { return space.space().isReady(); }));
  const gui::SpaceSnapshot& found = *space.space().value;
  EXPECT_GE(found.size(), 18u);
  EXPECT_EQ(found.byTime.size() + found.failures.size(), found.size());
  // The best is the one that the command line reports.
  const ProcessResult report =
      run_process({THALLO_PROGRAM, "report", "curve_fit", "--json", "--store", store.string()},
                  {"THALLO_LOG=warn"});
  ASSERT_EQ(report.exit_code, 0) << report.err;
  const auto json = nlohmann::json::parse(report.out);
  const std::size_t best = *found.best();
  EXPECT_EQ(json["fastest"].front().get<std::string>(), found.hash[best].toStdString());
  for (const auto& mark : json["marks"]) {
    if (mark["name"] != "best") continue;
    EXPECT_DOUBLE_EQ(mark["seconds"].get<double>(), found.seconds[best]);
  }
}

// Finds an exploration of the app that measures schedules twice.
TEST_F(ExplorationModelTest, DrawsOtherSchedulesTheSecondTimeAndSaysWhenThereAreNoMore) {
  ExplorationSettings some = settings;
  some.samples = 4;
  const auto explore = [&] {
    space.explore(some);
    EXPECT_TRUE(has_arrived(State::Done)) << exploration.error().toStdString();
    EXPECT_TRUE(wait_until([this] { return space.space().isReady(); }));
    return space.space().value->size();
  };
  const std::size_t first = explore();
  EXPECT_TRUE(exploration.ending().startsWith("Done: 4 of 4 schedules, of these 4 measured"))
      << exploration.ending().toStdString();
  // Results are told apart by seconds.
  wait_until([] { return false; }, std::chrono::milliseconds(1100));
  EXPECT_GT(explore(), first);
  wait_until([] { return false; }, std::chrono::milliseconds(1100));
  some.samples = 1000;
  explore();
  EXPECT_TRUE(exploration.ending().startsWith("The space has no more that fit: "))
      << exploration.ending().toStdString();
  EXPECT_TRUE(exploration.ending().contains(" of 1,000 schedules"))
      << exploration.ending().toStdString();
}

TEST_F(ExplorationModelTest, GoesOnInAnotherStoreWhenItsOwnIsDeleted) {
  std::vector<std::string> told;
  QObject::connect(&space, &gui::SpaceModel::told, &space,
                   [&](const QString& sentence) { told.push_back(sentence.toStdString()); });
  space.explore(settings);
  ASSERT_TRUE(wait_until([this] { return step_times(store).size() > 4; }));
  const auto before = step_times(store);
  for (const char* beside : {"", "-wal", "-shm"})
    std::filesystem::remove(std::filesystem::path(store) += beside);
  ASSERT_TRUE(has_arrived(State::Done)) << exploration.error().toStdString();
  const std::filesystem::path next = folder.path() / "curve_fit-2.store";
  EXPECT_EQ(space.store().toStdString(), next.string());
  EXPECT_EQ(told, std::vector{store.string() +
                              " was deleted, renamed or replaced; all that was measured is in " +
                              next.string() + '.'});
  ASSERT_TRUE(wait_until([this] { return space.space().isReady(); }));
  EXPECT_GE(space.space().value->byTime.size(), 18u);
  EXPECT_FALSE(std::filesystem::exists(store));
  store = next;
  const auto after = step_times(store);
  for (const auto& [step, seconds] : before) EXPECT_EQ(after.at(step), seconds) << step;
  // Nobody writes now, and the next exploration begins a new one.
  std::filesystem::remove(next);
  space.explore(settings);
  EXPECT_EQ(
      told.back(),
      next.string() + " was deleted, and what was measured in it is lost; a new one is begun.");
}

TEST_F(ExplorationModelTest, KeepsWhatWasMeasuredWhenItIsCancelled) {
  space.explore(settings);
  ASSERT_TRUE(wait_until([this] { return step_times(store).size() > 1; }));
  exploration.cancel();
  EXPECT_EQ(exploration.state(), State::Idle);
  EXPECT_TRUE(exploration.ending().startsWith("Cancelled after "))
      << exploration.ending().toStdString();
  EXPECT_GT(step_times(store).size(), 1u);
}

TEST_F(ExplorationModelTest, GoesAroundPinnedSites) {
  const QString directive = "r.fit:strategy(\"[JtJ]p\")";
  open.workspace.pins().restore({directive});
  ASSERT_TRUE(wait_until([this] { return !open.workspace.pins().isBusy(); }));
  ExplorationSettings all = settings;
  all.search = "exhaustive";
  space.explore(all);
  ASSERT_TRUE(has_arrived(State::Done)) << exploration.error().toStdString();
  EXPECT_TRUE(exploration.ending().contains(" around 1 pinned site, of these "))
      << exploration.ending().toStdString();
  ASSERT_TRUE(wait_until([this] { return space.space().isReady(); }));
  const gui::SpaceSnapshot& found = *space.space().value;
  std::size_t numPinned = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const bool isMarked = std::ranges::any_of(
        found.marks, [&](const Mark& mark) { return gui::toQt(mark.hash) == found.hash[i]; });
    EXPECT_TRUE(isMarked || found.text(i).contains(directive)) << found.text(i).toStdString();
    if (found.text(i).contains(directive)) ++numPinned;
  }
  EXPECT_GT(numPinned, 1u);
  EXPECT_LT(found.size(), 12u) << "not all 18";
}

TEST_F(ExplorationModelTest, CountsWhatKeepsThePins) {
  const auto total = [this](const QString& counted) {
    space.count(counted);
    EXPECT_TRUE(wait_until([this] { return space.counts().isReady(); }))
        << space.counts().error.toStdString();
    return space.counts().value->total.toInt();
  };
  const int all = total("full");
  const int published = total("published");
  open.workspace.pins().restore({"r.fit:strategy(\"[JtJ]p\")"});
  ASSERT_TRUE(wait_until([this] { return !open.workspace.pins().isBusy(); }));
  EXPECT_EQ(space.counts().state, gui::RemoteState::Empty) << "the old count is of another space";
  EXPECT_LT(total("full"), all);
  EXPECT_LT(total("published"), published);
}

TEST_F(ExplorationModelTest, TellsWhyItCannotRun) {
  ExplorationModel broken({"/nowhere/thallo", "worker"});
  broken.start({.problem = "curve_fit", .backend = "cpu"}, QString::fromStdString(store.string()),
               settings);
  ASSERT_TRUE(wait_until([&] { return broken.state() == State::Failed; }));
  EXPECT_NE(broken.error(), "");
}

TEST_F(ExplorationModelTest, RefusesASearchThatCannotSearchTheSpace) {
  ExplorationSettings other = settings;
  other.search = "no such search";
  space.explore(other);
  ASSERT_TRUE(has_arrived(State::Failed));
  EXPECT_TRUE(exploration.error().contains("no such search")) << exploration.error().toStdString();
}

}  // namespace
}  // namespace thallo::test
