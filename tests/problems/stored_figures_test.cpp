// How much schedules of the problems store, before they are lowered: as InstanceStorage says it and
// as their programs do. With THALLO_SLOW_TESTS of many schedules each.
#include <gtest/gtest.h>

#include <limits>
#include <map>
#include <string>
#include <vector>

#include "core/energy/found/intermediates.h"
#include "core/kernel/instance_storage.h"
#include "core/schedule/plan_print.h"
#include "core/search/schedule_space.h"
#include "tests/problems/loaded_problems.h"
#include "tests/problems/small_instances.h"
#include "tests/support/in_turn.h"
#include "tests/support/loaded_constructs.h"

namespace thallo::test {
namespace {

constexpr std::uint64_t NumSchedules = TakesAllVariants ? 200 : 4;
constexpr std::int64_t Unlimited = std::numeric_limits<std::int64_t>::max();

std::map<std::string, double> by_name(const std::vector<StoredBuffer>& buffers) {
  std::map<std::string, double> bytes;
  for (const StoredBuffer& buffer : buffers) bytes[buffer.name] = buffer.bytes;
  return bytes;
}

// Draws schedules of the instance and expects both to agree on every buffer.
void expect_equal_figures(const SmallInstance& instance) {
  const Made made = make(instance.problem, instance.options);
  SCOPED_TRACE(instance.problem);
  const Energy sited = with_found_intermediates(made.energy);
  const Precision precision = Precision::Float;
  const ProgramOptions options;
  const InstanceStorage storage(sited, made.instance.binding, options, precision, Unlimited);
  const ScheduleSpace space(sited, loaded_constructs(), precision);
  int num_storing = 0;
  for (std::uint64_t seed = 0; seed < NumSchedules && !testing::Test::HasFailure(); ++seed) {
    const Plan plan = space.sample(seed).plan;
    const KernelProgram program = make_program(sited, plan, options);
    const ProgramSizes sizes =
        ProgramSizes::make(program, made.instance.binding, Unlimited).value();
    const std::map<std::string, double> wanted =
        by_name(stored_products(program, sizes, precision));
    const auto found = storage.stored(plan);
    ASSERT_TRUE(found) << found.error().message();
    EXPECT_EQ(by_name(*found), wanted) << to_string(sited, plan);
    num_storing += wanted.empty() ? 0 : 1;
    EXPECT_GE(program_bytes(program, sizes, precision), total_bytes(*found));
  }
  EXPECT_GT(num_storing, 0);
}

TEST(StoredFigures, AreThoseOfTheProgram) {
  for (const SmallInstance& instance : small_instances()) expect_equal_figures(instance);
}

}  // namespace

}  // namespace thallo::test
