#include "core/explore/verify/conformance.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <random>
#include <utility>

#include "core/backend/half_range.h"
#include "core/base/error.h"
#include "core/energy/evaluate/evaluator.h"
#include "core/energy/evaluate/unknown_layout.h"

namespace thallo {
namespace {

// The error of `value` relative to the companion. An infinite companion (the point is beside a
// pole) bounds nothing, so the magnitude of the true value takes its place. An absolute error up to
// `allowed` does not count.
double entry_error(double value, double truth, double companion, double allowed = 0) {
  double difference = std::abs(value - truth);
  if (!(difference >= 0)) return 1;  // NaN
  difference = std::max(0.0, difference - allowed);
  const double magnitude = std::isfinite(companion) ? companion : std::abs(truth);
  return magnitude > 0 ? difference / magnitude : difference;
}

double vector_error(const std::vector<double>& values, const std::vector<double>& truth,
                    const std::vector<double>& magnitudes,
                    const std::vector<std::uint8_t>& excluded,
                    const std::vector<double>& allowed = {}) {
  THALLO_ASSERT_EQ(values.size(), truth.size());
  double worst = 0;
  for (std::size_t i = 0; i < truth.size(); ++i) {
    if (!excluded.empty() && excluded[i] != 0) continue;
    worst = std::max(
        worst, entry_error(values[i], truth[i], magnitudes[i], allowed.empty() ? 0 : allowed[i]));
  }
  return worst;
}

// Calls `visit` with the column and the position of the value of each unknown scalar with bounds.
template <class Visit>
void for_each_bounded(const EnergyEvaluator& evaluator, const Energy& energy,
                      const Binding& binding, const Visit& visit) {
  const UnknownLayout& layout = evaluator.layout();
  for (const Bounds& bounds : energy.bounds()) {
    for (std::int64_t e = 0; e < binding.num_elements(energy, bounds.unknown); ++e) {
      for (int c = 0; c < energy.field(bounds.unknown).channels; ++c)
        visit(static_cast<std::size_t>(layout.column(bounds.unknown, e, c)),
              static_cast<std::size_t>(layout.first_value(bounds.unknown, e) + c));
    }
  }
}

// The data with the start that a solve makes of them.
Binding within_bounds(const Energy& energy, Binding binding) {
  if (energy.bounds().empty()) return binding;
  EnergyEvaluator evaluator(energy, binding);
  const EnergyEvaluator::Box box = evaluator.bounds();
  const std::vector<std::uint8_t> excluded = evaluator.excluded();
  std::vector<double> values = evaluator.unknowns();
  for_each_bounded(evaluator, energy, binding, [&](std::size_t column, std::size_t value) {
    if (excluded[column] == 0)
      values[value] = std::clamp(values[value], box.lower[column], box.upper[column]);
  });
  evaluator.layout().scatter(values, binding);
  return binding;
}

std::vector<double> read_vector(Executable& executable, SolverVector vector) {
  return executable.read_buffer(executable.program().vector(vector));
}

// Uniform in [-1, 1], and 0 where the unknown scalar is excluded.
std::vector<double> random_direction(const std::vector<std::uint8_t>& excluded,
                                     std::uint64_t seed) {
  std::vector<double> p(excluded.size());
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (std::size_t i = 0; i < p.size(); ++i) p[i] = excluded[i] != 0 ? 0 : uniform(random);
  return p;
}

// (JtJ + D) p, entry by entry, and p.(JtJ + D) p.
struct DampedProduct {
  std::vector<double> values, magnitudes;
  std::vector<double> lost;  // the absolute errors due to products that are kept in halves
  double p_ap = 0;
  double p_ap_magnitude = 0;
  double p_ap_lost = 0;
};

DampedProduct damped_product(const Linearization& linearization, const std::vector<double>& damping,
                             const std::vector<double>& p, std::vector<double> lost) {
  DampedProduct result{linearization.jtjp(p), linearization.jtjp_magnitude(p), std::move(lost)};
  for (std::size_t i = 0; i < p.size(); ++i) {
    result.values[i] += damping[i] * p[i];
    result.magnitudes[i] += std::abs(damping[i] * p[i]);
    result.p_ap += p[i] * result.values[i];
    result.p_ap_magnitude += std::abs(p[i]) * result.magnitudes[i];
    result.p_ap_lost += std::abs(p[i]) * result.lost[i];
  }
  return result;
}

// The products that a program keeps in halves: "J", "JtJ", "Jp".
std::set<std::string> products_in_halves(const KernelProgram& program) {
  std::set<std::string> products;
  for (const BufferDecl& buffer : program.buffers) {
    if (buffer.type == ScalarType::Half)
      products.insert(buffer.name.substr(0, buffer.name.find('.')));
  }
  return products;
}

// What a slot comes to, of all members if the energy is of a batch of them.
double total(Executable& executable, StateSlot slot) {
  std::vector<SolverState> states(executable.num_states());
  executable.read_states(states, executable.all_states());
  double sum = 0;
  for (const SolverState& state : states) sum += at(state, slot);
  return sum;
}

// Lets the members of a batch take part in all phases.
void let_members_work(Executable& executable) {
  SolverState state = executable.read_state();
  at(state, StateSlot::Work) = static_cast<double>(MemberWork::Linearization);
  at(state, StateSlot::Chosen) = 1;
  executable.write_state(state);
}

// Returns the worst error of the cost at X + 1e-3 step, before and after that point is accepted.
// The factor makes the step so short that no Select switches its branch.
double error_after_step(Executable& executable, const Energy& energy, const Binding& binding,
                        std::vector<double> step) {
  for (double& x : step) x *= 1e-3;
  executable.write_buffer(executable.program().vector(SolverVector::X), step);
  double worst = 0;
  std::vector<double> costs;
  const auto add_cost = [&](Phase phase) {
    executable.run(phase);
    costs.push_back(total(executable, StateSlot::Cost));
  };
  executable.run(Phase::Retract);
  executable.run(Phase::TrialValues);
  add_cost(Phase::TrialCost);
  executable.run(Phase::Accept);
  add_cost(Phase::Cost);
  Binding moved = binding;
  // Float data become double first, so that the download does not round the step.
  for (const FieldId unknown : energy.unknowns())
    moved.field(unknown) = moved.field(unknown).to_doubles();
  executable.download_unknowns(moved);
  const Rounded truth = EnergyEvaluator(energy, moved).rounded_cost();
  for (const double cost : costs)
    worst = std::max(worst, entry_error(cost, truth.value, truth.magnitude));
  return worst;
}

// The matrix that a direct solver takes, N x N.
std::vector<double> matrix_of_solver(Executable& executable, std::size_t n) {
  const KernelProgram& program = executable.program();
  if (program.dense_jtj) return executable.read_buffer(*program.dense_jtj);
  const StoredMatrix& matrix = program.matrices.back();
  const std::vector<double> values = executable.read_buffer(matrix.values);
  const auto& maps = executable.sizes().tables().maps;
  const std::vector<std::int32_t>& offsets = maps.at(matrix.offsets);
  const std::vector<std::int32_t>& columns = maps.at(matrix.columns);
  std::vector<double> full(n * n, 0.0);
  for (std::size_t row = 0; row < n; ++row) {
    for (auto k = static_cast<std::size_t>(offsets[row]);
         k < static_cast<std::size_t>(offsets[row + 1]); ++k)
      full[row * n + static_cast<std::size_t>(columns[k])] = values[k];
  }
  return full;
}

}  // namespace

double ConformanceErrors::worst_of_working() const {
  return std::max({masks, cost, jtf, diagonal, blocks, moved, dense});
}

double ConformanceErrors::worst_of_products() const { return std::max({jtjp, p_ap, reset}); }

double ConformanceErrors::worst() const {
  return std::max(worst_of_working(), worst_of_products());
}

bool ConformanceErrors::within(double tolerance, const Plan& plan) const {
  return worst_of_working() <= tolerance &&
         worst_of_products() <= std::max(tolerance, plan.product_tolerance);
}

std::string ConformanceErrors::text() const {
  return fmt::format(
      "masks {:g} cost {:.1e} JtF {:.1e} d {:.1e} blocks {:.1e} JtJp {:.1e} p.Ap {:.1e} reset "
      "{:.1e} moved {:.1e} JtJ {:.1e}",
      masks, cost, jtf, diagonal, blocks, jtjp, p_ap, reset, moved, dense);
}

OperatorTruth::OperatorTruth(const Energy& energy, const Binding& binding)
    : energy_(energy),
      binding_(within_bounds(energy, binding)),
      excluded_(EnergyEvaluator(energy, binding_).excluded()),
      linearization_(EnergyEvaluator(energy, binding_).linearize()),
      masked_(excluded_) {
  if (energy.bounds().empty()) return;
  EnergyEvaluator evaluator(energy, binding_);
  const EnergyEvaluator::Box box = evaluator.bounds();
  const std::vector<double> gradients = linearization_.jtf();
  for_each_bounded(evaluator, energy, binding_, [&](std::size_t column, std::size_t value) {
    const double x = evaluator.unknowns()[value], gradient = gradients[column];
    if ((x <= box.lower[column] && gradient >= 0) || (x >= box.upper[column] && gradient <= 0))
      masked_[column] = 1;
  });
}

ConformanceErrors OperatorTruth::errors_of(Executable& executable, std::uint64_t seed) const {
  const std::vector<double> p = random_direction(excluded_, seed);
  const Expected<void> bound = executable.bind(binding_);
  THALLO_ASSERT(bound.has_value(), "{}", bound.error().message());

  ConformanceErrors errors;
  let_members_work(executable);
  check_linearization(executable, errors);
  if (!executable.program().steps(Phase::DirectSolve).empty()) {
    errors.dense = dense_error(executable);
    return errors;
  }
  check_products(executable, p, errors);
  errors.moved = error_after_step(executable, energy_, binding_, p);
  return errors;
}

void OperatorTruth::check_linearization(Executable& executable, ConformanceErrors& errors) const {
  executable.run(Phase::Setup);
  errors.masks = excludes_the_same(executable) ? 0 : 1;
  executable.run(Phase::Values);
  executable.run(Phase::Cost);
  errors.cost = entry_error(total(executable, StateSlot::Cost), linearization_.cost(),
                            linearization_.cost_magnitude());
  executable.run(Phase::Linearize);
  std::vector<double> jtf = read_vector(executable, SolverVector::B);
  for (double& b : jtf) b = -b;
  errors.jtf = vector_error(jtf, linearization_.jtf(), linearization_.jtf_magnitude(), masked_);
  errors.diagonal =
      vector_error(read_vector(executable, SolverVector::D), linearization_.diagonal(),
                   linearization_.diagonal_magnitude(), {});
  const KernelProgram& program = executable.program();
  for (std::size_t s = 0; s < program.spaces.size(); ++s) {
    const std::optional<std::size_t> blocks = program.spaces[s].blocks;
    if (!blocks) continue;
    errors.blocks = std::max(errors.blocks,
                             vector_error(executable.read_buffer(*blocks), linearization_.blocks(s),
                                          linearization_.blocks_magnitude(s), {}));
  }
}

// JtJ is row-major and symmetric: its row i is JtJ times the i-th unit vector.
double OperatorTruth::dense_error(Executable& executable) const {
  const std::size_t n = excluded_.size();
  const std::vector<double> jtj = matrix_of_solver(executable, n);
  double worst = 0;
  for (std::size_t i = 0; i < n; ++i) {
    std::vector<double> unit(n, 0.0);
    unit[i] = 1;
    const std::vector<double> row(jtj.begin() + static_cast<std::ptrdiff_t>(i * n),
                                  jtj.begin() + static_cast<std::ptrdiff_t>((i + 1) * n));
    worst = std::max(worst, vector_error(row, linearization_.jtjp(unit),
                                         linearization_.jtjp_magnitude(unit), {}));
  }
  return worst;
}

// Forms (JtJ + D) p as a linear iteration does, where p is z because beta is 0, and (JtJ + D) x as
// a residual reset does, with p for x. D is the diagonal d.
void OperatorTruth::check_products(Executable& executable, const std::vector<double>& p,
                                   ConformanceErrors& errors) const {
  const KernelProgram& program = executable.program();
  const std::vector<double> damping = linearization_.diagonal();
  const DampedProduct truth =
      damped_product(linearization_, damping, p, lost_below_halves(products_in_halves(program), p));
  SolverState state = executable.read_state();
  for (const StateSlot slot : {StateSlot::Stop, StateSlot::PAp, StateSlot::Beta})
    at(state, slot) = 0;
  executable.write_state(state);
  executable.write_buffer(program.vector(SolverVector::Damping), damping);
  const bool has_z = program.vectors.contains(SolverVector::Z);
  executable.write_buffer(program.vector(has_z ? SolverVector::Z : SolverVector::R), p);
  executable.run(Phase::Direction);
  executable.run(Phase::Apply);
  errors.jtjp = vector_error(read_vector(executable, SolverVector::Ap), truth.values,
                             truth.magnitudes, {}, truth.lost);
  errors.p_ap = entry_error(total(executable, StateSlot::PAp), truth.p_ap, truth.p_ap_magnitude,
                            truth.p_ap_lost);

  at(state, StateSlot::Resetting) = 1;
  executable.write_state(state);
  executable.write_buffer(program.vector(SolverVector::X), p);
  executable.run(Phase::ResetDirection);
  executable.run(Phase::ResetApply);
  errors.reset = vector_error(read_vector(executable, SolverVector::Ap), truth.values,
                              truth.magnitudes, {}, truth.lost);
  if (const auto overflow = find_half_overflow(executable);
      overflow && exceeds_halves(overflow->product, p)) {
    errors.out_of_range = overflow->text();
  }
}

bool OperatorTruth::excludes_the_same(Executable& executable) const {
  const UnknownLayout layout(energy_, binding_);
  return std::ranges::all_of(energy_.exclusions(), [&](const Exclusion& exclusion) {
    const std::vector<double> is_free =
        executable.read_buffer(executable.program().mask(exclusion.unknown));
    for (std::size_t element = 0; element < is_free.size(); ++element) {
      const std::int64_t column =
          layout.column(exclusion.unknown, static_cast<std::int64_t>(element), 0);
      if ((is_free[element] == 0) != (excluded_[static_cast<std::size_t>(column)] != 0))
        return false;
    }
    return true;
  });
}

// The weight of a row is either contained in the stored J, as its square root, or multiplied in
// later. The larger of the two effects is taken.
std::vector<double> OperatorTruth::lost_below_halves(const std::set<std::string>& products,
                                                     const std::vector<double>& p) const {
  std::vector<double> lost(p.size());
  if (products.empty()) return lost;
  for (const ResidualRow& row : linearization_.rows()) {
    const double weight = std::max(std::sqrt(row.weight.value), row.weight.value);
    double jp = 0;
    double reach = 0;
    for (const AccessPartial& partial : row.partials) {
      const double direction = p[static_cast<std::size_t>(partial.column)];
      jp += partial.value.value * direction;
      reach += std::abs(direction);
    }
    for (const AccessPartial& partial : row.partials) {
      const double j = std::abs(partial.value.value);
      double errors = 0;  // in units of HalfUnderflow, the error of one stored number
      if (products.contains("J")) errors += weight * (std::abs(jp) + j * reach);
      if (products.contains("Jp")) errors += weight * j;
      if (products.contains("JtJ")) errors += reach;
      lost[static_cast<std::size_t>(partial.column)] += HalfUnderflow * errors;
    }
  }
  return lost;
}

// An entry of a stored JtJ adds up shares of several rows. By the Cauchy-Schwarz inequality none is
// larger than the largest entry of the diagonal of JtJ, where J has the partials of several
// accesses to one unknown added up.
bool OperatorTruth::exceeds_halves(std::string_view product, const std::vector<double>& p) const {
  double largest = 0;
  std::vector<double> diagonal(p.size());
  for (const ResidualRow& row : linearization_.rows()) {
    const double root = std::sqrt(row.weight.value);
    double jp = 0;
    for (const SparseEntry& entry : sparse_row(row)) {
      const double j = root * entry.value;
      diagonal[static_cast<std::size_t>(entry.column)] += j * j;
      jp += j * p[static_cast<std::size_t>(entry.column)];
    }
    for (const AccessPartial& partial : row.partials) {
      if (product == "J") largest = std::max(largest, std::abs(root * partial.value.value));
    }
    if (product == "Jp") largest = std::max(largest, std::abs(jp));
  }
  if (product == "JtJ") largest = std::ranges::max(diagonal);
  return largest >= LargestHalf;
}

}  // namespace thallo
