// Everything is stored after what it reads: an intermediate reads intermediates declared before it
// and Sums, and a Sum reads both. The values of an intermediate are stored by one kernel over its
// own domains, at X and at the trial point.

#include "core/kernel/lowering/stages.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "core/kernel/lowering/program_builder.h"
#include "core/kernel/lowering/sum.h"

namespace thallo {
namespace {

// The derivatives of an intermediate, if the plan stores its derivatives or its values: both are
// made known to the chain rule.
//
// Stored derivatives: those by each unknown scalar and by each parallel Sum are fields over the
// intermediate's own domains (and those of the Sums around the access). One kernel fills them at
// each linearization, and the chain rule reads them. Constants, and constant multiples of what is
// in memory already, are not stored.
//
// Stored values: derivatives that contain a value read it. With (sin a, cos a) stored, for example,
// the derivative of the sine reads the stored cosine.

// Reads of the stored values, by the expression whose value they are. Leaves are left out:
// computing one is as cheap as a read.
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

// True if the value is a read of a field at this very index, or a constant times one.
bool is_in_memory(const ExprGraph& g, ExprId value, IndexId here) {
  const std::vector<ExprId> factors = g.operands(value);
  if (g[value].op == Op::Mul && factors.size() == 2 && g.is_constant(factors[0]))
    value = factors[1];
  return g[value].op == Op::Access && g.index(value) == here;
}

std::vector<DomainId> points_of(const Intermediate& intermediate, const Partial& partial) {
  std::vector<DomainId> domains = intermediate.domains;
  domains.insert(domains.end(), partial.loops.begin(), partial.loops.end());
  return domains;
}

// Makes the kernel that stores the partials, equal ones once, and turns each partial into a read.
void store(ProgramBuilder& b, const Intermediate& intermediate,
           const std::vector<Partial*>& partials) {
  ExprGraph& g = b.graph();
  const std::string& name = b.energy().field(intermediate.field).name;
  const IndexId here = g.indices().intern(intermediate.domains);
  std::map<std::vector<DomainId>, std::vector<ExprId>> to_store;  // by the domains they run over
  for (const Partial* partial : partials) {
    if (g.is_constant(partial->value) || is_in_memory(g, partial->value, here)) continue;
    std::vector<ExprId>& values = to_store[points_of(intermediate, *partial)];
    if (std::ranges::find(values, partial->value) == values.end()) values.push_back(partial->value);
  }
  Kernel kernel{.role = "store_gradient", .label = fmt::format("store_gradient [{}]", name)};
  std::map<std::pair<std::vector<DomainId>, ExprId>, ExprId> reads;
  for (const auto& [domains, values] : to_store) {
    const FieldId field = b.stored_field(BufferKind::Derivatives, fmt::format("gradient.{}", name),
                                         domains, static_cast<int>(values.size()));
    const IndexId place = g.indices().intern(domains);
    Section section{.domains = domains};
    for (std::size_t c = 0; c < values.size(); ++c) {
      const int channel = static_cast<int>(c);
      section.body.push_back({Store{field, place, channel, b.inlined(values[c])}});
      reads.emplace(std::pair(domains, values[c]), b.read(field, place, channel));
    }
    kernel.sections.push_back(std::move(section));
  }
  for (Partial* partial : partials) {
    const auto read = reads.find({points_of(intermediate, *partial), partial->value});
    if (read != reads.end()) partial->value = read->second;
  }
  if (!kernel.sections.empty()) b.launch(Phase::Linearize, b.add_kernel(std::move(kernel)));
}

// `intermediate`: position in energy.intermediates().
void lower_gradient(ProgramBuilder& b, std::size_t position) {
  const Materialization& planned = b.plan().intermediates[position];
  const Intermediate& intermediate = b.intermediate(position);
  // Values that are those of the energy are differentiated by the chain rule without a definition.
  const bool is_as_declared = intermediate.values == b.energy().intermediates()[position].values;
  if (!planned.value && !planned.gradient && is_as_declared) return;
  struct Definition {
    Differentiator* by;
    std::vector<Gradient> gradients;
  };
  std::array<Definition, 2> definitions = {
      {{&b.differentiator(), {}}, {&b.direct_differentiator(), {}}}};
  std::vector<Partial*> partials;
  for (Definition& definition : definitions) {
    for (const ExprId value : intermediate.values)
      definition.gradients.push_back(definition.by->gradient(value));
    for (Gradient& gradient : definition.gradients) {
      for (Partial& partial : gradient) partials.push_back(&partial);
    }
  }
  if (planned.value) {
    const std::map<ExprId, ExprId> reads = reads_of_values(b, intermediate);
    for (Partial* partial : partials) partial->value = b.graph().replace(partial->value, reads);
  }
  if (planned.gradient) store(b, intermediate, partials);
  for (Definition& definition : definitions) {
    definition.by->define(intermediate.field, intermediate.domains,
                          std::move(definition.gradients));
  }
}

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
  Section section{.domains = intermediate.domains};
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
