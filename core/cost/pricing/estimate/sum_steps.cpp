#include "core/cost/pricing/estimate/sum_steps.h"

#include <string>
#include <utility>

namespace thallo {
namespace {

StepWork clear_of(const Table& table, Phase phase) {
  StepWork work{.phase = phase, .kind = StepWork::Kind::Clear, .label = "clear"};
  const double bytes = table.elements * table.element_bytes;
  work.features.points = static_cast<std::int64_t>(table.elements);
  work.features.writes.coalesced = bytes;
  work.features.must_write = bytes;
  return work;
}

// A kernel over the points of the Sum, which computes `roots` and adds one of them to `to`.
StepBuilder kernel_of(const SumAnatomy& sum, const Anatomy& anatomy, Resolver& resolver,
                      const EstimateSizes& sizes, Phase phase, const char* role,
                      const std::vector<ExprId>& roots, const Table& to) {
  StepBuilder step(anatomy.graph(), sizes.extents, phase, role,
                   sizes.points(sum.points, anatomy.graph().indices()),
                   sum.points.empty() ? DomainId() : sum.points.front());
  const Effort effort = resolver(effort_of(anatomy, roots, sum.points, sizes.extents));
  step.operations(effort);
  add_loads(step, anatomy, sizes, effort);
  step.access(Access::Kind::Add, to, sum.here, 1);
  return step;
}

}  // namespace

std::vector<StepWork> sum_value_steps(const SumAnatomy& sum, const Anatomy& anatomy,
                                      Resolver& resolver, const EstimateSizes& sizes) {
  const Table values = field_table(anatomy, sizes, sum.values);
  StepBuilder kernel = kernel_of(sum, anatomy, resolver, sizes, Phase::TrialValues, "store_sum",
                                 {sum.summand}, values);
  std::vector<StepWork> steps = {clear_of(values, Phase::TrialValues)};
  steps.push_back(std::move(kernel).take());
  return steps;
}

std::vector<StepWork> sum_product_steps(const SumAnatomy& sum, const Anatomy& anatomy,
                                        Resolver& resolver, const EstimateSizes& sizes,
                                        VectorStorage vectors) {
  const Table product = field_table(anatomy, sizes, sum.product);
  std::vector<ExprId> derivatives;
  for (const Partial& partial : sum.directions) derivatives.push_back(partial.value);
  StepBuilder kernel =
      kernel_of(sum, anatomy, resolver, sizes, Phase::Apply, "apply_sum", derivatives, product);
  for (const Partial& partial : sum.directions) {
    const int inner = anatomy.sum_of(partial.unknown);
    const Table direction =
        inner < 0
            ? vector_table(anatomy.energy(), sizes, SolverVector::P, partial.unknown, vectors)
            : field_table(anatomy, sizes, anatomy.sums()[static_cast<std::size_t>(inner)].product);
    const double times = sizes.points(partial.loops, anatomy.graph().indices());
    kernel.access(Access::Kind::Read, direction, partial.index, 1, times);
    kernel.multiply_add(times);
  }
  std::vector<StepWork> steps = {clear_of(product, Phase::Apply)};
  steps.push_back(std::move(kernel).take());
  return steps;
}

}  // namespace thallo
