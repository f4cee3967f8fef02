#include "core/cost/pricing/estimator.h"

#include <algorithm>
#include <compare>
#include <iterator>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "core/cost/pricing/estimate/kept.h"
#include "core/cost/pricing/estimate/taken_apart.h"
#include "core/kernel/generate.h"
#include "core/schedule/energy_facts.h"

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

StoredValues no_stored_values(const Energy& energy) {
  return {std::vector<Materialization>(energy.intermediates().size()),
          std::vector<bool>(sums_of(energy).size())};
}

StoredValues stored_values(const Plan& plan) {
  StoredValues stored{plan.intermediates, {}};
  for (const PlannedSum& sum : plan.sums) stored.sums.push_back(sum.is_parallel);
  return stored;
}

VectorStorage vector_storage(const Plan& plan) {
  return {.type = plan.vector_type, .order = plan.vector_order};
}

namespace {

using Flags = std::vector<bool>;

// All that the work of a part depends on.
struct PartKey {
  PartKey(const Part& part, const StoredValues& stored, const std::vector<std::size_t>& read,
          VectorStorage its_vectors)
      : residuals(part.residuals),
        order(part.order),
        product(part.strategy, part.j_format, part.jtj_format, part.j_type, part.jtj_type,
                part.jp_type),
        places(part.jtf, part.jtjp, part.jt),
        vectors(its_vectors),
        flags(stored.sums) {
    for (const std::size_t i : read) {
      flags.push_back(stored.intermediates[i].value);
      flags.push_back(stored.intermediates[i].gradient);
    }
  }

  std::vector<ResidualRef> residuals;
  std::vector<DomainId> order;
  std::tuple<Strategy, StorageFormat, StorageFormat, ScalarType, ScalarType, ScalarType> product;
  std::tuple<ComputeAt, ComputeAt, ComputeAt> places;
  VectorStorage vectors;
  Flags flags;  // parallel Sums, then what is stored of the intermediates that are read

  friend auto operator<=>(const PartKey&, const PartKey&) = default;
};

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

// Clears and adds up the values of a Sum at a trial point.
std::vector<StepWork> sum_value_steps(const SumAnatomy& sum, const Anatomy& anatomy,
                                      Resolver& resolver, const EstimateSizes& sizes) {
  const Table values = field_table(anatomy, sizes, sum.values);
  StepBuilder kernel = kernel_of(sum, anatomy, resolver, sizes, Phase::TrialValues, "store_sum",
                                 {sum.summand}, values);
  std::vector<StepWork> steps = {clear_of(values, Phase::TrialValues)};
  steps.push_back(std::move(kernel).take());
  return steps;
}

// The same of what the Sum adds to Jp, in a linear iteration.
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

// The kernels that store what is wanted of an intermediate, under the decisions of the resolver.
std::vector<StepWork> intermediate_steps(std::size_t which, const Materialization& wanted,
                                         TakenApart& i) {
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
  if (wanted.value) {
    store(Phase::TrialValues, "store_values", i.resolver.values(which),
          i.anatomy.energy().intermediates()[which].field);
  }
  if (wanted.gradient && !anatomy.derivatives.empty()) {
    store(Phase::Linearize, "store_gradient", i.resolver.derivatives(which), anatomy.gradient);
  }
  return steps;
}

}  // namespace

struct Estimator::Implementation {
  Implementation(const Energy& of, const Binding& bound, std::map<MapId, MapStatistics> maps,
                 const ProgramOptions& options)
      : energy(of),
        binding(bound),
        sizes{.extents = binding.extents(),
              .num_unknowns = static_cast<double>(binding.num_unknowns(energy)),
              .options = options},
        statistics(std::move(maps)) {
    const Anatomy& anatomy = with(no_stored_values(energy)).anatomy;
    for (std::size_t f = 0; f < energy.fields().size(); ++f) {
      const FieldKind kind = energy.fields()[f].kind;
      if (kind != FieldKind::Array && kind != FieldKind::Unknown) continue;
      const Table table = field_table(anatomy, sizes, FieldId(f));
      field_bytes += table.elements * table.element_bytes;
    }
    for (const SparseMap& map : energy.maps())
      map_bytes += sizes.elements(map.in) * static_cast<double>(map.out.size()) * 4;
  }

  TakenApart& with(const StoredValues& stored) {
    std::unique_ptr<TakenApart>& found = taken_apart[stored.sums];
    // None is left by one that was stopped.
    if (!found) found = std::make_unique<TakenApart>(energy, sizes, stored.sums);
    return *found;
  }

  // Steps compute in the precision of the solve, or in double.
  std::vector<StepWork> in_precision(std::vector<StepWork> steps) const {
    for (StepWork& step : steps) {
      step.in_double = step.in_double || sizes.options.precision == Precision::Double ||
                       (sizes.options.precision == Precision::Mixed && is_exact(step));
    }
    return steps;
  }
  // In mixed precision: as mix_precision() says, but for what is filled for the linear loop.
  static bool is_exact(const StepWork& step) {
    switch (step.phase) {
      case Phase::Values:
      case Phase::TrialValues:
      case Phase::Cost:
      case Phase::TrialCost: return true;
      case Phase::Linearize: return !step.label.starts_with("fill_");
      default: return false;
    }
  }

  // Lowers the steps of pcg, also for other linear solvers: what these do beside is the same for
  // all plans that are compared.
  std::vector<StepWork> solver_steps(VectorStorage vectors, bool starts_product) const {
    ProgramOptions options = sizes.options;
    options.eliminated = {};
    options.linear_solver = pcg_solver();
    if (options.preconditioner->form() == InverseForm::Steps)
      options.preconditioner = jacobi_preconditioner();
    Plan plan = default_plan(energy);
    plan.parts.clear();
    plan.vector_type = vectors.type;
    plan.vector_order = vectors.order;
    const GeneratedProgram program =
        generate(make_solver_program(energy, plan, options, starts_product));
    const auto program_sizes = ProgramSizes::make(program.program, binding);
    if (!program_sizes) return {};  // what does not fit has no price
    return work_of(program, *program_sizes, {}, options.precision).steps;
  }

  const Energy& energy;
  const Binding& binding;
  EstimateSizes sizes;
  std::map<MapId, MapStatistics> statistics;
  std::map<std::vector<bool>, std::unique_ptr<TakenApart>> taken_apart;  // by parallel Sums
  double field_bytes = 0, map_bytes = 0;
  Kept<PartKey, PartWork> parts{MostKept};
  Kept<std::pair<std::size_t, Flags>, std::vector<StepWork>> stored_intermediates{MostKept};
  Kept<std::pair<VectorStorage, bool>, std::vector<StepWork>> solvers{MostKept};
};

Estimator::Estimator(const Energy& energy, const Binding& binding,
                     std::map<MapId, MapStatistics> statistics, const ProgramOptions& options)
    : implementation_(
          std::make_unique<Implementation>(energy, binding, std::move(statistics), options)) {}
Estimator::~Estimator() = default;

const ProgramOptions& Estimator::program_options() const { return implementation_->sizes.options; }

std::shared_ptr<const Estimator::PartWork> Estimator::part(const Part& part,
                                                           const StoredValues& stored,
                                                           VectorStorage vectors) {
  TakenApart& apart = implementation_->with(stored);
  const PartPieces& pieces = apart.pieces_of(part.residuals);
  const PartKey key(part, stored, pieces.intermediates, vectors);
  return implementation_->parts.get(key, [&] {
    PartSteps steps = part_steps(apart.anatomy, apart.sizes, pieces,
                                 *apart.efforts_of(pieces, stored.intermediates), part, vectors);
    PartWork work{.steps = implementation_->in_precision(std::move(steps.steps)),
                  .dense_product = std::move(steps.dense_product),
                  .product_bytes = steps.product_bytes,
                  .starts_product = steps.starts_product};
    if (work.dense_product && apart.sizes.options.precision == Precision::Double)
      work.dense_product->in_double = true;
    if (steps.reads_products_of_sums) work.sums = apart.sums_of_directions(pieces.directions);
    return work;
  });
}

const std::vector<std::size_t>& Estimator::intermediates_of(
    const std::vector<ResidualRef>& residuals, const StoredValues& stored) {
  return implementation_->with(stored).pieces_of(residuals).intermediates;
}

Estimator::Reads Estimator::reads(const std::vector<ResidualRef>& residuals) {
  TakenApart& apart = implementation_->with(no_stored_values(implementation_->energy));
  return apart.reads_in(apart.pieces_of(residuals).efforts.both);
}

Estimator::Reads Estimator::reads(std::size_t intermediate, bool of_gradient) {
  TakenApart& apart = implementation_->with(no_stored_values(implementation_->energy));
  const IntermediateAnatomy& anatomy = apart.anatomy.intermediates()[intermediate];
  return apart.reads_in(effort_of(apart.anatomy, of_gradient ? anatomy.derivatives : anatomy.values,
                                  anatomy.domains, apart.sizes.extents));
}

Estimator::Steps Estimator::intermediate(std::size_t which, const StoredValues& stored) {
  TakenApart& apart = implementation_->with(stored);
  std::pair<std::size_t, Flags> key{which, stored.sums};
  for (const std::size_t i : apart.intermediates_for(which)) {
    key.second.push_back(stored.intermediates[i].value);
    key.second.push_back(stored.intermediates[i].gradient);
  }
  return implementation_->stored_intermediates.get(key, [&] {
    apart.resolver.decide(stored.intermediates);
    return implementation_->in_precision(
        intermediate_steps(which, stored.intermediates[which], apart));
  });
}

std::vector<StepWork> Estimator::sum_values(const StoredValues& stored) {
  TakenApart& apart = implementation_->with(stored);
  apart.resolver.decide(stored.intermediates);
  std::vector<StepWork> steps;
  for (const SumAnatomy& sum : apart.anatomy.sums())
    std::ranges::move(sum_value_steps(sum, apart.anatomy, apart.resolver, apart.sizes),
                      std::back_inserter(steps));
  return implementation_->in_precision(std::move(steps));
}

std::vector<StepWork> Estimator::sum_products(const std::vector<std::size_t>& which,
                                              const StoredValues& stored, VectorStorage vectors) {
  TakenApart& apart = implementation_->with(stored);
  apart.resolver.decide(stored.intermediates);
  std::vector<StepWork> steps;
  for (const std::size_t sum : which)
    std::ranges::move(sum_product_steps(apart.anatomy.sums()[sum], apart.anatomy, apart.resolver,
                                        apart.sizes, vectors),
                      std::back_inserter(steps));
  return implementation_->in_precision(std::move(steps));
}

Estimator::Steps Estimator::solver(const Plan& plan, bool starts_product) {
  const VectorStorage vectors = vector_storage(plan);
  return implementation_->solvers.get({vectors, starts_product}, [&] {
    return implementation_->solver_steps(vectors, starts_product);
  });
}

ProgramWork Estimator::frame(const StoredValues& stored, double product_bytes) {
  const Implementation& i = *implementation_;
  const Anatomy& anatomy = implementation_->with(stored).anatomy;
  ProgramWork work{.maps = i.statistics};
  const auto bytes = [&](FieldId field) {
    const Table table = field_table(anatomy, i.sizes, field);
    return table.elements * table.element_bytes;
  };
  double values = 0;
  for (std::size_t k = 0; k < stored.intermediates.size(); ++k) {
    if (stored.intermediates[k].value) values += bytes(i.energy.intermediates()[k].field);
    if (stored.intermediates[k].gradient) values += bytes(anatomy.intermediates()[k].gradient);
  }
  for (const SumAnatomy& sum : anatomy.sums()) values += bytes(sum.values) + bytes(sum.product);
  // Vectors of PCG in a linear iteration, and those beside.
  const double vector = i.sizes.num_unknowns * i.sizes.scalar(ScalarType::Working);
  work.loop_bytes = i.field_bytes + i.map_bytes + values + product_bytes + 6 * vector;
  work.bytes = work.loop_bytes + 4 * vector;
  return work;
}

Estimator::Pieces Estimator::pieces(const Plan& plan) {
  const StoredValues stored = stored_values(plan);
  const VectorStorage vectors = vector_storage(plan);
  Pieces pieces;
  const auto add = [&pieces](const Steps& steps) {
    for (const StepWork& step : *steps) pieces.steps.push_back(&step);
    pieces.owners.push_back(steps);
  };
  const auto add_new = [&add](std::vector<StepWork> steps) {
    if (!steps.empty()) add(std::make_shared<const std::vector<StepWork>>(std::move(steps)));
  };
  add_new(sum_values(stored));
  for (std::size_t k = 0; k < plan.intermediates.size(); ++k) add(intermediate(k, stored));
  double product_bytes = 0;
  bool starts_product = false;
  std::set<std::size_t> sums;
  const StepWork* dense_product = nullptr;
  for (const Part& its : plan.parts) {
    std::shared_ptr<const PartWork> work = part(its, stored, vectors);
    product_bytes += work->product_bytes;
    starts_product = starts_product || work->starts_product;
    sums.insert(work->sums.begin(), work->sums.end());
    for (const StepWork& step : work->steps) pieces.steps.push_back(&step);
    // Of a kernel's product and a library's the kernel's, which takes longer: those who add parts
    // up take the larger.
    if (work->dense_product &&
        (dense_product == nullptr || work->dense_product->kind == StepWork::Kind::Kernel))
      dense_product = &*work->dense_product;
    pieces.owners.push_back(std::move(work));
  }
  if (dense_product != nullptr) pieces.steps.push_back(dense_product);
  add_new(sum_products({sums.begin(), sums.end()}, stored, vectors));
  add(solver(plan, starts_product));
  pieces.frame = frame(stored, product_bytes);
  return pieces;
}

ProgramWork Estimator::estimate(const Plan& plan) {
  Pieces of_plan = pieces(plan);
  for (const StepWork* step : of_plan.steps) of_plan.frame.steps.push_back(*step);
  return std::move(of_plan.frame);
}

}  // namespace thallo
