// Runs of searches in a store: they are written while they go on, by one process each, and go on
// where they were ended.
#include <gmock/gmock.h>

#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "core/explore/store/sqlite/database.h"
#include "core/explore/store/store.h"
#include "tests/explore/child_process.h"
#include "tests/explore/store_records.h"
#include "tests/support/temp_dir.h"

namespace thallo {
namespace {

using testing::ElementsAre, testing::HasSubstr, testing::IsEmpty, testing::SizeIs;
using namespace test;  // NOLINT: the records of these tests

class StoreRuns : public testing::Test {
 protected:
  static MeasurementStore open(const std::filesystem::path& path) {
    MeasurementStore store = make_store(path, 1);
    for (const int schedule : {0, 1, 2}) EXPECT_TRUE(store.add(schedule_of(schedule)));
    return store;
  }
  // The run that is asked for: nothing was found yet.
  static SearchRunRecord asked(const std::string& id) {
    SearchRunRecord run = run_of(id);
    run.events.clear();
    run.state = {};
    return run;
  }
  static std::string begun(MeasurementStore& store, const SearchRunRecord& run,
                           Existing existing = Existing::Keep) {
    const auto begun = store.begin_run(run, existing);
    return begun ? begun->id : begun.error().message();
  }
  static std::vector<SearchRunRecord> runs_of(const MeasurementStore& store) {
    return store.list<SearchRunRecord>().value();
  }

  TempDir folder_;
  std::filesystem::path path_ = folder_.path() / "warp.store";
  MeasurementStore store_ = open(path_);
};

TEST_F(StoreRuns, AreWrittenWhileTheyGoOn) {
  ASSERT_EQ(begun(store_, asked("one")), "one");
  EXPECT_THAT(runs_of(store_), ElementsAre(asked("one")));
  const SearchRunRecord whole = run_of("one");
  ASSERT_TRUE(store_.extend_run("one", std::span(whole.events).first(1), {1.5}));
  ASSERT_TRUE(store_.extend_run("one", std::span(whole.events).last(1), whole.state));
  EXPECT_THAT(runs_of(open_store(path_, MeasurementStore::Access::Read)), ElementsAre(whole));
  SearchState last{3, SearchEnding::Finished, {{"error", std::nan(""), SearchFigure::Unit::Share}}};
  ASSERT_TRUE(store_.extend_run("one", {}, last));
  const SearchRunRecord ended = runs_of(store_).front();
  EXPECT_EQ(ended.events, whole.events);
  EXPECT_EQ(ended.state.ending, SearchEnding::Finished);
  ASSERT_THAT(ended.state.figures, SizeIs(1));
  EXPECT_TRUE(std::isnan(ended.state.figures.front().value));
}

TEST_F(StoreRuns, GoOnIfTheirSearchHadNotFinished) {
  const SearchRunRecord whole = run_of("one");
  begun(store_, asked("one"));
  for (const SearchEnding ending : {SearchEnding::OutOfTime, SearchEnding::Cancelled}) {
    ASSERT_TRUE(store_.extend_run("one", {}, {2.5, ending}));
    ASSERT_EQ(begun(store_, asked("two")), "one") << to_string(ending);
  }
  ASSERT_TRUE(store_.extend_run("one", whole.events, {4, SearchEnding::OutOfTime}));
  SearchRunRecord later = asked("two");
  later.budget = 10;
  later.origin.unix_seconds += 100;
  const auto going_on = store_.begin_run(later, Existing::Keep);
  ASSERT_TRUE(going_on);
  EXPECT_EQ(going_on->id, "one") << "how long it may take is not what it is asked for";
  EXPECT_EQ(going_on->events, whole.events);
  EXPECT_EQ(going_on->state.seconds, 4);
  EXPECT_EQ(going_on->state.ending, SearchEnding::Open);
  EXPECT_EQ(going_on->origin, whole.origin);
  ASSERT_TRUE(store_.extend_run("one", {}, {5, SearchEnding::Finished}));
  EXPECT_EQ(begun(store_, asked("two")), "two");
  EXPECT_THAT(runs_of(store_), SizeIs(2));
}

TEST_F(StoreRuns, AreOfOneRequest) {
  begun(store_, asked("one"));
  ASSERT_TRUE(store_.extend_run("one", {}, {1, SearchEnding::Cancelled}));
  const auto expect_new = [&](const std::string& id, const auto& change) {
    SearchRunRecord other = asked(id);
    change(other.request);
    EXPECT_EQ(begun(store_, other), id);
  };
  expect_new("search", [](SearchRequest& its) { its.search = "greedy"; });
  expect_new("space", [](SearchRequest& its) { its.space = "full"; });
  expect_new("seed", [](SearchRequest& its) { its.seed = 2; });
  expect_new("kind", [](SearchRequest& its) { its.kind = ResultKind::EndToEnd; });
  expect_new("option", [](SearchRequest& its) { its.options["width"] = "9"; });
  expect_new("setting", [](SearchRequest& its) { its.settings["samples"] = "9"; });
  EXPECT_EQ(begun(store_, asked("anew"), Existing::Replace), "anew");
  EXPECT_EQ(begun(store_, asked("again")), "one");
}

TEST_F(StoreRuns, AreWrittenByOneProcessEach) {
  begun(store_, asked("one"));
  MeasurementStore other = open_store(path_);
  EXPECT_EQ(begun(other, asked("two")), "two") << "somebody writes the first";
  const auto begin_and_end = [&] {
    SearchRunRecord killed = asked("killed");
    killed.request.seed = 3;
    MeasurementStore its = open_store(path_);
    const bool is_begun = begun(its, killed) == "killed";
    const SearchEvent event{0.5, hash_of(2), 0.125};
    return is_begun && its.extend_run("killed", {&event, 1}, {0.5}) ? 0 : 1;
  };
  const pid_t child = test::start(begin_and_end);
  ASSERT_EQ(test::wait_for(child), 0);
  SearchRunRecord again = asked("again");
  again.request.seed = 3;
  const auto going_on = store_.begin_run(again, Existing::Keep);
  ASSERT_TRUE(going_on);
  EXPECT_EQ(going_on->id, "killed");
  EXPECT_THAT(going_on->events, ElementsAre(SearchEvent{0.5, hash_of(2), 0.125}));

  // Of processes that another system has numbered it is not known whether they run.
  auto database = Database::open(path_, Database::Access::Write);
  ASSERT_TRUE(database->run(
      fmt::format("UPDATE runs SET writer = 'elsewhere:{}:00000000:00000000'", child)));
  EXPECT_EQ(begun(store_, again), "again");
}

TEST_F(StoreRuns, AreMergedAsTheLongerOfTwoCopies) {
  SearchRunRecord shorter = run_of("one");
  shorter.events.pop_back();
  SearchRunRecord longer = run_of("one");
  longer.state.ending = SearchEnding::OutOfTime;
  EXPECT_EQ(*store_.add(shorter), StoreChanges{.added = 1});
  EXPECT_EQ(*store_.add(shorter), StoreChanges{.same = 1});
  EXPECT_EQ(*store_.add(longer), StoreChanges{.kept = 1});
  EXPECT_EQ(*store_.add(longer, Existing::KeepMoreSamples), StoreChanges{.replaced = 1});
  EXPECT_EQ(*store_.add(shorter, Existing::KeepMoreSamples), StoreChanges{.kept = 1});
  EXPECT_THAT(runs_of(store_), ElementsAre(longer));

  MeasurementStore other = open(folder_.path() / "other.store");
  EXPECT_EQ(begun(other, asked("two")), "two");
  EXPECT_EQ(*store_.add(*other.records(), Existing::KeepMoreSamples), StoreChanges{.added = 1});
  EXPECT_THAT(runs_of(store_), ElementsAre(longer, asked("two")));
  EXPECT_EQ(begun(store_, asked("three")), "two") << "nobody writes it here";
}

TEST_F(StoreRuns, BelongToAProblemAndADevice) {
  ASSERT_TRUE(store_.add(run_of("one")));
  const DeviceRecord cpu = {"cpu", "Xeon", "cpu"};
  ASSERT_TRUE(store_.add(cpu));
  SearchRunRecord other = asked("two");
  other.request.device = cpu.signature;
  ASSERT_EQ(begun(store_, other), "two");
  EXPECT_THAT(*store_.list<SearchRunRecord>({SampleProblem.signature, cpu.signature}),
              ElementsAre(other));
  EXPECT_THAT(*store_.list<SearchRunRecord>({"p2", ""}), IsEmpty());
  const auto selected = store_.records({SampleProblem.signature, cpu.signature});
  ASSERT_TRUE(selected);
  EXPECT_THAT(*selected, testing::Contains(StoreRecord(cpu)));
}

TEST_F(StoreRuns, AreRefusedIfTheyMeanNothing) {
  const auto message_of = [&](const auto& change) {
    SearchRunRecord run = run_of("one");
    change(run);
    const auto added = store_.add(run);
    return added ? "added" : added.error().what;
  };
  EXPECT_EQ(message_of([](SearchRunRecord& run) { run.id = ""; }), "a search run has no id");
  EXPECT_EQ(message_of([](SearchRunRecord& run) { run.request.search = ""; }),
            "a search run has no search");
  EXPECT_EQ(message_of([](SearchRunRecord& run) { run.events[1].at = 0.5; }),
            "run one has an event at 0.5 s after one at 1 s");
  EXPECT_THAT(message_of([](SearchRunRecord& run) { run.events[0].seconds = 0; }),
              HasSubstr("run one has a time of 0 s of schedule"));
  EXPECT_EQ(message_of([](SearchRunRecord& run) { run.events[1].at = std::nan(""); }),
            "a time of run one is nan s");
  EXPECT_EQ(message_of([](SearchRunRecord& run) { run.state.figures[0].name = ""; }),
            "a figure has no name");
  EXPECT_THAT(message_of([](SearchRunRecord& run) { run.events[0].schedule = hash_of(9); }),
              HasSubstr("the store has no schedule '" + hash_of(9)));
  EXPECT_THAT(runs_of(store_), IsEmpty());
  EXPECT_THAT(store_.extend_run("none", {}, {1}).error().message(),
              HasSubstr("warp.store: the store has no run 'none'"));
  SearchRunRecord elsewhere = asked("two");
  elsewhere.request.problem = "p9";
  EXPECT_THAT(begun(store_, elsewhere), HasSubstr("the store has no problem 'p9'"));
}

}  // namespace
}  // namespace thallo
