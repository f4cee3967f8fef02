#pragma once

// What workers answer to the request "run" (worker.h), read from its JSON. The texts are those of a
// worker of the same program, so a fault in them is a bug and thrown.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/problem/report/report.h"
#include "core/schedule/precision.h"
#include "core/solve/summary.h"

namespace thallo {

// A part of the answer: an iteration, sent when it is done.
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
  std::string schedule;                                     // that ran, as text
  std::string backend;
  std::string device;
  Precision precision = Precision::Float;
  std::int64_t num_unknowns = 0;
  std::int64_t num_residuals = 0;
  double initial_cost = 0;
  double final_cost = 0;
  double compile_seconds = 0;
  double total_seconds = 0;  // from after instantiate to the last solve's end
  SolverSeconds seconds;     // of all solves
  std::vector<RunSolve> solves;
  std::vector<Metric> metrics;
  std::vector<WrittenFile> files;
  std::vector<std::string> warnings;  // of the report: what is suspicious, with what to try
  std::string shortfall;   // of the report; empty if the run reached what the problem promises
  bool cancelled = false;  // then it is what was reached
};

RunIteration read_run_iteration(const std::string& json);
RunAnswer read_run(const std::string& json);

}  // namespace thallo
