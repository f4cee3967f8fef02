// A finished run as data. `thallo solve --json` prints it, and `thallo worker` sends it as an
// answer.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/problem/driver.h"
#include "core/problem/problem.h"

namespace thallo {

// Returns one JSON object; docs/cli.md describes its fields. Values that are not numbers in JSON
// (an infinite cost) are null.
std::string run_json(const Problem& problem, const Run& run);
// Returns every solver option with its value in effect, including defaults, as text that --set
// accepts.
std::vector<std::pair<std::string, std::string>> effective_options(const SolverOptions& options);
// Returns the record of an iteration, as in the run's `solves`.
std::string record_json(const IterationRecord& record);

}  // namespace thallo
