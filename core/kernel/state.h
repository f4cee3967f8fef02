#pragma once

// The solver state: an array of doubles that lives on the device, so that nothing crosses to the
// host inside the linear solve. Slots are channels of the program's field `state`, which has
// rank 0, or is over the members of a batch. Those marked (host) are written by the host.

#include <array>
#include <string_view>

namespace thallo {

// X(Name, doc)
#define THALLO_FOR_EACH_STATE_SLOT(X)                                                     \
  X(Stop, "non-zero: the linear solve is finished, later unrolled iterations do nothing") \
  X(LinearIteration, "linear iterations done in this linear solve")                       \
  X(MaxLinearIterations, "lIterations; 0 ends a loop that runs (host)")                   \
  X(Rz, "r.z of the current residual")                                                    \
  X(PAp, "accumulates p.Ap, cleared by every update")                                     \
  X(Beta, "direction coefficient")                                                        \
  X(Alpha, "step length of the last iteration")                                           \
  X(Q, "0.5 x.(r+b) of the previous iteration")                                           \
  X(EliminatedQ, "the Q of eliminated unknowns at the start")                             \
  X(BNorm2, "b.b of this linear solve")                                                   \
  X(BMax, "largest |b|: the gradient's infinity norm")                                    \
  X(RelativeBMax, "largest |b| / sqrt(d): of columns of J of length 1")                   \
  X(QTolerance, "q_tolerance; 0 = off (host)")                                            \
  X(ResidualTolerance, "residual_tolerance, or what no iteration gets below (host)")      \
  X(Radius, "the trust region's, of LM (host)")                                           \
  X(StepFactor, "what the step is multiplied by: 1, or less or more than that (host)")    \
  X(MinDiagonal, "min_lm_diagonal (host)")                                                \
  X(MaxDiagonal, "max_lm_diagonal (host)")                                                \
  X(ResetPeriod, "residual_reset_period; 0 = never (host)")                               \
  X(ResetCountdown, "linear iterations until the next residual reset")                    \
  X(Resetting, "1 while the residual is being recomputed")                                \
  X(Cost, "cost at the point the cost kernels were bound to")                             \
  X(CostSum, "accumulates the cost over parts")                                           \
  X(MinimizedCost, "what steps minimize, where that is another cost")                     \
  X(MinimizedSum, "accumulates it over parts")                                            \
  X(ModelDecrease, "0.5 x.(b+r) + 0.5 x.Dx")                                              \
  X(DampedNorm2, "delta.D delta")                                                         \
  X(StepNorm2, "|delta|^2")                                                               \
  X(XNorm2, "|X|^2")                                                                      \
  X(ScaledXNorm2, "X.d X: what X as a step would move the residuals by, squared")         \
  X(LevelsRadius, "Radius when multigrid's coarse levels were made; 0: they were not")    \
  X(LevelsAge, "linear solves since then")                                                \
  X(FailedBlocks, "preconditioner blocks whose Cholesky failed, this linear solve")       \
  X(DirectFailed, "1 if the matrix that was factored last is not positive definite")      \
  X(SumA, "accumulator of one kernel, zero between kernels")                              \
  X(SumB, "accumulator of one kernel, zero between kernels")                              \
  X(SumC, "accumulator of one kernel, zero between kernels")                              \
  X(SumD, "accumulator of one kernel, zero between kernels")                              \
  X(SumE, "accumulator of one kernel, zero between kernels")                              \
  X(Largest, "maximum over one kernel, zero between kernels")                             \
  X(RelativeLargest, "maximum over one kernel, zero between kernels")                     \
  X(Group, "the residual group that is summed (host)")                                    \
  X(GroupCost, "accumulates the group's cost (host)")                                     \
  X(GroupResiduals, "accumulates its residuals that count (host)")                        \
  X(GroupInliers, "accumulates its inliers (host)")                                       \
  X(Work, "of a member of a batch: MemberWork (host)")                                    \
  X(Chosen, "1: Accept, Keep or GoBack copies the member's values, and clears it (host)")

enum class StateSlot : int {
#define THALLO_STATE_ENUMERATOR(name, doc) name,
  THALLO_FOR_EACH_STATE_SLOT(THALLO_STATE_ENUMERATOR)
#undef THALLO_STATE_ENUMERATOR
};

#define THALLO_STATE_COUNT(name, doc) +1
inline constexpr int num_state_slots = 0 THALLO_FOR_EACH_STATE_SLOT(THALLO_STATE_COUNT);
#undef THALLO_STATE_COUNT

// What bounds have cut off: the most of an entry of the step, or at the start how far an entry of X
// was outside; infinity if there is no number between the bounds. Programs with bounds have no
// multigrid, whose slot it is.
inline constexpr StateSlot LargestCut = StateSlot::LevelsRadius;

// The names of the slots, "Stop" ..., indexed by slot.
inline constexpr std::array<std::string_view, num_state_slots> StateSlotNames = {
#define THALLO_STATE_NAME(name, doc) #name,
    THALLO_FOR_EACH_STATE_SLOT(THALLO_STATE_NAME)
#undef THALLO_STATE_NAME
};

// How much of a step a member of a batch takes part in: each includes those before it.
enum class MemberWork { None, Trial, LinearSolve, Linearization };

// Where there is a batch, each of its members has a state of its own.
using SolverState = std::array<double, num_state_slots>;

inline double& at(SolverState& state, StateSlot slot) {
  return state[static_cast<std::size_t>(slot)];
}
inline double at(const SolverState& state, StateSlot slot) {
  return state[static_cast<std::size_t>(slot)];
}

}  // namespace thallo
