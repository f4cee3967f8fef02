#include "tests/support/narrow_plan.h"

#include <utility>

#include "core/schedule/storage_format.h"

namespace thallo::test {

Plan stored_in(ScalarType type, double tolerance, const Energy& energy, Plan plan) {
  for (Part& part : plan.parts) {
    if (!stores_j(part.strategy) || part.j_format == StorageFormat::Structured)
      part.j_type = part.jp_type = type;
    if (jtj_form(energy, part) == JtJForm::Diagonals) part.jtj_type = type;
  }
  plan.product_tolerance = tolerance;
  return plan;
}

Plan stored_in(ScalarType type, double tolerance, const Energy& energy, Strategy strategy) {
  Plan plan = default_plan(energy);
  for (Part& part : plan.parts) {
    part.strategy = strategy;
  }
  return stored_in(type, tolerance, energy, std::move(plan));
}

}  // namespace thallo::test
