#pragma once

// The solver state: one struct of doubles on the device from the first day, so that nothing crosses
// to the host inside the linear solve. Slots are channels of the program's rank-0 field `state`.

#include <array>
#include <string_view>

namespace thallo {

// X(Name, doc)
#define THALLO_FOR_EACH_STATE_SLOT(X)                                                     \
  X(Stop, "non-zero: the linear solve is finished, later unrolled iterations do nothing") \
  X(LinearIteration, "linear iterations done in this linear solve")                       \
  X(MaxLinearIterations, "lIterations")                                                   \
  X(Rz, "r.z of the current residual")                                                    \
  X(RzNext, "accumulates r.z of the next residual")                                       \
  X(PAp, "accumulates p.Ap")                                                              \
  X(Beta, "direction coefficient")                                                        \
  X(QSum, "accumulates x.(r+b)")                                                          \
  X(Q, "0.5 x.(r+b) of the previous iteration")                                           \
  X(RNorm2, "accumulates r.r")                                                            \
  X(BNorm2, "b.b of this linear solve")                                                   \
  X(BMax, "largest |b|: the gradient's infinity norm")                                    \
  X(QTolerance, "q_tolerance; 0 = off (Gauss-Newton)")                                    \
  X(ResidualTolerance, "residual_tolerance; 0 = off")                                     \
  X(Damped, "1 for Levenberg-Marquardt, 0 for Gauss-Newton")                              \
  X(Radius, "trust region radius")                                                        \
  X(MinDiagonal, "min_lm_diagonal")                                                       \
  X(MaxDiagonal, "max_lm_diagonal")                                                       \
  X(ResetPeriod, "residual_reset_period; 0 = never")                                      \
  X(Resetting, "1 while the residual is being recomputed")                                \
  X(Cost, "accumulates the cost at the point the cost kernels were bound to")             \
  X(ModelDecrease, "0.5 x.(b+r) + 0.5 x.Dx")                                              \
  X(StepNorm2, "|delta|^2")                                                               \
  X(XNorm2, "|X|^2")                                                                      \
  X(FailedBlocks, "preconditioner blocks whose Cholesky failed, this linear solve")

enum class StateSlot : int {
#define THALLO_STATE_ENUMERATOR(name, doc) name,
  THALLO_FOR_EACH_STATE_SLOT(THALLO_STATE_ENUMERATOR)
#undef THALLO_STATE_ENUMERATOR
};

#define THALLO_STATE_COUNT(name, doc) +1
inline constexpr int num_state_slots = 0 THALLO_FOR_EACH_STATE_SLOT(THALLO_STATE_COUNT);
#undef THALLO_STATE_COUNT

using SolverState = std::array<double, num_state_slots>;

inline double& at(SolverState& state, StateSlot slot) {
  return state[static_cast<std::size_t>(slot)];
}
inline double at(const SolverState& state, StateSlot slot) {
  return state[static_cast<std::size_t>(slot)];
}

}  // namespace thallo
