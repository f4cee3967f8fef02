#include "core/explore/conformance.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <set>
#include <string>

#include "core/backend/half_range.h"
#include "core/base/error.h"
#include "core/energy/evaluate/evaluator.h"
#include "core/energy/evaluate/unknown_layout.h"

namespace thallo {
namespace {

// Relative to the companion. One that is infinite (beside a pole) bounds nothing: the entry itself
// stands in for it. `allowed` is what may be missing beside that.
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

// The products that a program keeps in halves: "J", "JtJ", "Jp".
std::set<std::string> products_in_halves(const KernelProgram& program) {
  std::set<std::string> products;
  for (const BufferDecl& buffer : program.buffers) {
    if (buffer.type == ScalarType::Half)
      products.insert(buffer.name.substr(0, buffer.name.find('.')));
  }
  return products;
}

// Takes a step short enough not to change which side of a Select is taken, and accepts it.
double error_after_step(Executable& executable, const Energy& energy, const Binding& binding,
                        std::vector<double> step) {
  for (double& x : step) x *= 1e-3;
  executable.write_buffer(executable.program().find_buffer("x"), step);
  double worst = 0;
  std::vector<double> costs;
  const auto add_cost = [&](Phase phase) {
    executable.run(phase);
    costs.push_back(at(executable.read_state(), StateSlot::Cost));
  };
  executable.run(Phase::Retract);
  executable.run(Phase::TrialValues);
  add_cost(Phase::TrialCost);
  executable.run(Phase::Accept);
  add_cost(Phase::Cost);
  Binding moved = binding;
  // Where the data are float, the step must not be rounded.
  for (const FieldId unknown : energy.unknowns())
    moved.field(unknown) = moved.field(unknown).to_doubles();
  executable.download_unknowns(moved);
  const Rounded truth = EnergyEvaluator(energy, moved).rounded_cost();
  for (const double cost : costs)
    worst = std::max(worst, entry_error(cost, truth.value, truth.magnitude));
  return worst;
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
      binding_(binding),
      excluded_(EnergyEvaluator(energy, binding).excluded()),
      linearization_(EnergyEvaluator(energy, binding).linearize()) {}

ConformanceErrors conformance_errors(Executable& executable, const Energy& energy,
                                     const Binding& binding, std::uint64_t seed) {
  return OperatorTruth(energy, binding).errors_of(executable, seed);
}

ConformanceErrors OperatorTruth::errors_of(Executable& executable, std::uint64_t seed) const {
  const Linearization& linearization = linearization_;
  const std::vector<std::uint8_t>& excluded = excluded_;
  std::vector<double> p(excluded.size());
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (std::size_t i = 0; i < p.size(); ++i) p[i] = excluded[i] != 0 ? 0 : uniform(random);

  const Expected<void> bound = executable.bind(binding_);
  THALLO_ASSERT(bound.has_value(), "{}", bound.error().message());
  const KernelProgram& program = executable.program();
  const auto read = [&](const std::string& name) {
    return executable.read_buffer(program.find_buffer(name));
  };

  ConformanceErrors errors;
  executable.run(Phase::Setup);
  errors.masks = excludes_the_same(executable) ? 0 : 1;
  executable.run(Phase::Values);
  executable.run(Phase::Cost);
  errors.cost = entry_error(at(executable.read_state(), StateSlot::Cost), linearization.cost(),
                            linearization.cost_magnitude());
  executable.run(Phase::Linearize);
  std::vector<double> jtf = read("b");
  for (double& b : jtf) b = -b;
  errors.jtf = vector_error(jtf, linearization.jtf(), linearization.jtf_magnitude(), excluded);
  errors.diagonal =
      vector_error(read("d"), linearization.diagonal(), linearization.diagonal_magnitude(), {});
  for (std::size_t s = 0; s < program.spaces.size(); ++s) {
    const std::string name = fmt::format("blocks.{}", s);
    if (std::ranges::find(program.buffers, name, &BufferDecl::name) == program.buffers.end())
      continue;
    errors.blocks = std::max(errors.blocks, vector_error(read(name), linearization.blocks(s),
                                                         linearization.blocks_magnitude(s), {}));
  }
  if (!program.steps(Phase::DenseSolve).empty()) {
    const std::vector<double> jtj = read("JtJ");
    const std::size_t n = p.size();
    for (std::size_t column = 0; column < n; ++column) {
      std::vector<double> unit(n, 0.0);
      unit[column] = 1;
      const std::vector<double> values(jtj.begin() + static_cast<std::ptrdiff_t>(column * n),
                                       jtj.begin() + static_cast<std::ptrdiff_t>((column + 1) * n));
      errors.dense = std::max(errors.dense, vector_error(values, linearization.jtjp(unit),
                                                         linearization.jtjp_magnitude(unit), {}));
    }
    return errors;
  }

  // (JtJ + D) p as a linear iteration forms it: p from z, with the diagonal as D.
  const std::vector<double>& damping = linearization.diagonal();
  const bool has_z =
      std::ranges::find(program.buffers, "z", &BufferDecl::name) != program.buffers.end();
  SolverState state = executable.read_state();
  for (const StateSlot slot : {StateSlot::Stop, StateSlot::PAp, StateSlot::Beta})
    at(state, slot) = 0;
  executable.write_state(state);
  executable.write_buffer(program.find_buffer("damping"), damping);
  executable.write_buffer(program.find_buffer(has_z ? "z" : "r"), p);
  executable.run(Phase::Direction);
  executable.run(Phase::Apply);
  std::vector<double> product = linearization.jtjp(p);
  std::vector<double> magnitude = linearization.jtjp_magnitude(p);
  const std::vector<double> lost = lost_below_halves(products_in_halves(program), p);
  double p_ap = 0;
  double p_ap_magnitude = 0;
  double p_ap_lost = 0;
  for (std::size_t i = 0; i < p.size(); ++i) {
    product[i] += damping[i] * p[i];
    magnitude[i] += std::abs(damping[i] * p[i]);
    p_ap += p[i] * product[i];
    p_ap_magnitude += std::abs(p[i]) * magnitude[i];
    p_ap_lost += std::abs(p[i]) * lost[i];
  }
  errors.jtjp = vector_error(read("Ap"), product, magnitude, {}, lost);
  errors.p_ap =
      entry_error(at(executable.read_state(), StateSlot::PAp), p_ap, p_ap_magnitude, p_ap_lost);

  at(state, StateSlot::Resetting) = 1;
  executable.write_state(state);
  executable.write_buffer(program.find_buffer("x"), p);
  executable.run(Phase::ResetDirection);
  executable.run(Phase::ResetApply);
  errors.reset = vector_error(read("Ap"), product, magnitude, {}, lost);
  if (const auto overflow = find_half_overflow(executable);
      overflow && exceeds_halves(overflow->product, p)) {
    errors.out_of_range = overflow->text();
  }
  errors.moved = error_after_step(executable, energy_, binding_, p);
  return errors;
}

bool OperatorTruth::excludes_the_same(Executable& executable) const {
  const UnknownLayout layout(energy_, binding_);
  return std::ranges::all_of(energy_.exclusions(), [&](const Exclusion& exclusion) {
    const std::string mask = fmt::format("mask.{}", energy_.field(exclusion.unknown).name);
    const std::vector<double> is_free =
        executable.read_buffer(executable.program().find_buffer(mask));
    for (std::size_t element = 0; element < is_free.size(); ++element) {
      const std::int64_t column =
          layout.column(exclusion.unknown, static_cast<std::int64_t>(element), 0);
      if ((is_free[element] == 0) != (excluded_[static_cast<std::size_t>(column)] != 0))
        return false;
    }
    return true;
  });
}

// A row's weight is in the stored J or multiplied later; the larger of the two effects is taken.
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
      double errors = 0;  // of stored numbers, each of HalfUnderflow
      if (products.contains("J")) errors += weight * (std::abs(jp) + j * reach);
      if (products.contains("Jp")) errors += weight * j;
      if (products.contains("JtJ")) errors += reach;
      lost[static_cast<std::size_t>(partial.column)] += HalfUnderflow * errors;
    }
  }
  return lost;
}

// An entry of a stored JtJ adds up shares of several rows; none is larger than the largest entry of
// the diagonal (Cauchy and Schwarz), that of J with the accesses of one unknown added.
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
