#include "tests/support/narrow_plan.h"

#include <utility>

#include "core/schedule/storage_format.h"

namespace thallo::test {

Plan stored_in(ScalarType type, double tolerance, Plan plan) {
  for (Part& part : plan.parts) {
    part.jp_type = type;
    if (part.j_format != StorageFormat::Dense) part.j_type = type;
    if (part.jtj_format == StorageFormat::Structured) part.jtj_type = type;
  }
  plan.product_tolerance = tolerance;
  return plan;
}

Plan stored_in(ScalarType type, double tolerance, const Energy& energy, Strategy strategy) {
  Plan plan = default_plan(energy);
  for (Part& part : plan.parts) {
    part.strategy = strategy;
    part.jtj_format = legal_formats(energy, part, StoredProduct::JtJ).front();
  }
  return stored_in(type, tolerance, std::move(plan));
}

}  // namespace thallo::test
