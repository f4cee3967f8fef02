#include "core/schedule/plan.h"

#include <algorithm>
#include <utility>

#include "core/base/error.h"
#include "core/schedule/energy_facts.h"

namespace thallo {
bool PlannedExtension::concerns(std::string_view part_name, Role its_role) const {
  return part == part_name && role.value_or(its_role) == its_role;
}

bool stores_j(Strategy strategy) {
  return strategy == Strategy::StoredJ || strategy == Strategy::StoredJtJOfStoredJ;
}
bool stores_jtj(Strategy strategy) {
  return strategy == Strategy::StoredJtJ || strategy == Strategy::StoredJtJOfStoredJ;
}
bool stores_jp(Strategy strategy) {
  return strategy == Strategy::StoredJp || strategy == Strategy::StoredJ;
}

bool multiplies_by_library(const Part& part) {
  const auto is_of_library = [](StorageFormat format) {
    return format == StorageFormat::Csr || format == StorageFormat::Dense;
  };
  if (stores_jtj(part.strategy)) return is_of_library(part.jtj_format);
  return stores_j(part.strategy) && is_of_library(part.j_format);
}

std::string_view to_string(const Materialization& stored) {
  if (stored.value) return stored.gradient ? "value+gradient" : "value";
  return stored.gradient ? "gradient" : "inline";
}

Plan default_plan(const Energy& energy) {
  Plan plan;
  for (std::size_t g = 0; g < energy.groups().size(); ++g) {
    const ResidualGroup& group = energy.groups()[g];
    Part part{.name = group.name, .order = group.domains};
    for (std::size_t r = 0; r < group.residuals.size(); ++r) part.residuals.push_back({g, r});
    plan.parts.push_back(std::move(part));
  }
  plan.sums = sums_of(energy);
  plan.intermediates.resize(energy.intermediates().size());
  return plan;
}

const Part* find_part(const Plan& plan, std::string_view name) {
  const auto part = std::ranges::find(plan.parts, name, &Part::name);
  return part == plan.parts.end() ? nullptr : &*part;
}
Part* find_part(Plan& plan, std::string_view name) {
  return const_cast<Part*>(find_part(std::as_const(plan), name));
}

const Part& part_of(const Plan& plan, ResidualRef residual) {
  for (const Part& part : plan.parts) {
    if (std::ranges::find(part.residuals, residual) != part.residuals.end()) return part;
  }
  THALLO_UNREACHABLE();
}
Part& part_of(Plan& plan, ResidualRef residual) {
  return const_cast<Part&>(part_of(std::as_const(plan), residual));
}

}  // namespace thallo
