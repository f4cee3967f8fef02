#include "core/explore/verify/agreement.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/error.h"
#include "core/base/random.h"
#include "core/solve/start_state.h"

namespace thallo {
namespace {

constexpr std::uint64_t DirectionSeed = 1;

double difference(const std::vector<double>& a, const std::vector<double>& b) {
  THALLO_ASSERT_EQ(a.size(), b.size());
  double largest = 0;
  double worst = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double apart = std::abs(a[i] - b[i]);
    if (!std::isfinite(apart)) return std::numeric_limits<double>::infinity();
    worst = std::max(worst, apart);
    largest = std::max({largest, std::abs(a[i]), std::abs(b[i])});
  }
  return largest > 0 ? worst / largest : 0;
}

}  // namespace

Operator operator_of(Executable& executable, const SolverOptions& options) {
  executable.write_state(start_state(options));
  for (const Phase phase :
       {Phase::Setup, Phase::Values, Phase::Cost, Phase::Linearize, Phase::SaveScale, Phase::Damp})
    executable.run(phase);
  const KernelProgram& program = executable.program();
  const auto read = [&](SolverVector v) { return executable.read_buffer(program.vector(v)); };
  Operator result{.cost = at(executable.read_state(), StateSlot::Cost),
                  .gradient = read(SolverVector::B),
                  .diagonal = read(SolverVector::D)};
  if (!program.steps(Phase::DirectSolve).empty()) return result;
  // The direction is p = z + beta p: z is drawn and beta is 0.
  Random random(DirectionSeed);
  const SolverVector z =
      program.vectors.contains(SolverVector::Z) ? SolverVector::Z : SolverVector::R;
  std::vector<double> direction = read(z);
  const std::vector<double> free = read(SolverVector::InverseDiagonal);
  for (std::size_t i = 0; i < direction.size(); ++i)
    direction[i] = free[i] == 0 ? 0 : 2 * random.uniform() - 1;
  executable.write_buffer(program.vector(z), direction);
  SolverState state = executable.read_state();
  at(state, StateSlot::Stop) = 0;
  at(state, StateSlot::Beta) = 0;
  executable.write_state(state);
  executable.run(Phase::Direction);
  executable.run(Phase::Apply);
  result.product = read(SolverVector::Ap);
  return result;
}

double disagreement(const Operator& a, const Operator& b) {
  return std::max({difference({a.cost}, {b.cost}), difference(a.gradient, b.gradient),
                   difference(a.diagonal, b.diagonal), difference(a.product, b.product)});
}

double agreement_tolerance(Precision precision) {
  return precision == Precision::Double ? 1e-9 : 1e-3;
}

}  // namespace thallo
