// A finished run as data. `thallo solve --json` prints it, and `thallo worker` sends it as a part
// of an answer. docs/cli.md describes its fields; core/problem/run_fields.h declares them.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/problem/driver.h"
#include "core/problem/problem.h"

namespace thallo {

struct SolveRecord {
  double initial_cost = 0;
  double final_cost = 0;
  double initial_minimized_cost = 0;  // what steps minimize
  double final_minimized_cost = 0;
  std::int64_t num_unknowns = 0;
  int num_iterations = 0;  // nonlinear, accepted and rejected
  int num_accepted = 0;
  int num_rejected = 0;
  std::int64_t num_linear_iterations = 0;
  int num_loose = 0;        // steps by pcg before a direct solver found the others
  std::string termination;  // to_string(Termination)
  bool converged = false;
  std::string ending;  // to_string(Ending)
  std::vector<std::string> warnings;
  std::string why;  // a sentence
  double seconds = 0;
  SolverTimes times;
  std::vector<IterationRecord> iterations;
};

struct RunRecord {
  std::string problem;
  std::string instance;                                     // "drawn fish"
  std::vector<std::pair<std::string, std::string>> labels;  // {"cameras", "16"}
  std::string schedule;                                     // text of the schedule that ran
  std::string backend;
  Precision precision = Precision::Float;
  std::string why_precision, solver, linear_solver, why_linear_solver, preconditioner;
  std::int64_t num_unknowns = 0;
  std::int64_t num_free_unknowns = 0;
  std::int64_t num_residuals = 0;
  double initial_cost = 0;
  double final_cost = 0;
  int num_iterations = 0;  // over all solves, like the numbers below
  std::int64_t num_linear_iterations = 0;
  std::int64_t num_failed_blocks = 0;
  std::string ending;
  std::string termination, why;                              // of the last solve
  std::vector<std::pair<std::string, std::string>> options;  // effective_options()
  double compile_seconds = 0;
  double total_seconds = 0;  // from the end of instantiate to the end of the last solve
  SolverSeconds seconds;     // summed over all solves
  std::size_t num_kernels = 0;
  std::size_t num_kernels_from_cache = 0;
  RunFacts facts;                      // of the last solve, but the processor time is of all
  std::vector<GroupSummary> groups;    // of the last solve, if they were asked for
  std::vector<MemberSummary> members;  // of its batch, if there is one
  std::vector<Metric> metrics;
  std::vector<std::string> warnings;  // from the report: what is suspicious, and what to try
  std::string shortfall;              // from the report; empty if the run reached its goal
  std::vector<SolveRecord> solves;

  static RunRecord of(const Problem& problem, const Run& run);
  // Returns one JSON object. Values that are not numbers in JSON (an infinite cost) are null.
  std::string json() const;
};

// Returns every solver option with its value in effect, including defaults, as text that --set
// accepts.
std::vector<std::pair<std::string, std::string>> effective_options(const SolverOptions& options);

}  // namespace thallo
