// What is found about an energy is found once, for the energy and its copies.

#include "core/schedule/energy_facts.h"

#include <gtest/gtest.h>

#include <optional>
#include <thread>
#include <vector>

#include "core/schedule/gather.h"
#include "tests/schedule/readings.h"

namespace thallo {
namespace {

using test::scheduled_energy;

std::vector<ResidualRef> residuals_of(const Energy& energy) {
  std::vector<ResidualRef> residuals;
  for (const Part& part : default_plan(energy).parts)
    residuals.insert(residuals.end(), part.residuals.begin(), part.residuals.end());
  return residuals;
}

Energy read_again() {
  return load_energy_text(test::ScheduledText, "scheduled.lua").value().energy;
}

TEST(EnergyFacts, AreSharedByCopiesAndOutliveTheFirst) {
  std::optional<Energy> first = read_again();
  const Energy copy = *first;
  const ResidualFacts* facts = &facts_of(*first, {0, 0});
  first.reset();
  for (const ResidualRef residual : residuals_of(copy))
    EXPECT_EQ(&facts_of(copy, residual), &facts_of(Energy(copy), residual));
  EXPECT_EQ(&facts_of(copy, {0, 0}), facts);
  EXPECT_NE(&facts_of(scheduled_energy(), {0, 0}), facts) << "of an energy that was made apart";
}

TEST(EnergyFacts, AreTheSameForAllThreads) {
  const Energy energy = read_again();
  const std::vector<ResidualRef> residuals = residuals_of(energy);
  std::vector<std::vector<const void*>> found(8);
  {
    std::vector<std::jthread> threads;
    for (std::vector<const void*>& own : found) {
      threads.emplace_back([&] {
        for (const ResidualRef residual : residuals) {
          own.push_back(&facts_of(energy, residual));
          own.push_back(&fixed_offsets_of(energy, residual));
        }
        own.push_back(&sums_of(energy));
        own.push_back(&check_gradient(energy, 0));
      });
    }
  }
  for (const std::vector<const void*>& own : found) EXPECT_EQ(own, found.front());
}

TEST(EnergyFacts, CombineIntoThoseOfAPart) {
  const Energy& energy = scheduled_energy();
  const Plan plan = default_plan(energy);
  const std::vector<ResidualRef>& near = find_part(plan, "near")->residuals;
  const std::vector<ResidualRef>& edge = find_part(plan, "edge")->residuals;
  const std::vector<ResidualRef>& blur = find_part(plan, "blur")->residuals;
  EXPECT_TRUE(check_jtj(energy, near));
  EXPECT_FALSE(reads_through_map(energy, near));
  std::vector<ResidualRef> with_blur = near;
  with_blur.insert(with_blur.end(), blur.begin(), blur.end());
  EXPECT_EQ(check_jtj(energy, with_blur).error(), check_jtj(energy, blur).error());
  // An access without an inverse is named before one at no fixed offset.
  with_blur.insert(with_blur.end(), edge.begin(), edge.end());
  EXPECT_EQ(check_jtj(energy, with_blur).error(), check_jtj(energy, edge).error());
  EXPECT_TRUE(reads_through_map(energy, with_blur));
}

}  // namespace
}  // namespace thallo
