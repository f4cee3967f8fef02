#include "core/solve/trial_step.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace thallo {

TrialStep TrialStep::of(const SolverState& state, const ProgramTraits& program, double cost_before,
                        bool solved_directly) {
  constexpr double Infinity = std::numeric_limits<double>::infinity();
  TrialStep step{.cost = at(state, program.minimized_cost),
                 .energy_cost = at(state, StateSlot::Cost),
                 .norm = std::sqrt(at(state, StateSlot::StepNorm2)),
                 .promised = at(state, StateSlot::ModelDecrease),
                 .damped_norm2 = at(state, StateSlot::DampedNorm2),
                 .radius = at(state, StateSlot::Radius),
                 .solved_directly = solved_directly,
                 .is_cut = program.has_bounds && at(state, LargestCut) > 0};
  if (step.is_finite()) {
    step.cost_change = cost_before - step.cost;
    step.relative_decrease = step.promised > 0 ? step.cost_change / step.promised : 0;
  } else {
    step.norm = Infinity;
    step.cost_change = step.relative_decrease = -Infinity;
  }
  return step;
}

// Of one unknown with curvature h and damping d, the share is d / (h/2 + d), and the model promises
// 1 / (4 (1 - share)) as much without damping where d is much more than h.
double TrialStep::shortened_by() const {
  // More is what rounding makes of gradients along directions that nothing holds.
  constexpr double Most = 1e8;
  const double rest = promised - damped_norm2;
  if (!(damped_norm2 > 0) || !is_exact()) return 1;
  return rest > 0 ? std::clamp(promised / (4 * rest), 1.0, Most) : Most;
}

bool TrialStep::is_exact() const {
  constexpr double Deviation = 1e-3;
  constexpr double Rounding = 1e-5;  // of a cost and of what the model promises, in float
  const double off = std::abs(relative_decrease - 1);
  return off < Deviation && off * promised <= Deviation * cost + Rounding * (cost + cost_change);
}

bool TrialStep::is_finite() const { return std::isfinite(cost) && std::isfinite(norm); }

IterationRecord record_of(const TrialStep& step, const SolverState& state) {
  IterationRecord record;
  record.cost_change = step.cost_change;
  record.gradient_max = at(state, StateSlot::BMax);
  record.step_norm = step.norm;
  record.relative_decrease = step.relative_decrease;
  record.linear_iterations = std::max(static_cast<int>(step.solved_directly),
                                      static_cast<int>(at(state, StateSlot::LinearIteration)));
  record.failed_blocks = static_cast<int>(at(state, StateSlot::FailedBlocks));
  return record;
}

}  // namespace thallo
