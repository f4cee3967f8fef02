// A finished run as data: what `thallo solve --json` prints and what `thallo worker` answers.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/problem/driver.h"
#include "core/problem/problem.h"

namespace thallo {

// One JSON object; docs/cli.md describes its fields. What is no number (an infinite cost) is null.
std::string run_json(const Problem& problem, const Run& run);
// Every solver option with its value in effect, defaults included, as texts that --set takes.
std::vector<std::pair<std::string, std::string>> effective_options(const SolverOptions& options);
// The record of an iteration, as in the run's `solves`.
std::string record_json(const IterationRecord& record);

}  // namespace thallo
