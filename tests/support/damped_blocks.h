// The options with which a program has everything that a linearization can have.
#pragma once

#include "core/kernel/lower.h"

namespace thallo::test {

inline constexpr ProgramOptions damped_blocks{
    SolverKind::LevenbergMarquardt, PreconditionerKind::BlockJacobi, LinearSolverKind::Pcg};

}  // namespace thallo::test
