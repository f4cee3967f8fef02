#include "core/cost/learned/training_set.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/base/suggest.h"

namespace thallo {

Expected<std::size_t> TrainingSet::problem_number(std::string_view name) const {
  const auto found = std::ranges::find(problems, name);
  if (found != problems.end()) return static_cast<std::size_t>(found - problems.begin());
  return fail(Diagnostic{
      fmt::format("nothing was measured of a problem '{}'{}", name, did_you_mean(name, problems)),
      {},
      problems});
}

}  // namespace thallo
