// Searches by predicted times: `exact` finds what a walk through the whole space finds, and `beam`
// comes near to it, whatever of it is switched off.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "core/energy/random/random_energy.h"
#include "tests/explore/searched.h"
#include "tests/support/energies.h"
#include "tests/support/sample_energies.h"

namespace thallo {
namespace {

using test::loaded_constructs;
using test::search_named;
using test::Searched;
using test::shipped;
using testing::HasSubstr, testing::SizeIs;

// Spaces with more schedules are not walked.
constexpr std::size_t MostCompared = 6'000;

void expect_exact(const Searched& searched, const std::vector<double>& all) {
  const auto found = searched.run("exact", {{"propose", 8}});
  EXPECT_THAT(found.remark, HasSubstr("proven"));
  ASSERT_THAT(found.seconds, SizeIs(std::min<std::size_t>(8, all.size())));
  for (std::size_t i = 0; i < found.seconds.size(); ++i)
    EXPECT_NEAR(found.seconds[i], all[i], 1e-9 * all[i]) << "the cheapest but " << i;
}

TEST(ExactSearch, FindsTheCheapest) {
  for (const char* device : {"h200", "cpu"}) {
    const test::Made made = test::make("curve_fit", {});
    const Searched searched(with_found_intermediates(made.energy), made.instance.binding,
                            shipped(device));
    expect_exact(searched, searched.all_seconds(100'000).value());
  }
  // The time of a step depends on what the program streams, where that is about as much as the
  // cache.
  DeviceSpec device = shipped("h200");
  for (const double cache : {2e3, 1e4, 5e4, 2e5}) {
    device.cache = cache;
    const test::Made made = test::make("curve_fit", {});
    const Searched searched(with_found_intermediates(made.energy), made.instance.binding, device);
    expect_exact(searched, searched.all_seconds(100'000).value());
  }
  // With its found intermediates there are 188,352, which takes long to walk.
  test::Made made = test::make("bundle_adjustment", {});
  const Searched searched(std::move(made.energy), std::move(made.instance.binding),
                          shipped("h200"));
  expect_exact(searched, searched.all_seconds(100'000).value());
}

TEST(ExactSearch, FindsTheCheapestOfRandomEnergiesUnlessItsTimeIsUp) {
  int num_compared = 0;
  for (std::uint64_t seed = 1; seed <= 30 && num_compared < 4; ++seed) {
    SCOPED_TRACE(seed);
    RandomEnergy random = make_random_energy(seed);
    const Searched searched(std::move(random.energy), std::move(random.binding));
    const auto all = searched.all_seconds(MostCompared);
    if (!all) continue;
    ++num_compared;
    expect_exact(searched, *all);
  }
  EXPECT_GE(num_compared, 3);
  // The time is up at the first look at the clock, however fast the machine is.
  const Searched searched = test::searched_problem("image_warping", {{"size", 32}});
  const auto found = searched.run("exact", {{"seconds", 0.0}});
  EXPECT_THAT(found.remark, HasSubstr("not proven: it took more than 0 s"));
  ASSERT_FALSE(found.seconds.empty());
  EXPECT_TRUE(std::ranges::is_sorted(found.seconds));
}

TEST(BeamSearch, ComesNearToTheCheapest) {
  int num_compared = 0;
  for (test::SampleEnergy& sample : test::sample_energies()) {
    if (num_compared == 6) break;
    SCOPED_TRACE(sample.name);
    const Searched searched(std::move(sample.energy), std::move(sample.binding));
    const auto exact = searched.run("exact", {{"seconds", 2.0}, {"propose", 1}});
    if (!exact.remark.starts_with("proven")) continue;
    ++num_compared;
    const auto found = searched.run("beam", {{"low_level", false}});
    ASSERT_FALSE(found.seconds.empty());
    EXPECT_LE(found.seconds.front(), 1.02 * exact.seconds.front());
    EXPECT_TRUE(std::ranges::is_sorted(found.seconds));
  }
  EXPECT_GE(num_compared, 3);
}

TEST(BeamSearch, ComesNearToTheCheapestWhateverIsSwitchedOff) {
  const Searched searched = test::searched_problem("curve_fit");
  const double cheapest = searched.all_seconds(100'000).value().front();
  const std::vector<Options> switched = {
      {{"sampling", true}},           {{"freezing", true}},   {{"memoize", false}},
      {{"penalties", false}},         {{"blessing", false}},  {{"prune_memory", false}},
      {{"prune_recomputation", 0.0}}, {{"low_level", false}}, {{"loosen", true}},
      {{"descent", false}},           {{"passes", 1}},        {{"width", 1}}};
  for (Options options : switched) {
    if (options.find_value("width") == nullptr) options.set("width", 8);
    const auto found = searched.run("beam", options);
    ASSERT_FALSE(found.seconds.empty()) << options.text();
    EXPECT_LE(found.seconds.front(), 1.02 * cheapest) << options.text();
  }
}

// By default its JtJ is a full matrix, with which the strategy would be dropped at once.
TEST(BeamSearch, ProposesOnlyWhatFitsWithItsBestFormat) {
  Energy energy = test::cells_energy();
  Binding binding = test::bind_cells(energy, 20'000, 4'000);
  Searched searched(std::move(energy), std::move(binding), shipped("cpu"));
  const auto found =
      searched.run("beam", {{"width", 1}, {"passes", 1}, {"descent", false}, {"low_level", false}});
  EXPECT_THAT(found.texts().front(), HasSubstr("r.r.JtJ:storage("));
  Searched curve = test::searched_problem("curve_fit");
  const auto all = curve.run("beam").texts();
  curve.fits = [](const Proposal& proposal) {
    return proposal.text.find("[JtJ]p") == std::string::npos;
  };
  const auto fitting = curve.run("beam").texts();
  EXPECT_LT(fitting.size(), all.size());
  EXPECT_FALSE(fitting.empty());
  for (const std::string& text : fitting) EXPECT_EQ(text.find("[JtJ]p"), std::string::npos);
}

TEST(BeamSearch, ProposesTheSameForASeedWhateverIsKept) {
  const Searched searched = test::searched_problem("image_warping", {{"size", 32}});
  const Options options = {{"dropout", 20.0}, {"width", 2}, {"passes", 2}};
  const auto first = searched.run("beam", options, 3);
  EXPECT_EQ(searched.run("beam", options, 3).texts(), first.texts());
  EXPECT_NE(searched.run("beam", options, 4).texts(), first.texts());
  const Searched again = test::searched_problem("curve_fit");
  const auto with = again.run("beam", {{"width", 4}, {"passes", 2}});
  const auto without = again.run("beam", {{"width", 4}, {"passes", 2}, {"memoize", false}});
  EXPECT_EQ(with.texts(), without.texts());
  EXPECT_LT(with.figure("states priced"), without.figure("states priced"));
}

TEST(BeamSearch, PricesLessWithSamplingAndFreezing) {
  const Searched searched = test::searched_problem("image_warping", {{"size", 32}});
  const auto found = [&](Options options) {
    options.set("width", 2);
    options.set("passes", 2);
    return searched.run("beam", options);
  };
  const auto both_on = found({{"sampling", true}, {"freezing", true}});
  EXPECT_LT(both_on.figure("states priced"), found({{"freezing", true}}).figure("states priced"));
  EXPECT_GT(both_on.figure("frozen sites"), 0);
  const auto off = found({{"memoize", false}, {"low_level", false}});
  EXPECT_EQ(off.figure("frozen sites"), 0);
  EXPECT_EQ(off.figure("memo"), 0);
}

TEST(BeamSearch, DropsStatesAtRandom) {
  const Searched searched = test::searched_problem("image_warping", {{"size", 32}});
  const auto best_of = [&](double dropout, std::uint64_t seed) {
    return searched
        .run("beam", {{"dropout", dropout}, {"width", 2}, {"passes", 1}, {"descent", false}}, seed)
        .figure("states priced");
  };
  int num_different = 0;
  for (std::uint64_t seed = 1; seed <= 5; ++seed)
    if (best_of(1, seed) != best_of(100, seed)) ++num_different;
  EXPECT_GE(num_different, 1);
}

// The device has room for the data and for little else.
TEST(BeamSearch, DropsWhatTheDeviceCannotHold) {
  DeviceSpec device = shipped("h200");
  const test::Made made = test::make("image_warping", {{"size", 32}});
  const Energy energy = with_found_intermediates(made.energy);
  PlanPricer pricer(energy, made.instance.binding, PriceOptions(), device);
  device.memory = 1.01 * pricer.estimate(default_plan(energy)).work.bytes;
  const Searched searched(energy, made.instance.binding, device);
  const auto found = searched.run("beam", {{"width", 8}, {"passes", 2}});
  EXPECT_GT(found.figure("pruned"), 0);
  ASSERT_FALSE(found.seconds.empty());
  for (const double seconds : found.seconds) EXPECT_TRUE(std::isfinite(seconds));
  const Options unpruned = {
      {"prune_memory", false}, {"prune_recomputation", 0.0}, {"width", 8}, {"passes", 2}};
  EXPECT_LT(searched.run("beam", unpruned).figure("pruned"), 1);
}

TEST(PricedSearches, EndSoonWhenTheExplorationIsOverAndNeedADevice) {
  Searched searched = test::searched_problem("image_warping", {{"size", 32}});
  for (const char* name : {"beam", "exact"}) {
    int num_asked = 0;
    searched.is_over = [&num_asked] { return ++num_asked > 40; };
    const auto found = searched.run(name);
    EXPECT_LE(found.figure("states priced"), 80) << name;
    EXPECT_LT(num_asked, 400) << name;
    EXPECT_FALSE(found.proposals.empty()) << name;
  }
  const Energy energy = test::make("curve_fit", {}).energy;
  const ScheduleSpace full(energy, loaded_constructs());
  const SearchSpace space{.energy = energy, .constructs = loaded_constructs(), .full = full};
  for (const char* name : {"beam", "exact"})
    EXPECT_THAT(search_named(name).start(space).error().what, HasSubstr("needs predictions"));
}

}  // namespace
}  // namespace thallo
