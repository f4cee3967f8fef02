// Derivatives of stored intermediates. Where the derivatives are stored: those by each unknown
// scalar, over the intermediate's own domains (and those of the Sums they sit in), filled by one
// kernel at each linearization; the chain rule reads them from then on. Where the values are
// stored, derivatives that are made of them read them: of (sin a, cos a) nobody computes the cosine
// again. Constants, and multiples of what is in memory already, are not stored.

#include <map>

#include <fmt/format.h>

#include "core/kernel/program_builder.h"

namespace thallo {
namespace {

// Reads of the stored values, by what they are values of. Leaves are as cheap as a read.
std::map<ExprId, ExprId> reads_of_values(ProgramBuilder& b, const Intermediate& intermediate) {
  std::map<ExprId, ExprId> reads;
  const IndexId here = b.graph().indices().intern(intermediate.domains);
  for (std::size_t c = 0; c < intermediate.values.size(); ++c) {
    const ExprId value = intermediate.values[c];
    if (!b.graph().operands(value).empty())
      reads.emplace(value, b.read(b.stored_values(intermediate), here, static_cast<int>(c)));
  }
  return reads;
}

// A read of what lies in memory here, or a constant times one.
bool is_in_memory(const ExprGraph& g, ExprId value, IndexId here) {
  const std::vector<ExprId> factors = g.operands(value);
  if (g[value].op == Op::Mul && factors.size() == 2 && g.is_constant(factors[0]))
    value = factors[1];
  return g[value].op == Op::Access && g.index(value) == here;
}

// Makes the kernel that stores them, and of each partial a read.
void store(ProgramBuilder& b, const Intermediate& intermediate, std::vector<Gradient>& gradients) {
  ExprGraph& g = b.graph();
  const std::string& name = b.energy().field(intermediate.field).name;
  const IndexId here = g.indices().intern(intermediate.domains);
  std::map<std::vector<DomainId>, std::vector<Partial*>> to_store;  // by what they run over
  for (Gradient& gradient : gradients) {
    for (Partial& partial : gradient) {
      if (g.is_constant(partial.value) || is_in_memory(g, partial.value, here)) continue;
      std::vector<DomainId> domains = intermediate.domains;
      domains.insert(domains.end(), partial.loops.begin(), partial.loops.end());
      to_store[domains].push_back(&partial);
    }
  }
  Kernel kernel{.role = "store_gradient", .label = fmt::format("store_gradient [{}]", name)};
  for (const auto& [domains, partials] : to_store) {
    const FieldId field = b.stored_field(BufferKind::Derivatives, fmt::format("gradient.{}", name),
                                         domains, static_cast<int>(partials.size()));
    const IndexId place = g.indices().intern(domains);
    Section section{.domains = domains, .body = {}};
    for (std::size_t c = 0; c < partials.size(); ++c) {
      const int channel = static_cast<int>(c);
      section.body.push_back({Store{field, place, channel, b.inlined(partials[c]->value)}});
      partials[c]->value = b.read(field, place, channel);
    }
    kernel.sections.push_back(std::move(section));
  }
  if (!kernel.sections.empty()) b.launch(Phase::Linearize, b.add_kernel(std::move(kernel)));
}

}  // namespace

void lower_gradients(ProgramBuilder& b) {
  ExprGraph& g = b.graph();
  for (std::size_t i = 0; i < b.energy().intermediates().size(); ++i) {
    const Materialization& planned = b.plan().intermediates[i];
    if (!planned.value && !planned.gradient) continue;
    const Intermediate& intermediate = b.energy().intermediates()[i];
    std::vector<Gradient> gradients;
    for (const ExprId value : intermediate.values)
      gradients.push_back(b.differentiator().gradient(value));
    if (planned.value) {
      const std::map<ExprId, ExprId> reads = reads_of_values(b, intermediate);
      for (Gradient& gradient : gradients) {
        for (Partial& partial : gradient) partial.value = g.replace(partial.value, reads);
      }
    }
    if (planned.gradient) store(b, intermediate, gradients);
    b.direct_differentiator().define(intermediate.field, intermediate.domains, gradients);
    b.differentiator().define(intermediate.field, intermediate.domains, std::move(gradients));
  }
}

}  // namespace thallo
