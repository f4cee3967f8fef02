#pragma once

// How often the phases of a program run during a solve.

#include <string_view>

#include "core/kernel/program.h"

namespace thallo {

// A phase runs once per ...
enum class Frequency { Solve, NonlinearIteration, LinearIteration, ResidualReset };
Frequency frequency_of(Phase phase);
std::string_view to_string(Frequency frequency);  // "linear iteration"

}  // namespace thallo
