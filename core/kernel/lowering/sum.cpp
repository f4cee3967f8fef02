// A kernel over the points of a parallel Sum adds the summands to a stored value, at X and at the
// trial point. Residuals, intermediates and Sums around it read that value. In every linear
// iteration another kernel adds up the Sum's Jp, from which the Jp of the residuals follows.

#include "core/kernel/lowering/sum.h"

#include <fmt/format.h>

namespace thallo {
namespace {

// A kernel with one thread for every point of the Sum.
Kernel sum_kernel(ProgramBuilder& b, const StoredSum& sum, const std::string& role, FieldId to,
                  ExprId addend) {
  std::vector<DomainId> points = sum.domains;
  points.insert(points.end(), sum.summed.begin(), sum.summed.end());
  const IndexId here = b.graph().indices().intern(sum.domains);
  Kernel kernel{.role = role,
                .label = fmt::format("{} [{}]", role, b.program().field(sum.values).name)};
  kernel.sections.push_back({.domains = points, .body = {{ScatterAdd{to, here, 0, addend}}}});
  return kernel;
}

void clear_field(ProgramBuilder& b, Phase phase, FieldId field) {
  b.step(phase, ClearBuffer{b.buffer_of(field)});
}

// The derivative of a parallel Sum in the direction, which is stored.
FieldId direction_of_sum(ProgramBuilder& b, StoredSum& sum) {
  if (sum.product.valid()) return sum.product;
  ExprGraph& g = b.graph();
  std::vector<ExprId> terms;
  for (const Partial& p : b.direct_differentiator().gradient(sum.summand)) {
    const ExprId direction = read_direction(b, p.unknown, p.index, p.channel);
    terms.push_back(g.sum(p.loops, g.mul(b.inlined(p.value), direction)));
  }
  const std::string name = fmt::format("Jp.sum.{}", b.program().field(sum.values).name);
  sum.product = b.stored_field(BufferKind::Product, name, sum.domains, 1);
  b.clear_in_apply(b.buffer_of(sum.product));
  const std::size_t id = b.launch_apply(sum_kernel(b, sum, "apply_sum", sum.product, g.add(terms)));
  b.keep(ProgramBuilder::Later::Directions, ClearBuffer{b.buffer_of(sum.product)});
  b.keep(ProgramBuilder::Later::Directions, LaunchKernel{id, {}, b.x_for_p()});
  return sum.product;
}

}  // namespace

void lower_sum(ProgramBuilder& b, const PlannedSum& planned) {
  ExprGraph& g = b.graph();
  StoredSum sum;
  sum.domains = g.free_domains(planned.sum);
  sum.summed = g.sum_domains(planned.sum);
  sum.summand = b.with_stored_sums(g.operands(planned.sum).front());
  sum.values = b.stored_values(planned, sum.domains);
  const IndexId here = g.indices().intern(sum.domains);
  const ExprId value = g.sum(sum.summed, sum.summand);
  const Gradient gradient = b.differentiator().gradient(value);
  // A Sum without derivatives needs no Jp.
  Gradient by_itself;
  if (!gradient.empty()) by_itself = {{sum.values, here, 0, {}, g.constant(1)}};
  b.differentiator().define(sum.values, sum.domains, {gradient});
  b.direct_differentiator().define(sum.values, sum.domains, {by_itself});
  b.stored_sums().emplace(planned.sum, sum);

  const std::size_t kernel =
      b.add_kernel(sum_kernel(b, sum, "store_sum", sum.values, b.inlined(sum.summand)));
  clear_field(b, Phase::Values, sum.values);
  b.launch(Phase::Values, kernel);
  clear_field(b, Phase::TrialValues, b.trial_values(sum.values));
  b.launch(Phase::TrialValues, kernel, {}, b.at_trial());
}

ExprId read_direction(ProgramBuilder& b, FieldId what, IndexId index, int channel) {
  if (StoredSum* sum = b.find_stored_sum(what)) return b.read(direction_of_sum(b, *sum), index);
  return b.read(b.vector_view(SolverVector::P, what), index, channel);
}

}  // namespace thallo
