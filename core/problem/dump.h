// Writes the files of THALLO_DUMP=DIR for a run (core/base/dump.h): each stage on the way from the
// energy to its kernels, as text:
//
//   00_energy.txt            what is minimized
//   01_derivatives.txt       the partial derivatives of every residual
//   02_schedule.sched        what is decided differently from the default
//   02_auto.txt              what `auto` compared to decide so (choose_schedule.cpp)
//   03_plan.txt              all decisions
//   04_lowered.txt           buffers, phases, and kernels as statements on expressions
//   05_separate_domains.txt  the kernels after this pass over their expressions
//                            (kernel/generate.h),
//   06_factor_sums.txt       ... after this one
//   07_share_partials.txt    ... and after this one
//   08_program.txt           buffers, phases, and the loop nests that are compiled
//   kernels/NAME.c           what the cpu backend compiled; the cuda backend writes NAME.cu,
//                            NAME.ptx and, where the compiler had something to say, NAME.log
#pragma once

#include <string_view>

#include "core/backend/backend.h"
#include "core/energy/energy.h"
#include "core/kernel/generate.h"
#include "core/schedule/construct.h"
#include "core/schedule/plan.h"
#include "core/schedule/schedule.h"

namespace thallo {

// Writes stages 00 and 01.
void dump_energy(const Energy& energy);
// Writes stages 02 and 03. `energy` must be the plan's energy, with what was found in it.
void dump_plan(const Energy& energy, const Schedule& schedule, const ConstructRegistry& constructs,
               const Plan& plan);
// Writes stages 04 to 08. This happens before compiling, so that a failing compilation leaves its
// input.
void dump_program(const GeneratedProgram& generated);
// Writes kernels/ for the cpu backend.
void dump_kernels(const Executable& executable, std::string_view backend);

}  // namespace thallo
