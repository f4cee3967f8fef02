#include "core/schedule/stored_found.h"

#include <algorithm>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/energy/found/intermediates.h"

namespace thallo {
namespace {

bool is_stored(Materialization m) { return m.value || m.gradient; }

// A Sum that reads other intermediates is another expression, but keeps its name.
ExprId sum_of_name(const Energy& energy, const std::string& name) {
  const auto sum = std::ranges::find(energy.sums(), name, &NamedSum::name);
  THALLO_ASSERT(sum != energy.sums().end(), "a Sum has lost its name");
  return sum->sum;
}

}  // namespace

bool recomputes_found(const Energy& energy, const Plan& plan) {
  for (std::size_t i = 0; i < plan.intermediates.size(); ++i) {
    if (energy.intermediates()[i].is_found && !is_stored(plan.intermediates[i])) return true;
  }
  return false;
}

PlannedEnergy with_stored_found_only(const Energy& energy, const Plan& plan) {
  std::vector<std::string> stored;
  std::map<std::string, Materialization> by_name;
  for (std::size_t i = 0; i < plan.intermediates.size(); ++i) {
    const Intermediate& intermediate = energy.intermediates()[i];
    const std::string& name = energy.field(intermediate.field).name;
    by_name[name] = plan.intermediates[i];
    if (intermediate.is_found && is_stored(plan.intermediates[i])) stored.push_back(name);
  }
  PlannedEnergy result{stored.empty() ? energy.as_written() : energy.found()->with(stored), plan};
  result.plan.intermediates.clear();
  for (const Intermediate& intermediate : result.energy.intermediates())
    result.plan.intermediates.push_back(by_name.at(result.energy.field(intermediate.field).name));
  for (PlannedSum& sum : result.plan.sums) sum.sum = sum_of_name(result.energy, sum.name);
  return result;
}

}  // namespace thallo
