#pragma once

// Explains what a schedule makes of an energy: every kernel, library operation and clear of the
// program, how often it runs and what it costs for given sizes; every buffer and table of indices
// with its bytes; and for each of these the directives that asked for it. A directive
// that only changes the type of a buffer has asked for that buffer too.

#include <string>
#include <vector>

#include "core/energy/binding.h"
#include "core/kernel/features.h"
#include "core/kernel/lower.h"
#include "core/schedule/precision.h"
#include "core/schedule/schedule.h"

namespace thallo {

struct ExplainedKernel {
  std::string label;  // "apply_jtjp [fit]", "spmv J.fit" of a library, "clear b", "solve JtJ"
  // The index spaces of the kernel's sections, each listed once: "W x H", "one point". For a
  // library operation, the shape of its matrix, "24 x 24". Empty for clears and dense solves.
  std::vector<std::string> over;
  Phase phase;  // the phase that launches it
  KernelFeatures features;
  std::vector<std::string> asked_by;  // directives as text; empty: the default schedule has it too
};

struct ExplainedBuffer {
  std::string name;
  std::string what;  // its kind: "a scalar per unknown scalar"; "a table of indices" for a table
  double bytes = 0;
  std::vector<std::string> asked_by;
};

struct Explanation {
  std::vector<ExplainedKernel> kernels;  // one per step, in the order of phases
  std::vector<ExplainedBuffer> buffers;
  // False if the schedule has more directives than MostAskers; nobody looks then for those that
  // asked.
  bool has_askers = true;
};
// To find who asked takes a plan without each directive, and so time that grows with their square.
inline constexpr std::size_t MostAskers = 200;

// The schedule must be legal and in normal form. Fails if the sizes do not fit, and wherever
// check_program() fails.
Expected<Explanation> explain(const Energy& energy, const Schedule& schedule,
                              const ConstructRegistry& constructs, const ProgramOptions& options,
                              const Binding& binding, Precision precision);

}  // namespace thallo
