// The small instances that explorations verify schedules on.
#include <gtest/gtest.h>

#include <cstddef>
#include <string>

#include "core/energy/print.h"
#include "tests/problems/loaded_problems.h"
#include "tests/problems/small_instances.h"

namespace thallo::test {
namespace {

std::size_t num_numbers(const Made& made) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < made.energy.fields().size(); ++i)
    count += static_cast<std::size_t>(made.instance.binding.field(FieldId(i)).size());
  return count;
}

Made make_small(const std::string& problem, const Options& given) {
  const Problem& its = **loaded_problems().lookup(problem);
  const Options complete = complete_options(its.options(), given).value();
  const Options small = its.small_options(complete);
  Options merged = given;
  for (const std::string& name : small.names()) merged.set(name, *small.find_value(name));
  return make(problem, merged);
}

TEST(SmallOptions, KeepTheEnergyAndShrinkTheInstance) {
  for (const SmallInstance& variant : small_instances()) {
    SCOPED_TRACE(variant.problem);
    // What the variant decides about the energy, at the sizes of users.
    Options given;
    for (const char* name : {"dense", "method", "dimension"}) {
      if (const PropertyValue* value = variant.options.find_value(name)) given.set(name, *value);
    }
    const Made small = make_small(variant.problem, given);
    EXPECT_LE(num_numbers(small), 20'000u);
    EXPECT_EQ(to_string(small.energy), to_string(make(variant.problem, given).energy));
  }
}

}  // namespace
}  // namespace thallo::test
