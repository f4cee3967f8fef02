// THALLO_DUMP=DIR: every stage of a compile as text, for reading along and for bug reports.
//
//   DIR/00_energy.txt      what is minimized
//   DIR/07_program.txt     buffers, phases, loop nests
//   DIR/kernels/NAME.c     what the cpu backend compiled (the cuda backend writes .cu and .ptx
//   there)
//
// Numbers are the stages' places on the way; those between belong to schedules. Without THALLO_DUMP
// nothing happens. A file that cannot be written is a warning.
#pragma once

#include "core/backend/backend.h"
#include "core/energy/energy.h"
#include "core/kernel/program.h"

namespace thallo {

// Before it is compiled, so that a failing compile has left its input.
void dump_program(const Energy& energy, const KernelProgram& program, const PassOptions& passes);

void dump_kernels(const Executable& executable, std::string_view backend);

}  // namespace thallo
