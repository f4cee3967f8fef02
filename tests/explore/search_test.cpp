// Searches look at schedules that fit alone, and a random one at as many as it is asked for.
#include "core/search/search.h"

#include <gmock/gmock.h>

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/explore/space/full_space.h"
#include "core/language/load_energy.h"
#include "tests/support/loaded_constructs.h"

namespace thallo {
namespace {

using test::loaded_constructs;
using testing::Each, testing::IsSubsetOf, testing::SizeIs;

class Searches : public testing::Test {
 protected:
  static Energy line() {
    auto file = load_energy_text(
        "local N = Dims('N')\n"
        "Inputs { X = Unknown(float, {N}), A = Array(float, {N}) }\n"
        "local n = N()\n"
        "Residuals { fit = {X(n) - A(n), X(n) - 1} }",
        "test.lua");
    if (!file) throw InternalError(file.error().message(), __FILE__, __LINE__);
    return std::move(file->energy);
  }

  static SearchRegistry own_searches() {
    SearchRegistry registry("search");
    add_searches(registry);
    return registry;
  }

  static int number_of(const Proposal& proposal) {
    return std::stoi(proposal.index->substr(proposal.index->find(':') + 1));
  }

  // The numbers of the schedules that a search looks at.
  std::vector<int> numbers(const std::string& search, std::uint64_t seed = 1,
                           std::optional<std::int64_t> samples = {}) const {
    SearchSpace space{.energy = energy_,
                      .constructs = loaded_constructs(),
                      .full = full_,
                      .indexed = &indexed_,
                      .samples = samples,
                      .seed = seed};
    space.end = end_;
    space.fits = fits_;
    space.is_over = is_over_;
    const auto run = (*registry_.lookup(search))->start(space).value();
    std::vector<int> result;
    for (auto batch = run->next(); !batch.empty(); batch = run->next())
      for (const Proposal& proposal : batch) result.push_back(number_of(proposal));
    return result;
  }
  int size() const { return static_cast<int>(indexed_.size()); }
  void only_every(int nth) {
    fits_ = [nth](const Proposal& proposal) { return number_of(proposal) % nth == 0; };
  }

  Energy energy_ = line();
  ScheduleSpace full_{energy_, loaded_constructs()};
  FactoredTree tree_{energy_, loaded_constructs(), Precision::Float, false};
  FullSpace indexed_ = FullSpace::make(tree_, "s000000000000", {}).value();
  SearchRegistry registry_ = own_searches();
  BigCount end_ = indexed_.size();
  std::function<bool(const Proposal&)> fits_ = [](const Proposal&) { return true; };
  std::function<bool()> is_over_ = [] { return false; };
};

TEST_F(Searches, ExhaustivelyLeaveOutWhatDoesNotFit) {
  only_every(7);
  const std::vector<int> all = numbers("exhaustive");
  EXPECT_THAT(all, SizeIs((size() + 6) / 7));
  for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(all[i], 7 * static_cast<int>(i));
}

TEST_F(Searches, AtRandomDrawTheSampleThatIsListed) {
  std::vector<int> listed;
  for (const BigCount& index : sample_indices(indexed_.size(), 5, 3))
    listed.push_back(static_cast<int>(index));
  EXPECT_EQ(numbers("random", 3, 5), listed);
}

TEST_F(Searches, EndWhenTheExplorationIsOver) {
  int calls = 0;
  is_over_ = [&calls] { return ++calls > 4; };
  fits_ = [](const Proposal&) { return false; };
  EXPECT_THAT(numbers("exhaustive"), SizeIs(0));
  EXPECT_LT(calls, 8);
}

TEST_F(Searches, AtRandomGoOnUntilEnoughFit) {
  ASSERT_GT(size(), 80);
  only_every(8);
  const std::vector<int> drawn = numbers("random", 1, 6);
  EXPECT_THAT(drawn, SizeIs(6));
  EXPECT_THAT(std::set<int>(drawn.begin(), drawn.end()), SizeIs(6)) << "none twice";
  for (const int number : drawn) EXPECT_EQ(number % 8, 0);
  EXPECT_EQ(numbers("random", 1, 6), drawn) << "the same for a seed";
  EXPECT_NE(numbers("random", 2, 6), drawn);
  int num_asked = 0;
  const SearchSpace space{.energy = energy_,
                          .constructs = loaded_constructs(),
                          .full = full_,
                          .samples = 5,
                          .seed = 1,
                          .fits = [&num_asked](const Proposal&) { return ++num_asked % 3 == 0; },
                          .is_over = is_over_};
  const auto run = (*registry_.lookup("random"))->start(space).value();
  std::size_t num_proposed = 0;
  for (auto batch = run->next(); !batch.empty(); batch = run->next()) num_proposed += batch.size();
  EXPECT_EQ(num_proposed, 5u);
  EXPECT_EQ(num_asked, 15);
  only_every(10);
  EXPECT_THAT(numbers("random", 1, size()), SizeIs((size() + 9) / 10));
  EXPECT_THAT(numbers("random", 1, size() / 2), SizeIs((size() + 9) / 10));
  fits_ = [](const Proposal&) { return false; };
  EXPECT_THAT(numbers("random", 1, 2), SizeIs(0));
}

// Each of those that fit is drawn as often as any other: by chance 100 +- 10 times.
TEST_F(Searches, AtRandomPreferNoneOfThoseThatFit) {
  ASSERT_GT(size(), 50);
  end_ = 50;
  only_every(5);
  std::map<int, int> times;
  for (std::uint64_t seed = 0; seed < 500; ++seed)
    for (const int number : numbers("random", seed, 2)) ++times[number];
  ASSERT_THAT(times, SizeIs(10));
  for (const auto& [number, count] : times) {
    EXPECT_GT(count, 60) << number;
    EXPECT_LT(count, 140) << number;
  }
}

TEST_F(Searches, GreedilyChangeToWhatFits) {
  SearchSpace space{.energy = energy_, .constructs = loaded_constructs(), .full = full_};
  space.start = {Proposal::of(Schedule(), loaded_constructs())};
  space.seconds = [](const std::string&) { return 1.0; };
  const auto neighbors = [&] {
    const auto run = (*registry_.lookup("greedy"))->start(space).value();
    run->next();
    std::vector<std::string> texts;
    for (const Proposal& proposal : run->next()) texts.push_back(proposal.text);
    return texts;
  };
  const std::vector<std::string> all = neighbors();
  space.fits = [](const Proposal& proposal) {
    return proposal.text.find("[JtJ]p") == std::string::npos;
  };
  const std::vector<std::string> fitting = neighbors();
  EXPECT_LT(fitting.size(), all.size());
  EXPECT_FALSE(fitting.empty());
  EXPECT_THAT(fitting, IsSubsetOf(all));
  EXPECT_THAT(fitting, Each(testing::Not(testing::HasSubstr("[JtJ]p"))));
}

}  // namespace
}  // namespace thallo
