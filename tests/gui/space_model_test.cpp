#include "gui/space/space_model.h"
#include "gui/base/text.h"

#include <cstdio>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <QAbstractItemModelTester>
#include <QElapsedTimer>
#include <QFile>

#include "core/explore/store/sqlite/database.h"
#include "core/explore/store/store.h"
#include "gui/space/candidate_table.h"
#include "gui/space/space_reader.h"
#include "tests/gui/qt_environment.h"
#include "tests/gui/space_records.h"
#include "tests/support/temp_dir.h"

namespace thallo::test {
namespace {

using gui::CandidateTable;
using gui::RemoteState;
using gui::ShownCandidates;
using gui::SpaceFilter;
using gui::SpaceModel;
using gui::SpaceSnapshot;
using testing::ElementsAre;

class SpaceModelTest : public testing::Test {
 protected:
  bool is_settled() { return space.space().state != RemoteState::Busy; }
  void settle() {
    ASSERT_TRUE(wait_until([this] { return is_settled(); }));
  }
  void show_store() {
    write_space(file, *open.workspace.problems().problem().value);
    space.openStore(QString::fromStdString(file.string()));
    settle();
    ASSERT_TRUE(space.space().isReady()) << space.space().error.toStdString();
  }
  const SpaceSnapshot& snapshot() { return *space.space().value; }

  TempDir folder;
  std::filesystem::path file = folder.path() / "made.store";
  OpenWorkspace open{small_poisson("h200")};
  SpaceModel& space = open.workspace.space();
};

TEST_F(SpaceModelTest, IsEmptyWhereNothingWasMeasured) {
  space.openStore(QString::fromStdString(file.string()));
  settle();
  EXPECT_EQ(space.space().state, RemoteState::Empty);
  EXPECT_FALSE(std::filesystem::exists(file));
}

TEST_F(SpaceModelTest, HasAStoreForEachProblem) {
  EXPECT_TRUE(space.store().endsWith("/poisson_image_editing.store"))
      << space.store().toStdString();
}

TEST_F(SpaceModelTest, ReadsWhatAStoreHas) {
  show_store();
  EXPECT_EQ(snapshot().size(), 24u);
  EXPECT_EQ(snapshot().byTime.size(), 21u);
  EXPECT_EQ(snapshot().device.name, "NVIDIA H200");
  EXPECT_EQ(snapshot().failures.size(), 1u);
  EXPECT_EQ(snapshot().failures.front().count, 3u);
  const std::size_t best = *snapshot().best();
  EXPECT_DOUBLE_EQ(snapshot().seconds[best], 1e-3);
  EXPECT_DOUBLE_EQ(snapshot().predicted.front().seconds[best], 2e-3);
  EXPECT_EQ(std::ranges::count(snapshot().marks, "best", &Mark::name), 1);
  EXPECT_EQ(std::ranges::count(snapshot().marks, "median", &Mark::name), 1);
}

// One schedule has two predictions, and each says which it is.
TEST_F(SpaceModelTest, SaysWhatAPredictionIsMadeFrom) {
  show_store();
  const QString best = snapshot().hash[*snapshot().best()];
  open.workspace.takeCandidate(best);
  open.workspace.selection().select({gui::Selection::Kind::Candidate, best});
  const auto textOf = [this](const QString& name) {
    for (const auto& [label, text] : open.workspace.inspector().current()->rows)
      if (label == name) return text.toStdString();
    return std::string();
  };
  ASSERT_TRUE(open.workspace.inspector().current());
  EXPECT_EQ(textOf(snapshot().predicted.front().name), "2.00 ms of the generated kernels");
  const CandidateTable table(space);
  const auto tip = [&table](int column) {
    return table.headerData(column, Qt::Horizontal, Qt::ToolTipRole).toString().toStdString();
  };
  EXPECT_THAT(tip(CandidateTable::Predicted), testing::HasSubstr("generated kernels"));
  EXPECT_THAT(tip(CandidateTable::Memory), testing::HasSubstr("generated program"));
  const auto& step = open.workspace.schedule().schedule().value->time.segments.front();
  open.workspace.selection().select({gui::Selection::Kind::Step, step.label});
  EXPECT_EQ(textOf("predicted"), gui::secondsText(step.predicted).toStdString());
}

TEST_F(SpaceModelTest, SaysThatAStoreIsDamagedAndTriesAgain) {
  folder.write("made.store", std::string(4096, 'x'));
  space.openStore(QString::fromStdString(file.string()));
  settle();
  EXPECT_EQ(space.space().state, RemoteState::Failed);
  EXPECT_TRUE(space.space().error.contains("made.store")) << space.space().error.toStdString();
  EXPECT_TRUE(open.workspace.schedule().schedule().isReady());
  std::filesystem::remove(file);
  write_space(file, *open.workspace.problems().problem().value);
  space.reload();
  settle();
  EXPECT_TRUE(space.space().isReady());
}

TEST_F(SpaceModelTest, SaysThatAStoreIsOfALaterVersion) {
  write_space(file, *open.workspace.problems().problem().value);
  {
    auto database = Database::open(file, Database::Access::Write);
    ASSERT_TRUE(database);
    ASSERT_TRUE(database->run("PRAGMA user_version = 99"));
  }
  space.openStore(QString::fromStdString(file.string()));
  settle();
  EXPECT_EQ(space.space().state, RemoteState::Failed);
  EXPECT_TRUE(space.space().error.contains("later")) << space.space().error.toStdString();
}

TEST_F(SpaceModelTest, GivesMeasuredTimesToTheTimeStrip) {
  show_store();
  const auto schedule = [this] { return open.workspace.schedule().schedule().value; };
  ASSERT_TRUE(schedule()->time.measured.has_value());
  const auto candidate = snapshot().find(schedule()->hash);
  EXPECT_DOUBLE_EQ(*schedule()->time.measured, snapshot().seconds[*candidate]);
  const auto step = std::ranges::find_if(
      schedule()->time.segments, [](const auto& segment) { return segment.measured.has_value(); });
  ASSERT_TRUE(step != schedule()->time.segments.end());
  EXPECT_EQ(step->label, "update");
  EXPECT_DOUBLE_EQ(*step->measured, 1e-5);
  // A schedule that was not measured has predictions alone.
  open.workspace.schedule().setText("r.reg_down:strategy(\"[JtJ]p\")\n");
  ASSERT_TRUE(wait_until([&] { return schedule()->text.contains("[JtJ]p"); }));
  EXPECT_FALSE(schedule()->time.measured.has_value());
}

TEST_F(SpaceModelTest, KeepsTimesOfAnotherDeviceToItself) {
  write_space(file, *open.workspace.problems().problem().value, "Another GPU");
  space.openStore(QString::fromStdString(file.string()));
  settle();
  EXPECT_EQ(snapshot().device.name, "Another GPU");
  EXPECT_FALSE(space.isOfProblemsDevice());
  const auto schedule = open.workspace.schedule().schedule().value;
  EXPECT_TRUE(snapshot().find(schedule->hash).has_value());
  EXPECT_FALSE(space.measured(schedule->hash).has_value());
  EXPECT_FALSE(schedule->time.measured.has_value());
}

// As when a problem was measured anew on another machine with the same GPU.
TEST_F(SpaceModelTest, ShowsOfGpusOfOneModelThatWhichWasMeasuredLast) {
  show_store();
  ASSERT_EQ(snapshot().device.signature, "cuda NVIDIA H200 sm_90");
  ScheduleResult result{
      .slot = {.problem = open.workspace.problems().problem().value->signature.toStdString(),
               .device = "another H200",
               .schedule = snapshot().hash.front().toStdString()},
      .nonlinear_seconds = 9,
      .origin = {"", 86'400}};
  const std::vector<StoreRecord> records = {DeviceRecord{result.slot.device, "NVIDIA H200", "cuda"},
                                            result};
  ASSERT_TRUE(
      MeasurementStore::open(file, MeasurementStore::Access::Write)->add(records, Existing::Keep));
  space.reload();
  settle();
  EXPECT_EQ(snapshot().device.signature, "another H200");
  QStringList names;
  for (const gui::SpaceDevice& device : snapshot().devices) names.append(device.name.left(23));
  EXPECT_THAT(names,
              testing::UnorderedElementsAre("NVIDIA H200, 1970-01-01", "NVIDIA H200, 1970-01-02"));
}

TEST_F(SpaceModelTest, ShowsOtherDevicesOfItsStoreBeside) {
  write_space(file, *open.workspace.problems().problem().value, "NVIDIA H100", 2);
  show_store();
  ASSERT_EQ(snapshot().devices.size(), 2u);
  gui::BesideSpaces& beside = space.beside();
  beside.add({.device = "cuda NVIDIA H100 sm_90"});
  EXPECT_TRUE(beside.isBusy());
  ASSERT_TRUE(wait_until([&] { return !beside.isBusy(); }));
  ASSERT_EQ(beside.all().size(), 1u);
  const gui::BesideSpace& other = beside.all().front();
  EXPECT_EQ(beside.nameOf(other), "NVIDIA H100");
  EXPECT_EQ(other.isOf, space.space().value);
  EXPECT_EQ(other.times->numCompared, 21u);
  EXPECT_DOUBLE_EQ(other.times->rho.value_or(0), 1);
  const std::size_t best = *snapshot().best();
  EXPECT_DOUBLE_EQ(other.times->seconds[best], 2e-3);
  // Neither may be there twice.
  space.showDevice("cuda NVIDIA H100 sm_90");
  settle();
  EXPECT_TRUE(beside.all().empty());
}

TEST_F(SpaceModelTest, ShowsAllDevicesOfAnotherStoreBeside) {
  show_store();
  const std::filesystem::path other = folder.path() / "other.store";
  for (const char* gpu : {"NVIDIA H100", "NVIDIA H200"})
    write_space(other, *open.workspace.problems().problem().value, gpu, 3);
  gui::BesideSpaces& beside = space.beside();
  const QString store = QString::fromStdString(other.string());
  beside.add({.store = store});
  ASSERT_TRUE(wait_until([&] { return !beside.isBusy(); }));
  QStringList names;
  for (const gui::BesideSpace& its : beside.all()) names.append(beside.nameOf(its));
  // The name of a device that is shown twice has the store's with it.
  EXPECT_THAT(names, testing::UnorderedElementsAre("NVIDIA H100", "NVIDIA H200, other.store"));
  // A device of the page's store goes with it, those of others stay.
  beside.add({.device = "any"});
  open.workspace.open(small_poisson("cpu"));
  ASSERT_TRUE(wait_until([&] { return space.space().isReady() && !beside.isBusy(); }));
  EXPECT_EQ(beside.all().size(), 2u);
  EXPECT_TRUE(beside.all().front().space.isReady());
}

// Whoever hears that something beside has changed, finds what is shown to be of the space.
TEST_F(SpaceModelTest, KnowsWhatIsShownBeforeItTellsOfAChangeBeside) {
  show_store();
  const QString h100 = "cuda NVIDIA H100 sm_90";
  space.beside().add({.device = h100});
  SpaceSnapshot larger = gui::spaceSnapshot(many_candidates(1000));
  larger.device.signature = h100;
  std::vector<std::size_t> sizes;
  QObject::connect(&space.beside(), &gui::BesideSpaces::changed, &space, [&] {
    EXPECT_EQ(space.shown().size(), snapshot().size());
    sizes.push_back(snapshot().size());
  });
  space.show(larger);
  EXPECT_THAT(sizes, testing::Contains(1000u));
  EXPECT_TRUE(space.beside().all().empty());
}

TEST_F(SpaceModelTest, TellsStoresOfOneNameApart) {
  show_store();
  gui::BesideSpaces& beside = space.beside();
  for (const char* name : {"a", "b"}) {
    std::filesystem::create_directory(folder.path() / name);
    const std::filesystem::path store = folder.path() / name / "made.store";
    write_space(store, *open.workspace.problems().problem().value, "NVIDIA H100");
    beside.add({.store = QString::fromStdString(store.string())});
  }
  ASSERT_TRUE(wait_until([&] { return !beside.isBusy(); }));
  ASSERT_EQ(beside.all().size(), 2u);
  EXPECT_NE(beside.nameOf(beside.all()[0]), beside.nameOf(beside.all()[1]));
}

TEST_F(SpaceModelTest, SaysWhatCannotBeReadBeside) {
  show_store();
  gui::BesideSpaces& beside = space.beside();
  const QString missing = QString::fromStdString((folder.path() / "missing.store").string());
  beside.add({.store = missing});
  ASSERT_TRUE(wait_until([&] { return !beside.isBusy(); }));
  EXPECT_EQ(beside.all().front().space.state, RemoteState::Failed);
  EXPECT_TRUE(beside.all().front().space.error.contains("missing.store"));
  write_space(missing.toStdString(), *open.workspace.problems().problem().value, "NVIDIA H100");
  beside.reload();
  ASSERT_TRUE(wait_until([&] { return !beside.isBusy(); }));
  EXPECT_TRUE(beside.all().front().space.isReady());
  EXPECT_EQ(beside.nameOf(beside.all().front()), "NVIDIA H100");
}

TEST_F(SpaceModelTest, TakesACandidateAsTheCurrentSchedule) {
  show_store();
  const auto other =
      std::ranges::find_if(open.workspace.problems().problem().value->schedules,
                           [this](const gui::NamedSchedule& named) {
                             return named.hash != open.workspace.schedule().schedule().value->hash;
                           });
  open.workspace.takeCandidate(other->hash);
  EXPECT_EQ(open.workspace.selection().current(),
            (gui::Selection{gui::Selection::Kind::Candidate, other->hash}));
  ASSERT_TRUE(
      wait_until([&] { return open.workspace.schedule().schedule().value->hash == other->hash; }));
  ASSERT_TRUE(open.workspace.inspector().current().has_value());
  EXPECT_FALSE(open.workspace.inspector().current()->rows.empty());
}

TEST_F(SpaceModelTest, FiltersByTimeChoiceWordsAndFailure) {
  show_store();
  const auto count = [this](const SpaceFilter& filter) {
    space.setFilter(filter);
    return space.numShown();
  };
  EXPECT_EQ(count({.seconds = std::pair(1.5e-3, 4.5e-3)}), 3u);
  EXPECT_EQ(count({.show = SpaceFilter::Show::Failed}), 3u);
  EXPECT_EQ(count({.show = SpaceFilter::Show::Timed}), 21u);
  EXPECT_EQ(count({.words = "number(10)"}), 1u);
  EXPECT_EQ(count({.words = "8 gib"}), 3u);
  std::size_t numChosen = 0;
  for (std::size_t i = 0; i < snapshot().size(); ++i)
    numChosen += snapshot().text(i).contains("r.fit:strategy(\"[JtJ]p\")") ? 1 : 0;
  EXPECT_EQ(count({.choices = {{"fit:strategy", "[JtJ]p"}}}), numChosen);
  EXPECT_EQ(count({}), 24u);
}

TEST_F(SpaceModelTest, SortsAndFiltersTheTable) {
  CandidateTable table(space);
  ShownCandidates shown(space, table);
  QAbstractItemModelTester tester(&table, QAbstractItemModelTester::FailureReportingMode::Fatal);
  QAbstractItemModelTester ofShown(&shown, QAbstractItemModelTester::FailureReportingMode::Fatal);
  EXPECT_EQ(shown.rowCount(), 0);
  show_store();
  ASSERT_EQ(shown.rowCount(), 24);
  shown.sort(CandidateTable::Time, Qt::DescendingOrder);
  EXPECT_EQ(shown.index(0, CandidateTable::Time).data().toString(), "21.0 ms");
  EXPECT_EQ(shown.index(23, CandidateTable::Time).data().toString(), "");
  shown.sort(CandidateTable::Time, Qt::AscendingOrder);
  EXPECT_EQ(shown.index(0, CandidateTable::OffBest).data().toString(), "best");
  EXPECT_EQ(shown.index(23, CandidateTable::Time).data().toString(), "");
  shown.sort(CandidateTable::Failure, Qt::AscendingOrder);
  EXPECT_TRUE(shown.index(0, CandidateTable::Failure).data().toString().contains("9 GiB"));
  space.setFilter({.seconds = std::pair(1.5e-3, 4.5e-3)});
  EXPECT_EQ(shown.rowCount(), 3);
  EXPECT_EQ(shown.candidates().size(), 3u);
}

TEST_F(SpaceModelTest, CountsTheSchedulesOfASpace) {
  space.count("published");
  ASSERT_TRUE(wait_until([this] { return space.counts().state != RemoteState::Busy; }));
  ASSERT_TRUE(space.counts().isReady()) << space.counts().error.toStdString();
  EXPECT_FALSE(space.counts().value->stages.empty());
  EXPECT_FALSE(space.counts().value->total.isEmpty());
}

TEST(ManyCandidates, AreReadyBeforeOneNotices) {
  constexpr std::size_t Count = 20'000;
  DeviceReport report = many_candidates(Count);
  QElapsedTimer timer;
  timer.start();
  add_effects(report);
  const SpaceSnapshot space = gui::spaceSnapshot(report);
  const auto prepared = timer.restart();
  const auto shown = gui::filtered(space, {.seconds = std::pair(2e-4, 4e-4), .words = "choice 4"});
  const auto filtering = timer.elapsed();
  std::printf("%zu candidates: prepared in %lld ms, filtered in %lld ms\n", Count,
              static_cast<long long>(prepared), static_cast<long long>(filtering));
  EXPECT_EQ(space.byTime.size(), Count);
  EXPECT_EQ(space.effects.size(), 16u);
  EXPECT_EQ(space.effects.front().site, "part_0:way");
  EXPECT_GT(std::ranges::count(shown, true), 0);
}

}  // namespace
}  // namespace thallo::test
