// What a solve takes from its program when it begins.
#pragma once

#include "core/backend/backend.h"
#include "core/solve/program_traits.h"
#include "core/solve/summary.h"

namespace thallo {

ProgramTraits traits_of(const Executable& executable);

// Sets what is known before the first iteration; the rest is empty.
SolverSummary start_summary(const KernelProgram& program, const SolverOptions& options);

}  // namespace thallo
