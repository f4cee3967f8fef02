// Explorations by `autotune`: what it proposes depends on what was measured and on nothing else, so
// that one that was ended or killed at any moment goes on to the same schedules.
#include <gmock/gmock.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <functional>
#include <stop_token>

#include "core/base/stop_scope.h"
#include "core/explore/search/exploration.h"
#include "core/explore/search/prediction.h"
#include "tests/explore/child_process.h"
#include "tests/explore/explorations.h"
#include "tests/support/temp_dir.h"

namespace thallo {
namespace {

using namespace test;  // NOLINT: explorations of these tests
using testing::HasSubstr;

const Options ThreeRounds = {{"rounds", 3}};

class Autotuning : public testing::Test {
 protected:
  // Small batches, so that there are several rounds.
  ExplorationRequest request(const Options& options = {}) const {
    ExplorationRequest request{
        .target = {.problem = "curve_fit", .backend = "cpu", .num_threads = 1},
        .search = "autotune",
        .search_options = {{"batch", 4}, {"propose", 2}, {"width", 2}, {"passes", 1}},
        .num_best = 0};
    for (const std::string& name : options.names())
      request.search_options.set(name, *options.find_value(name));
    request.measurer = small_.options(store(), ResultKind::Composed);
    return request;
  }
  std::filesystem::path store() const { return folder_.path() / "tuned.store"; }

  struct Explored {
    std::vector<std::string> hashes;  // in the order in which they were proposed
    std::map<std::string, std::string> table;
    ExplorationEnd end;
    std::int64_t measured = 0;  // steps

    double figure(const std::string& name) const {
      const auto found = std::ranges::find(end.figures, name, &SearchFigure::name);
      return found == end.figures.end() ? -1 : found->value;
    }
  };
  // Is cancelled and stopped, as by Ctrl-C, once so many rounds have begun, if that is not 0.
  Explored explore(const Options& options = {}, double rounds = 0) const {
    return explore(options, rounds, [](double) {});
  }
  // Tells of each round that begins.
  Explored explore(const Options& options, double rounds,
                   const std::function<void(double)>& begins) const {
    Session session({THALLO_FAULTY_FOLDER});
    ExplorationRequest its = request(options);
    std::atomic<bool> is_cancelled = false;
    its.measurer.resources.is_cancelled = &is_cancelled;
    std::stop_source stop;
    const StopScope scope(stop.get_token());
    auto exploration = Exploration::open(session, std::move(its));
    if (!exploration) throw std::runtime_error(exploration.error().message());
    (*exploration)->on_search_told([&](const SearchFigures& figures) {
      const auto round = std::ranges::find(figures, "round", &SearchFigure::name);
      if (round != figures.end()) begins(round->value);
      if (rounds == 0 || round == figures.end() || round->value < rounds) return;
      is_cancelled = true;
      stop.request_stop();
    });
    if (auto ran = (*exploration)->run(); !ran) throw std::runtime_error(ran.error().message());
    Explored result;
    for (const Candidate& candidate : (*exploration)->measurer().candidates())
      result.hashes.push_back(candidate.hash);
    result.table = table_of((*exploration)->measurer());
    result.end = (*exploration)->end();
    result.measured = (*exploration)->measurer().num_measured();
    return result;
  }

  // Replays the same on the store, and expects that it comes to the same schedules.
  void expect_replayed(const Explored& all) const {
    Session session({THALLO_FAULTY_FOLDER});
    const auto replayed =
        PredictedExploration::open(session, request(ThreeRounds), StoredTimesOptions()).value();
    ASSERT_TRUE(replayed->run().has_value());
    EXPECT_EQ(replayed->num_left_out(), 0);
    std::set<std::string> hashes;
    for (const PredictedSchedule& its : replayed->schedules()) hashes.insert(its.proposal.hash);
    EXPECT_EQ(hashes, std::set(all.hashes.begin(), all.hashes.end()));
    EXPECT_EQ(replayed->remark(), all.end.remark);
    for (const SearchFigure& figure : replayed->figures())
      EXPECT_DOUBLE_EQ(figure.value, all.figure(figure.name)) << figure.name;
  }

  // Of a replay that is stopped in its first round.
  void expect_kept_of_a_stopped_replay() const {
    Session session({THALLO_FAULTY_FOLDER});
    std::atomic<bool> is_cancelled = false;
    std::stop_source stop;
    const StopScope scope(stop.get_token());
    ExplorationRequest its = request(ThreeRounds);
    its.measurer.resources.is_cancelled = &is_cancelled;
    const auto replayed =
        PredictedExploration::open(session, std::move(its), StoredTimesOptions()).value();
    replayed->on_search_told([&](const SearchFigures&) {
      is_cancelled = true;
      stop.request_stop();
    });
    ASSERT_TRUE(replayed->run().has_value());
    EXPECT_NE(replayed->ending(), SearchEnding::Finished);
    EXPECT_FALSE(replayed->schedules().empty());
    EXPECT_GT(replayed->seconds(), 0);
  }

  TempDir folder_;
  CurveFitExploration small_;
};

// Finds a search that proposes a schedule twice, or ends before the space does.
TEST_F(Autotuning, ProposesBatchesOfNewSchedulesUntilThereAreNone) {
  const Explored all = explore();
  EXPECT_EQ(std::set(all.hashes.begin(), all.hashes.end()).size(), all.hashes.size());
  EXPECT_GT(all.figure("round"), 2);
  EXPECT_GT(all.figure("best"), 0);
  EXPECT_GE(all.figure("error of prices"), 0);
  EXPECT_EQ(all.figure("proposed"), static_cast<double>(all.end.proposed));
  EXPECT_THAT(all.end.remark, HasSubstr("found nothing new"));
  EXPECT_EQ(all.end.why, ExplorationEnd::Why::Finished);

  const Explored two = explore({{"rounds", 2}});
  EXPECT_EQ(two.figure("round"), 2);
  EXPECT_GT(two.end.proposed, 4);
  EXPECT_LE(two.end.proposed, 8);
  EXPECT_EQ(two.end.remark, "all 2 rounds are done");
}

TEST_F(Autotuning, EndsBatchesThatAreLargerThanTheSpaceAndProposesTheCheapestInOtherModes) {
  const Explored all = explore({{"batch", 4096}, {"rounds", 1}});
  EXPECT_GT(all.end.proposed, 4);
  EXPECT_EQ(all.end.remark, "all 1 rounds are done");
  EXPECT_EQ(explore({{"batch", 4096}, {"rounds", 1}}).hashes, all.hashes);
  EXPECT_EQ(explore({{"mode", "one-shot"}}).end.proposed, 1);
  const std::int64_t five = explore({{"mode", "top-5"}}).end.proposed;
  EXPECT_GE(five, 1);
  EXPECT_LE(five, 5);
}

TEST_F(Autotuning, GoesOnToTheSameSchedulesAfterItWasEnded) {
  const Explored cut = explore(ThreeRounds, 3);
  EXPECT_EQ(cut.end.why, ExplorationEnd::Why::Cancelled);
  EXPECT_THAT(cut.end.remark, HasSubstr("the time was up in round 3"));
  const Explored resumed = explore(ThreeRounds);
  ASSERT_GT(resumed.hashes.size(), cut.hashes.size());
  EXPECT_TRUE(std::ranges::equal(cut.hashes, std::span(resumed.hashes).first(cut.hashes.size())));
  const Explored undisturbed = explore(ThreeRounds);
  EXPECT_EQ(undisturbed.hashes, resumed.hashes);
  EXPECT_EQ(undisturbed.measured, 0);
}

TEST_F(Autotuning, EndsWithTheSameTableAfterItWasKilled) {
  // Killed as soon as each round has begun.
  for (const double last : {1.0, 2.0, 3.0}) {
    std::array<int, 2> pipe_ends{};
    ASSERT_EQ(pipe(pipe_ends.data()), 0);
    const pid_t child = test::start([&] {
      explore(ThreeRounds, 0, [&](double round) {
        if (round >= last && write(pipe_ends[1], "r", 1) != 1) _exit(1);
      });
      return 0;
    });
    close(pipe_ends[1]);
    char told = 0;
    EXPECT_EQ(read(pipe_ends[0], &told, 1), 1) << "it never came to round " << last;
    close(pipe_ends[0]);
    kill(child, SIGKILL);
    test::wait_for(child);
  }
  const std::set<std::string> before = timed_steps(store());
  const Explored resumed = explore(ThreeRounds);
  EXPECT_EQ(static_cast<std::size_t>(resumed.measured), timed_steps(store()).size() - before.size())
      << "something was measured twice";
  const Explored undisturbed = explore(ThreeRounds);
  EXPECT_EQ(undisturbed.hashes, resumed.hashes);
  EXPECT_EQ(undisturbed.table, resumed.table);
  EXPECT_EQ(undisturbed.measured, 0);
}

// Finds a search whose proposals depend on more than its seed and its store.
TEST_F(Autotuning, IsReplayedToTheSameSchedulesAndKeepsWhatWasFoundWhenItIsStopped) {
  const Explored all = explore(ThreeRounds);
  expect_replayed(all);
  expect_kept_of_a_stopped_replay();
  // A schedule without a result is composed of steps, and these are learned from, too.
  const std::string& kept = all.hashes.front();
  auto records =
      MeasurementStore::open(store(), MeasurementStore::Access::Read).value().records().value();
  const auto dropped = std::erase_if(records, [&](const StoreRecord& record) {
    const auto* schedule = std::get_if<ScheduleRecord>(&record);
    const auto* result = std::get_if<ScheduleResult>(&record);
    return (schedule != nullptr && schedule->hash != kept) ||
           (result != nullptr && result->slot.schedule != kept) ||
           std::holds_alternative<SearchRunRecord>(record);
  });
  ASSERT_GT(dropped, 4);
  for (const char* end : {"", "-wal", "-shm"}) std::filesystem::remove(store().string() + end);
  ASSERT_TRUE(MeasurementStore::open(store(), MeasurementStore::Access::Write)
                  .value()
                  .add(records, Existing::Keep));
  expect_replayed(all);
}

TEST_F(Autotuning, NeedsMeasuredSteps) {
  Session session({THALLO_FAULTY_FOLDER});
  const auto prediction = PredictedExploration::open(session, request()).value();
  const auto ran = prediction->run();
  ASSERT_FALSE(ran.has_value());
  EXPECT_THAT(ran.error().message(),
              HasSubstr("learns from the times of steps, which are not measured: choose"));
  const auto cheapest =
      PredictedExploration::open(session, request({{"mode", "one-shot"}})).value();
  EXPECT_TRUE(cheapest->run().has_value());
  // What is chosen has one time in the list and in the figures of the search.
  const auto best = std::ranges::find(cheapest->figures(), "best", &SearchFigure::name);
  ASSERT_NE(best, cheapest->figures().end());
  const std::vector<PredictedSchedule> schedules = cheapest->schedules();
  const auto chosen =
      std::ranges::find(schedules, cheapest->proposed().front(),
                        [](const PredictedSchedule& its) { return its.proposal.hash; });
  ASSERT_NE(chosen, schedules.end());
  EXPECT_DOUBLE_EQ(best->value, chosen->seconds.at(cheapest->request().target.model));
}

}  // namespace
}  // namespace thallo
