#include "core/solve/step_solver.h"

#include <utility>

#include "core/solve/start_state.h"

namespace thallo {
namespace {

// Far from a minimum they lower the cost by more.
constexpr double LeastDecreaseOfLooseSteps = 0.01;
// The most iterations of a step are a third of what an exact step costs.
constexpr int StepsOfMostIterations = 3;

bool takes_step(const SolverState& state) {
  return at(state, StateSlot::Work) >= static_cast<double>(MemberWork::LinearSolve);
}

}  // namespace

StepSolver::StepSolver(const ProgramTraits& program, const IterationOptions& options)
    : has_direct_solve_(program.solves_directly),
      max_iterations_(options.num_linear_iterations),
      reset_period_(reset_period(options, program)),
      is_loose_(has_direct_solve_ && program.has_linear_loop && max_iterations_ > 0),
      rest_(StepsOfMostIterations * max_iterations_) {}

void StepSolver::choose(const IterationRecord& last) {
  if (!is_loose_ || last.iteration == 0) return;
  rest_ -= last.linear_iterations;
  const double before = last.cost + last.cost_change;
  const bool helps = !last.accepted || last.cost_change > LeastDecreaseOfLooseSteps * before;
  is_loose_ = helps && rest_ > 0 && last.linear_iterations < max_iterations_;
}

std::optional<LinearLoop> StepSolver::begin(std::vector<Phase>& before,
                                            std::span<SolverState> states,
                                            std::function<bool()> is_interrupted) const {
  before.push_back(Phase::Damp);
  for (SolverState& state : states)
    at(state, StateSlot::Stop) = solves_directly() || !takes_step(state) ? 1 : 0;
  if (solves_directly()) before.push_back(Phase::DirectSolve);
  return loop(std::move(is_interrupted));
}

std::optional<LinearLoop> StepSolver::loop(std::function<bool()> is_interrupted) const {
  if (solves_directly() || !solves()) return std::nullopt;
  return LinearLoop{max_iterations_, reset_period_, std::move(is_interrupted)};
}

}  // namespace thallo
