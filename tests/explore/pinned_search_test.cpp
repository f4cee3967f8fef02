// Searches go around pins: whatever they propose keeps them, and `exact` finds the cheapest of the
// schedules that do.
#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/energy/random/random_energy.h"
#include "core/explore/space/full_space.h"
#include "core/search/priced/beam.h"
#include "tests/explore/random_pins.h"
#include "tests/explore/searched.h"

namespace thallo {
namespace {

using test::loaded_constructs;
using test::pins_from;
using test::random_pins;
using test::Searched;
using testing::HasSubstr, testing::SizeIs;

// Spaces with more schedules are not walked.
constexpr std::size_t MostPinned = 6'000;

Energy sited_energy(const std::string& problem, const Options& options) {
  return with_found_intermediates(test::make(problem, options).energy);
}

void expect_all_kept(const Searched& searched, const Searched::Found& found) {
  ASSERT_FALSE(found.proposals.empty());
  for (const Proposal& proposal : found.proposals)
    EXPECT_TRUE(searched.full().keeps_pins(proposal.schedule)) << proposal.text;
}

void expect_pinned_exact(const Searched& searched, const std::vector<double>& all) {
  SCOPED_TRACE(testing::PrintToString(searched.full().pins().texts(loaded_constructs())));
  const auto found = searched.run("exact", {{"propose", 8}});
  EXPECT_THAT(found.remark, HasSubstr("proven: no schedule that keeps the pins"));
  expect_all_kept(searched, found);
  ASSERT_THAT(found.seconds, SizeIs(std::min<std::size_t>(8, all.size())));
  for (std::size_t i = 0; i < found.seconds.size(); ++i)
    EXPECT_NEAR(found.seconds[i], all[i], 1e-9 * all[i]) << "the cheapest but " << i;
}

// Compares `exact` with a walk for random pins that leave few enough schedules.
int compare_exact(const std::string& problem, const Options& options, std::size_t num_pins,
                  std::uint64_t num_seeds, bool low_level = false) {
  const Energy energy = sited_energy(problem, options);
  int num_compared = 0;
  for (std::uint64_t seed = 1; seed <= num_seeds; ++seed) {
    const Searched searched =
        test::searched_problem(problem, options, random_pins(energy, seed, num_pins, low_level));
    const auto all = searched.all_seconds(MostPinned);
    if (!all) continue;
    ++num_compared;
    expect_pinned_exact(searched, *all);
  }
  return num_compared;
}

TEST(PinnedExactSearch, FindsTheCheapest) {
  EXPECT_EQ(compare_exact("curve_fit", {}, 1, 6), 6);
  EXPECT_EQ(compare_exact("curve_fit", {}, 3, 6, true), 6);
  EXPECT_GE(compare_exact("bundle_fusion", {{"dense", false}}, 6, 10), 3);
  int num_compared = 0;
  for (std::uint64_t seed = 1; seed <= 40 && num_compared < 4; ++seed) {
    SCOPED_TRACE(seed);
    RandomEnergy random = make_random_energy(seed);
    Pins pins = random_pins(random.energy, seed, 3);
    const Searched searched(std::move(random.energy), std::move(random.binding),
                            test::shipped("h200"), std::move(pins));
    const auto all = searched.all_seconds(MostPinned);
    if (!all) continue;
    ++num_compared;
    expect_pinned_exact(searched, *all);
  }
  EXPECT_GE(num_compared, 3);
  const Energy energy = sited_energy("bundle_adjustment", {});
  const Searched searched = test::searched_problem(
      "bundle_adjustment", {}, pins_from(energy, "r.vectors:layout('blocked')"));
  const auto all = searched.all_seconds(100'000);
  ASSERT_TRUE(all);
  expect_pinned_exact(searched, *all);
}

TEST(PinnedBeamSearch, ProposesWhatKeepsThePins) {
  const Options small = {{"width", 4}, {"passes", 2}, {"low_level", false}};
  for (const auto& [problem, options] :
       {std::pair<std::string, Options>("image_warping", {{"size", 32}}),
        {"bundle_fusion", {{"dense", false}}}}) {
    const Energy energy = sited_energy(problem, options);
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      const Searched searched =
          test::searched_problem(problem, options, random_pins(energy, seed, 2 * seed, true));
      SCOPED_TRACE(testing::PrintToString(searched.full().pins().texts(loaded_constructs())));
      expect_all_kept(searched, searched.run("beam", small));
    }
  }
  const Energy energy = sited_energy("curve_fit", {});
  for (std::uint64_t seed = 1; seed <= 2; ++seed) {
    const Searched searched =
        test::searched_problem("curve_fit", {}, random_pins(energy, seed, 5, true));
    SCOPED_TRACE(testing::PrintToString(searched.full().pins().texts(loaded_constructs())));
    expect_all_kept(searched, searched.run("beam", {{"width", 4}, {"passes", 2}}));
  }
}

TEST(PinnedBeamSearch, ComesNearToTheCheapest) {
  const Energy energy = sited_energy("curve_fit", {});
  for (const char* text :
       {"r.fit:strategy('JtJp')", "r.fit:strategy('[Jt][[J]p]')\nr.fit.J:precision('half')"}) {
    const Searched searched = test::searched_problem("curve_fit", {}, pins_from(energy, text));
    const double cheapest = searched.all_seconds(MostPinned).value().front();
    const auto found = searched.run("beam", {{"low_level", false}});
    expect_all_kept(searched, found);
    EXPECT_LE(found.seconds.front(), 1.02 * cheapest);
  }
}

class PinnedSearches : public testing::Test {
 protected:
  SearchSpace space_of_all() const {
    return {.energy = energy_, .constructs = loaded_constructs(), .full = full_};
  }
  // All that a search proposes, whose times are those of its pricer.
  std::vector<Proposal> proposed(const std::string& name, const IndexedSpace* indexed = nullptr,
                                 std::optional<std::int64_t> samples = {}) const {
    SearchSpace space = space_of_all();
    space.indexed = indexed;
    space.samples = samples;
    if (indexed != nullptr) space.end = indexed->size();
    space.start = {Proposal::of(*full_.nearest(Schedule()), loaded_constructs())};
    // Deeper schedules are faster, so that greedy goes on.
    space.seconds = [&times = times_](const std::string& hash) {
      return std::optional(
          times.try_emplace(hash, 1.0 / static_cast<double>(times.size() + 1)).first->second);
    };
    const auto run = test::search_named(name).start(space).value();
    std::vector<Proposal> all;
    for (auto batch = run->next(); !batch.empty() && all.size() < 3000; batch = run->next()) {
      for (const Proposal& proposal : batch) space.seconds(proposal.hash);
      all.insert(all.end(), batch.begin(), batch.end());
    }
    return all;
  }
  void expect_kept(const std::vector<Proposal>& proposals) const {
    EXPECT_FALSE(proposals.empty());
    for (const Proposal& proposal : proposals)
      EXPECT_TRUE(full_.keeps_pins(proposal.schedule)) << proposal.text;
  }

  Energy energy_ = sited_energy("bundle_fusion", {{"dense", false}});
  Pins pins_ = random_pins(energy_, 3, 6);
  ScheduleSpace full_{energy_, loaded_constructs(), Precision::Float, nullptr, pins_};
  mutable std::map<std::string, double> times_;
};

TEST_F(PinnedSearches, GreedilyAtRandomAndExhaustivelyKeepThePins) {
  const std::vector<Proposal> found = proposed("greedy");
  expect_kept(found);
  EXPECT_GT(found.size(), 20u);
  FactoredTree tree(energy_, loaded_constructs(), Precision::Float, false, pins_);
  const auto space = FullSpace::make(tree, "s000000000000", {});
  expect_kept(proposed("random", &*space, 30));
  expect_kept(proposed("random", nullptr, 30));
  ASSERT_LT(space->size(), 100'000);
  const std::vector<Proposal> numbered = proposed("exhaustive", &*space);
  expect_kept(numbered);
  if (space->size() < 3000) {
    EXPECT_THAT(numbered, SizeIs(static_cast<std::size_t>(space->size())));
    EXPECT_THAT(proposed("exhaustive"), SizeIs(numbered.size()));
  }
}

// A walk that takes what is cheapest at each site, as autotune makes many.
TEST_F(PinnedSearches, KeepThePinsInGreedyWalks) {
  const test::Made made = test::make("bundle_fusion", {{"dense", false}});
  SearchSpace space = space_of_all();
  space.make_pricer = [&] {
    return std::make_unique<PlanPricer>(energy_, made.instance.binding, PriceOptions(),
                                        test::shipped("h200"));
  };
  BeamOptions options =
      BeamOptions::of(complete_options(BeamOptions::specs(), {{"low_level", false}}).value());
  options.dropout = 1;
  const auto pricer = std::make_shared<StatePricer>(energy_, space.make_pricer, true);
  std::vector<Proposal> found;
  for (std::uint64_t seed = 1; seed <= 20; ++seed)
    found.push_back(
        Proposal::of(walk_greedily(space, options, seed, pricer).value(), loaded_constructs()));
  expect_kept(found);
}

}  // namespace
}  // namespace thallo
