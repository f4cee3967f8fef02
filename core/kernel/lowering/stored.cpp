// Everything is stored after what it reads: an intermediate reads intermediates declared before it
// and Sums, and a Sum reads both. The values of an intermediate are stored by one kernel over its
// own domains, at X and at the trial point.

#include "core/kernel/lowering/stored.h"

#include <algorithm>
#include <span>

#include <fmt/format.h>

#include "core/kernel/lowering/gradient.h"
#include "core/kernel/lowering/sum.h"

namespace thallo {
namespace {

// Stores the parallel Sums in these expressions that are not stored yet, inner Sums before those
// around them.
void lower_sums(ProgramBuilder& b, std::span<const ExprId> expressions) {
  const std::vector<ExprId> nodes = b.graph().reachable(expressions);
  for (const PlannedSum& sum : b.plan().sums) {
    if (sum.is_parallel && std::ranges::binary_search(nodes, sum.sum) &&
        !b.stored_sums().contains(sum.sum)) {
      lower_sum(b, sum);
    }
  }
}

void lower_values(ProgramBuilder& b, const Intermediate& intermediate) {
  const FieldId stored = b.stored_values(intermediate);
  Section section{.domains = intermediate.domains, .body = {}};
  const IndexId here = b.graph().indices().intern(intermediate.domains);
  for (std::size_t c = 0; c < intermediate.values.size(); ++c) {
    section.body.push_back(
        {Store{stored, here, static_cast<int>(c), b.inlined(intermediate.values[c])}});
  }
  Kernel kernel{
      .role = "store_values",
      .label = fmt::format("store_values [{}]", b.energy().field(intermediate.field).name)};
  kernel.sections.push_back(std::move(section));
  const std::size_t id = b.add_kernel(std::move(kernel));
  b.launch(Phase::Values, id);
  b.launch(Phase::TrialValues, id, {}, b.at_trial());
}

}  // namespace

void lower_stored(ProgramBuilder& b) {
  for (std::size_t i = 0; i < b.energy().intermediates().size(); ++i) {
    lower_sums(b, b.energy().intermediates()[i].values);
    b.replace_stored_sums(i);
    if (b.plan().intermediates[i].value) lower_values(b, b.intermediate(i));
    lower_gradient(b, i);
  }
  for (const ResidualGroup& group : b.energy().groups()) lower_sums(b, group.residuals);
}

}  // namespace thallo
