#pragma once

// How often the phases of a program run in a solve.

#include <string_view>

#include "core/kernel/program.h"

namespace thallo {

// How often a phase runs: once per ...
enum class Frequency { Solve, NonlinearIteration, LinearIteration, ResidualReset };
Frequency frequency_of(Phase phase);
std::string_view to_string(Frequency frequency);  // "linear iteration"

}  // namespace thallo
