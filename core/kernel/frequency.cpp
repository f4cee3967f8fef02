#include "core/kernel/frequency.h"

#include "core/base/error.h"

namespace thallo {

Frequency frequency_of(Phase phase) {
  switch (phase) {
    case Phase::Setup:
    case Phase::Values:
    case Phase::Cost:
    case Phase::SaveScale:
    case Phase::GroupSums:
    case Phase::Keep:
    case Phase::GoBack: return Frequency::Solve;
    case Phase::Direction:
    case Phase::Apply:
    case Phase::Update: return Frequency::LinearIteration;
    case Phase::ResetDirection:
    case Phase::ResetApply:
    case Phase::ResetUpdate: return Frequency::ResidualReset;
    case Phase::TrialValues:
    case Phase::TrialCost:
    case Phase::Linearize:
    case Phase::Damp:
    case Phase::DirectSolve:
    case Phase::Retract:
    case Phase::Accept: return Frequency::NonlinearIteration;
  }
  THALLO_UNREACHABLE();
}

std::string_view to_string(Frequency frequency) {
  switch (frequency) {
    case Frequency::Solve: return "solve";
    case Frequency::NonlinearIteration: return "nonlinear iteration";
    case Frequency::LinearIteration: return "linear iteration";
    case Frequency::ResidualReset: return "residual reset";
  }
  THALLO_UNREACHABLE();
}

}  // namespace thallo
