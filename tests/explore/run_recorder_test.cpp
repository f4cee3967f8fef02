// What explorations write to the store about their searches: what is found, and when.
#include "core/explore/search/run_recorder.h"

#include <gmock/gmock.h>
#include <signal.h>
#include <sys/wait.h>

#include <atomic>
#include <set>
#include <stdexcept>
#include <thread>

#include "core/explore/search/exploration.h"
#include "tests/explore/child_process.h"
#include "tests/explore/explorations.h"
#include "tests/support/temp_dir.h"

namespace thallo {
namespace {

using namespace test;  // NOLINT: explorations of these tests

class RecordedRuns : public testing::Test {
 protected:
  std::filesystem::path store() const { return folder_.path() / "recorded.store"; }
  ExplorationRequest request(const std::string& search) const {
    ExplorationRequest request{
        .target = {.problem = "curve_fit", .backend = "cpu", .num_threads = 1},
        .search = search,
        .num_best = 0};
    request.measurer = small_.options(store(), ResultKind::Composed);
    return request;
  }
  // Returns the hashes of the schedules that got a time. Is cancelled once the run has so many
  // events, if that is not 0.
  std::set<std::string> explore(ExplorationRequest request, std::size_t events = 0) const {
    Session session({THALLO_FAULTY_FOLDER});
    std::atomic<bool> is_cancelled = false;
    request.measurer.resources.is_cancelled = &is_cancelled;
    auto exploration = Exploration::open(session, std::move(request));
    if (!exploration) throw std::runtime_error(exploration.error().message());
    (*exploration)->on_progress([&](const MeasurerProgress&) {
      if (events == 0 || is_cancelled) return;
      const auto recorded = runs();
      is_cancelled = !recorded.empty() && recorded.front().events.size() >= events;
    });
    if (auto ran = (*exploration)->run(); !ran) throw std::runtime_error(ran.error().message());
    std::set<std::string> timed;
    for (const Candidate& candidate : (*exploration)->measurer().candidates())
      if (candidate.composed && candidate.composed->is_ok()) timed.insert(candidate.hash);
    return timed;
  }
  std::vector<SearchRunRecord> runs() const {
    if (!std::filesystem::exists(store())) return {};
    const auto opened = MeasurementStore::open(store(), MeasurementStore::Access::Read);
    const auto listed = opened ? opened->list<SearchRunRecord>() : fail(opened.error());
    return listed ? *listed : std::vector<SearchRunRecord>();
  }
  static std::set<std::string> schedules_of(const SearchRunRecord& run) {
    std::set<std::string> hashes;
    for (const SearchEvent& event : run.events) hashes.insert(event.schedule);
    EXPECT_EQ(hashes.size(), run.events.size()) << "a schedule is an event once";
    return hashes;
  }

  TempDir folder_;
  CurveFitExploration small_;
};

TEST_F(RecordedRuns, HaveAllThatGotATimeInItsOrder) {
  const std::set<std::string> timed = explore(request("exhaustive"));
  ASSERT_EQ(runs().size(), 1u);
  const SearchRunRecord run = runs().front();
  EXPECT_EQ(run.request.search, "exhaustive");
  EXPECT_EQ(run.request.settings.at("model"), "analytic");
  EXPECT_EQ(run.state.ending, SearchEnding::Finished);
  EXPECT_GE(run.events.size(), 18u);
  EXPECT_EQ(schedules_of(run), timed);
  EXPECT_GE(run.state.seconds, run.events.back().at);
  for (const SearchEvent& event : run.events) EXPECT_FALSE(event.was_known);

  // Once more: another run, which finds all of it in the store.
  explore(request("exhaustive"));
  ASSERT_EQ(runs().size(), 2u);
  for (const SearchRunRecord& its : runs()) {
    if (its.id == run.id) continue;
    EXPECT_EQ(schedules_of(its), timed);
    for (const SearchEvent& event : its.events) EXPECT_TRUE(event.was_known);
  }
}

TEST_F(RecordedRuns, HaveTheOptionsOfTheSearchAndWhatItReports) {
  ExplorationRequest asked = request("beam");
  asked.search_options = {{"width", 4}, {"passes", 2}};
  asked.seed = 7;
  asked.measurer.resources.budget = std::chrono::minutes(5);
  explore(std::move(asked));
  ASSERT_EQ(runs().size(), 1u);
  const SearchRunRecord run = runs().front();
  EXPECT_EQ(run.request.options.at("width"), "4");
  EXPECT_EQ(run.request.options.at("freezing"), "false") << "those that were not given, too";
  EXPECT_EQ(run.request.seed, 7u);
  EXPECT_EQ(run.budget, 300);
  ASSERT_FALSE(run.state.figures.empty());
  EXPECT_EQ(run.state.figures.front().name, "states priced");
  EXPECT_GT(run.state.figures.front().value, 0);
}

TEST_F(RecordedRuns, GoOnWhereTheyWereEnded) {
  explore(request("exhaustive"), 3);
  ASSERT_EQ(runs().size(), 1u);
  const SearchRunRecord cut = runs().front();
  EXPECT_EQ(cut.state.ending, SearchEnding::Cancelled);
  ASSERT_GE(cut.events.size(), 3u);
  const std::set<std::string> all = explore(request("exhaustive"));
  ASSERT_EQ(runs().size(), 1u);
  const SearchRunRecord run = runs().front();
  EXPECT_EQ(run.id, cut.id);
  EXPECT_EQ(run.state.ending, SearchEnding::Finished);
  EXPECT_EQ(schedules_of(run), all);
  EXPECT_TRUE(std::ranges::equal(cut.events, std::span(run.events).first(cut.events.size())));
  ASSERT_GT(run.events.size(), cut.events.size());
  EXPECT_GE(run.events[cut.events.size()].at, cut.state.seconds) << "the clock goes on";
}

TEST_F(RecordedRuns, StayWhenTheExplorationIsKilled) {
  const pid_t child = test::start([&] {
    explore(request("exhaustive"));
    return 0;
  });
  const auto has_found = [this] { return !runs().empty() && runs().front().events.size() >= 3; };
  while (!has_found() && waitpid(child, nullptr, WNOHANG) == 0)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  kill(child, SIGKILL);
  test::wait_for(child);
  ASSERT_EQ(runs().size(), 1u);
  const SearchRunRecord killed = runs().front();
  ASSERT_GE(killed.events.size(), 3u);
  const std::set<std::string> all = explore(request("exhaustive"));
  ASSERT_EQ(runs().size(), 1u);
  const SearchRunRecord run = runs().front();
  EXPECT_EQ(run.id, killed.id);
  EXPECT_EQ(run.state.ending, SearchEnding::Finished);
  EXPECT_EQ(schedules_of(run), all);
  EXPECT_TRUE(std::ranges::equal(killed.events, std::span(run.events).first(killed.events.size())));
}

}  // namespace
}  // namespace thallo
