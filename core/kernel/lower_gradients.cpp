// Stored derivatives of intermediates: those by each unknown scalar, over the intermediate's own
// domains (and those of the Sums they sit in), filled by one kernel at each linearization. The
// chain rule reads them from then on. Constants are not stored.

#include <map>

#include <fmt/format.h>

#include "core/kernel/program_builder.h"

namespace thallo {

void lower_gradients(ProgramBuilder& b) {
  ExprGraph& g = b.graph();
  for (std::size_t i = 0; i < b.energy().intermediates().size(); ++i) {
    if (!b.plan().intermediates[i].gradient) continue;
    const Intermediate& intermediate = b.energy().intermediates()[i];
    const std::string& name = b.energy().field(intermediate.field).name;

    std::vector<Gradient> gradients;
    for (const ExprId value : intermediate.values)
      gradients.push_back(b.differentiator().gradient(value));
    std::map<std::vector<DomainId>, std::vector<Partial*>> to_store;  // by what they run over
    for (Gradient& gradient : gradients) {
      for (Partial& partial : gradient) {
        if (g.is_constant(partial.value)) continue;
        std::vector<DomainId> domains = intermediate.domains;
        domains.insert(domains.end(), partial.loops.begin(), partial.loops.end());
        to_store[domains].push_back(&partial);
      }
    }
    Kernel kernel{.role = "store_gradient", .label = fmt::format("store_gradient [{}]", name)};
    for (const auto& [domains, partials] : to_store) {
      const FieldId field =
          b.stored_field(BufferKind::Derivatives, fmt::format("gradient.{}", name), domains,
                         static_cast<int>(partials.size()));
      const IndexId here = g.indices().intern(domains);
      Section section{.domains = domains, .body = {}};
      for (std::size_t c = 0; c < partials.size(); ++c) {
        const int channel = static_cast<int>(c);
        section.body.push_back({Store{field, here, channel, b.inlined(partials[c]->value)}});
        partials[c]->value = b.read(field, here, channel);
      }
      kernel.sections.push_back(std::move(section));
    }
    if (!kernel.sections.empty()) b.launch(Phase::Linearize, b.add_kernel(std::move(kernel)));
    b.direct_differentiator().define(intermediate.field, intermediate.domains, gradients);
    b.differentiator().define(intermediate.field, intermediate.domains, std::move(gradients));
  }
}

}  // namespace thallo
