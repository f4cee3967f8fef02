#pragma once

// What a schedule makes of an energy: every kernel, library operation and clear of the program, how
// often it runs, what it costs for given sizes, every buffer and table of indices, and who asked
// for it (askers.h; a buffer of another type is another one).

#include <cstdint>
#include <string>
#include <vector>

#include "core/energy/binding.h"
#include "core/kernel/features.h"
#include "core/kernel/lower.h"
#include "core/schedule/schedule.h"

namespace thallo {

// How often a phase runs.
enum class Frequency { Solve, NonlinearIteration, LinearIteration, ResidualReset };
Frequency frequency_of(Phase phase);
std::string_view to_string(Frequency frequency);  // "linear iteration"

struct ExplainedKernel {
  std::string label;  // "apply_jtjp [fit]", "spmv J.fit" of a library, "clear b", "solve JtJ"
  std::vector<std::string> over;  // what its sections run over: "w, h"; of clears, solves nothing
  Phase phase;                    // where it is launched
  KernelFeatures features;
  std::vector<std::string> asked_by;  // directives as text; empty: every schedule has it
};

struct ExplainedBuffer {
  std::string name;
  std::string what;  // "a scalar per unknown scalar", "a table of indices" of sparse maps
  double bytes = 0;
  std::vector<std::string> asked_by;
};

struct Explanation {
  // One for each step, in the order of phases.
  std::vector<ExplainedKernel> kernels;
  std::vector<ExplainedBuffer> buffers;
};

// The schedule must be legal and in normal form. Fails when the sizes do not fit, and where
// check_program() does.
Expected<Explanation> explain(const Energy& energy, const Schedule& schedule,
                              const ConstructRegistry& constructs, const ProgramOptions& options,
                              const Binding& binding, bool double_precision);

}  // namespace thallo
