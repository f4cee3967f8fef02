// Any schedule, printed and read again, is the same.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/base/random.h"
#include "core/energy/random/random_energy.h"
#include "core/search/schedule_space.h"
#include "tests/schedule/readings.h"
#include "tests/support/sample_energies.h"

namespace thallo {
namespace {

using test::loaded_constructs;
using test::text_of;

// The statements of the partition first, each of them and the others in any order.
void shuffle_decisions(std::vector<ScheduleStatement>& statements, Random& random) {
  const auto is_placement = [](const ScheduleStatement& s) { return s.method == "split_merge"; };
  const auto first = std::ranges::stable_partition(statements, is_placement).begin();
  for (auto it = first; it != statements.end(); ++it) {
    const auto rest = static_cast<std::size_t>(statements.end() - it);
    std::iter_swap(it, it + static_cast<std::ptrdiff_t>(random.below(rest)));
  }
}

// What messages offer as legal is what a text can say: every choice, also the default.
void expect_choices_are_read(const Energy& energy, const Schedule& schedule) {
  const Plan plan = make_plan(energy, schedule, loaded_constructs()).value();
  for (const Construct* construct : in_stage_order(loaded_constructs())) {
    for (const Site& site : construct->sites(energy, plan)) {
      for (const Choice& choice : construct->choices(energy, plan, site)) {
        const Directive directive{std::string(construct->name()), site, choice};
        const std::string text = construct->print(directive);
        const auto statements = load_schedule_text(text, "printed.sched");
        ASSERT_TRUE(statements) << text << statements.error().message();
        PartNames names;
        const auto read = construct->parse(energy, plan, names, *statements);
        ASSERT_TRUE(read) << text << read.error().message();
        // The placements of a partition are those that change it.
        if (construct->stage() == Stage::Partition) continue;
        EXPECT_EQ(*read, std::vector<Directive>{directive}) << text;
      }
    }
  }
}

// How many of them decide something.
int round_trips(const Energy& energy, std::uint64_t num_schedules) {
  const ScheduleSpace space(energy, loaded_constructs());
  int num_deciding = 0;
  for (std::uint64_t seed = 0; seed < num_schedules; ++seed) {
    const auto normal = normal_form(energy, space.sample(seed).schedule, loaded_constructs());
    EXPECT_TRUE(normal) << normal.error().message();
    if (!normal) break;
    const std::string text = normal->text(loaded_constructs());
    auto statements = load_schedule_text(text, "printed.sched");
    EXPECT_TRUE(statements) << text << statements.error().message();
    if (!statements) break;
    EXPECT_EQ(text_of(energy, *statements), text);
    Random random(seed);
    shuffle_decisions(*statements, random);
    EXPECT_EQ(text_of(energy, *statements), text);
    if (testing::Test::HasFailure()) break;
    num_deciding += normal->empty() ? 0 : 1;
  }
  return num_deciding;
}

TEST(RoundTrip, OfSchedulesOfSampleAndRandomEnergiesAndATextWithSums) {
  EXPECT_GT(round_trips(test::scheduled_energy(), 30), 25);
  for (const test::SampleEnergy& sample : test::sample_energies()) {
    SCOPED_TRACE(sample.name);
    EXPECT_GT(round_trips(sample.energy, 3), 0);
  }
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const RandomEnergy random = make_random_energy(seed);
    SCOPED_TRACE(random.text());
    EXPECT_GT(round_trips(random.energy, 2), 0);
  }
}

TEST(RoundTrip, OfEveryChoice) {
  const Energy& energy = test::scheduled_energy();
  expect_choices_are_read(energy, Schedule());
  const ScheduleSpace space(energy, loaded_constructs());
  for (std::uint64_t seed = 0; seed < 10; ++seed)
    expect_choices_are_read(energy, space.sample(seed).schedule);
}

}  // namespace
}  // namespace thallo
