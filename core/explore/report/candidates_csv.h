#pragma once

// Writes candidates as a table for programs.

#include <span>
#include <string>

#include "core/explore/measure/candidate.h"

namespace thallo {

// Returns a header line with the names of the columns, then a line for every candidate. "seconds"
// are measured_seconds() by this kind of result; times that are not there are empty.
std::string candidates_csv(std::span<const Candidate* const> candidates, ResultKind kind);

}  // namespace thallo
