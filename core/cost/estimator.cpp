#include "core/cost/estimator.h"

#include <utility>

#include "core/cost/estimate/anatomy.h"
#include "core/cost/estimate/part_pieces.h"
#include "core/cost/estimate/part_steps.h"
#include "core/cost/estimate/resolver.h"
#include "core/cost/estimate/solver_steps.h"
#include "core/kernel/frequency.h"

namespace thallo {

std::map<MapId, MapStatistics> map_statistics(const Energy& energy, const Binding& binding) {
  std::map<MapId, MapStatistics> result;
  for (std::size_t m = 0; m < energy.maps().size(); ++m) {
    std::vector<std::int64_t> extents;
    for (const DimId dim : energy.maps()[m].out) extents.push_back(binding.extent(dim));
    result.emplace(MapId(m), statistics_of(binding.map(MapId(m)), extents));
  }
  return result;
}

struct Estimator::Implementation {
  Implementation(const Energy& energy, const Binding& binding, std::map<MapId, MapStatistics> maps,
                 Precision precision, const ProgramOptions& options)
      : anatomy(energy),
        sizes{.extents = binding.extents(),
              .num_unknowns = static_cast<double>(binding.num_unknowns(energy)),
              .precision = precision,
              .options = options},
        statistics(std::move(maps)),
        resolver(anatomy, sizes.extents) {
    for (std::size_t f = 0; f < energy.fields().size(); ++f) {
      const FieldKind kind = energy.fields()[f].kind;
      if (kind != FieldKind::Array && kind != FieldKind::Unknown) continue;
      const Table table = field_table(anatomy, sizes, FieldId(f));
      field_bytes += table.elements * table.element_bytes;
    }
    for (const SparseMap& map : energy.maps())
      map_bytes += sizes.elements(map.in) * static_cast<double>(map.out.size()) * 4;
  }

  const PartPieces& pieces_of(const std::vector<ResidualRef>& residuals) {
    if (const auto found = pieces.find(residuals); found != pieces.end()) return found->second;
    return pieces.emplace(residuals, part_pieces(anatomy, residuals, sizes.extents)).first->second;
  }

  // The efforts of a part without reads, under these decisions.
  const PartEfforts& efforts_of(const PartPieces& part,
                                const std::vector<Materialization>& stored) {
    std::pair<const PartPieces*, std::vector<std::pair<bool, bool>>> key{&part, {}};
    for (const std::size_t k : part.intermediates)
      key.second.emplace_back(stored[k].value, stored[k].gradient);
    if (const auto found = efforts.find(key); found != efforts.end()) return found->second;
    resolver.decide(stored);
    const PartEfforts& own = part.efforts;
    PartEfforts resolved{resolver(own.values), resolver(own.derivatives), resolver(own.both)};
    const auto resolve_all = [this](const std::vector<Effort>& from, std::vector<Effort>& to) {
      for (const Effort& effort : from) to.push_back(resolver(effort));
    };
    resolve_all(own.around, resolved.around);
    resolve_all(own.around_with_values, resolved.around_with_values);
    resolve_all(own.at_element, resolved.at_element);
    return efforts.emplace(std::move(key), std::move(resolved)).first->second;
  }

  Anatomy anatomy;
  EstimateSizes sizes;
  std::map<MapId, MapStatistics> statistics;
  Resolver resolver;
  std::map<std::vector<ResidualRef>, PartPieces> pieces;
  std::map<std::pair<const PartPieces*, std::vector<std::pair<bool, bool>>>, PartEfforts> efforts;
  double field_bytes = 0, map_bytes = 0;
};

Estimator::Estimator(const Energy& energy, const Binding& binding,
                     std::map<MapId, MapStatistics> statistics, Precision precision,
                     const ProgramOptions& options)
    : implementation_(std::make_unique<Implementation>(energy, binding, std::move(statistics),
                                                       precision, options)) {}
Estimator::~Estimator() = default;

Estimator::PartWork Estimator::part(const Part& part, const std::vector<Materialization>& stored,
                                    ScalarType vector_type, std::size_t number) {
  Implementation& i = *implementation_;
  const PartPieces& pieces = i.pieces_of(part.residuals);
  PartSteps steps = part_steps(i.anatomy, i.sizes, pieces, i.efforts_of(pieces, stored), part,
                               vector_type, number);
  return {std::move(steps.steps), steps.product_bytes, steps.starts_product};
}

const std::vector<std::size_t>& Estimator::intermediates_of(
    const std::vector<ResidualRef>& residuals) {
  return implementation_->pieces_of(residuals).intermediates;
}

std::vector<StepWork> Estimator::intermediate(std::size_t which,
                                              const std::vector<Materialization>& stored) {
  Implementation& i = *implementation_;
  i.resolver.decide(stored);
  const IntermediateAnatomy& anatomy = i.anatomy.intermediates()[which];
  const Field& field = i.anatomy.energy().field(i.anatomy.energy().intermediates()[which].field);
  const DomainId first = anatomy.domains.empty() ? DomainId() : anatomy.domains.front();
  std::vector<StepWork> steps;
  const auto store = [&](Phase phase, const char* role, const Effort& effort, FieldId to) {
    StepBuilder step(i.anatomy.graph(), i.sizes.extents, phase,
                     std::string(role) + " [" + field.name + "]", i.sizes.elements(field.dims),
                     first);
    step.operations(effort);
    add_loads(step, i.anatomy, i.sizes, effort);
    const Table table = field_table(i.anatomy, i.sizes, to);
    step.at_point(Access::Kind::Store, table, table.element_bytes / table.scalar_bytes);
    steps.push_back(std::move(step).take());
  };
  if (stored[which].value) {
    store(Phase::TrialValues, "store_values", i.resolver.values(which),
          i.anatomy.energy().intermediates()[which].field);
  }
  if (stored[which].gradient && !anatomy.derivatives.empty()) {
    store(Phase::Linearize, "store_gradient", i.resolver.derivatives(which), anatomy.gradient);
  }
  return steps;
}

std::vector<StepWork> Estimator::solver(const Plan& plan, bool starts_product) {
  return solver_steps(implementation_->anatomy, implementation_->sizes, plan, starts_product);
}

ProgramWork Estimator::frame(const std::vector<Materialization>& stored,
                             double product_bytes) const {
  const Implementation& i = *implementation_;
  ProgramWork work{.steps = {}, .maps = i.statistics};
  double intermediates = 0;
  for (std::size_t k = 0; k < stored.size(); ++k) {
    const auto bytes = [&](FieldId field) {
      const Table table = field_table(i.anatomy, i.sizes, field);
      return table.elements * table.element_bytes;
    };
    if (stored[k].value) intermediates += bytes(i.anatomy.energy().intermediates()[k].field);
    if (stored[k].gradient) intermediates += bytes(i.anatomy.intermediates()[k].gradient);
  }
  // Vectors of PCG in a linear iteration, and those beside.
  const double vector = i.sizes.num_unknowns * i.sizes.scalar(ScalarType::Working);
  work.loop_bytes = i.field_bytes + i.map_bytes + intermediates + product_bytes + 6 * vector;
  work.bytes = work.loop_bytes + 4 * vector;
  return work;
}

ProgramWork Estimator::estimate(const Plan& plan) {
  double product_bytes = 0;
  bool starts_product = false;
  std::vector<StepWork> steps;
  const auto append = [&steps](std::vector<StepWork>&& more) {
    for (StepWork& step : more) steps.push_back(std::move(step));
  };
  for (std::size_t k = 0; k < plan.intermediates.size(); ++k)
    append(intermediate(k, plan.intermediates));
  for (std::size_t p = 0; p < plan.parts.size(); ++p) {
    PartWork work = part(plan.parts[p], plan.intermediates, plan.vector_type, p);
    product_bytes += work.product_bytes;
    starts_product = starts_product || work.starts_product;
    append(std::move(work.steps));
  }
  append(solver(plan, starts_product));
  ProgramWork work = frame(plan.intermediates, product_bytes);
  work.steps = std::move(steps);
  return work;
}

}  // namespace thallo
