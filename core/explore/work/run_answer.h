#pragma once

// Reads the answers of workers to the request "run" (worker.h) from JSON. The texts come from a
// worker of the same build, so a fault in them is our bug and is thrown.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/problem/report/report.h"
#include "core/schedule/precision.h"
#include "core/solve/summary.h"

namespace thallo {

// One part of the answer: an iteration, sent when it is finished.
struct RunIteration {
  int solve = 0;  // from 0
  IterationRecord record;
};

struct RunSolve {
  double initial_cost = 0;
  double final_cost = 0;
  int num_accepted = 0;
  int num_rejected = 0;
  std::int64_t num_linear_iterations = 0;
  std::string termination;  // to_string(Termination)
  bool converged = false;
  std::string why;  // a sentence
  double seconds = 0;
  std::vector<IterationRecord> iterations;
};

struct RunAnswer {
  std::string problem;
  std::string instance;                                     // "drawn fish"
  std::vector<std::pair<std::string, std::string>> labels;  // {"cameras", "16"}
  std::string schedule;                                     // text of the schedule that ran
  std::string backend;
  std::string device;
  Precision precision = Precision::Float;
  std::int64_t num_unknowns = 0;
  std::int64_t num_residuals = 0;
  double initial_cost = 0;
  double final_cost = 0;
  double compile_seconds = 0;
  double total_seconds = 0;  // from the end of instantiate to the end of the last solve
  SolverSeconds seconds;     // summed over all solves
  std::vector<RunSolve> solves;
  std::vector<Metric> metrics;
  std::vector<WrittenFile> files;
  std::vector<std::string> warnings;  // from the report: what is suspicious, and what to try
  std::string shortfall;              // from the report; empty if the run reached its goal
  bool cancelled = false;             // true if the run was cancelled and the result is partial
};

RunIteration read_run_iteration(const std::string& json);
RunAnswer read_run(const std::string& json);

}  // namespace thallo
