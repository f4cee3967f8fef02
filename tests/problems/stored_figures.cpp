#include "tests/problems/stored_figures.h"

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
#include "tests/support/loaded_constructs.h"

namespace thallo::test {
namespace {

constexpr std::int64_t Unlimited = std::numeric_limits<std::int64_t>::max();

std::map<std::string, double> by_name(const std::vector<StoredBuffer>& buffers) {
  std::map<std::string, double> bytes;
  for (const StoredBuffer& buffer : buffers) bytes[buffer.name] = buffer.bytes;
  return bytes;
}

}  // namespace

void expect_equal_figures(const SmallInstance& instance, std::uint64_t num_schedules) {
  const Made made = make(instance.problem, instance.options);
  SCOPED_TRACE(instance.problem);
  const Energy sited = with_found_intermediates(made.energy);
  const Precision precision = Precision::Float;
  const ProgramOptions options;
  const InstanceStorage storage(sited, made.instance.binding, options, precision, Unlimited);
  const ScheduleSpace space(sited, loaded_constructs(), precision);
  int num_storing = 0;
  for (std::uint64_t seed = 0; seed < num_schedules && !testing::Test::HasFailure(); ++seed) {
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

}  // namespace thallo::test
