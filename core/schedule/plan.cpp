#include "core/schedule/plan.h"

namespace thallo {

Plan default_plan(const Energy& energy) {
  Plan plan;
  for (std::size_t g = 0; g < energy.groups().size(); ++g) {
    const ResidualGroup& group = energy.groups()[g];
    Part part{.name = group.name, .residuals = {}, .order = group.domains};
    for (std::size_t r = 0; r < group.residuals.size(); ++r) part.residuals.push_back({g, r});
    plan.parts.push_back(std::move(part));
  }
  plan.intermediates.assign(energy.intermediates().size(), Materialize::Inline);
  return plan;
}

}  // namespace thallo
