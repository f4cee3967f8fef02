// Stored intermediates: one kernel over each one's own domains, in dependency order (an
// intermediate's definition only reads intermediates declared before it). Two buffers: the values
// at X and those at the trial point.

#include <fmt/format.h>

#include "core/kernel/program_builder.h"

namespace thallo {

void lower_values(ProgramBuilder& b) {
  for (std::size_t i = 0; i < b.energy().intermediates().size(); ++i) {
    if (!b.plan().intermediates[i].value) continue;
    const Intermediate& intermediate = b.energy().intermediates()[i];
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
}

}  // namespace thallo
