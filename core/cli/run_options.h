// The options that commands on a problem share: which problem, where it is run, and how.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/backend/memory_limit.h"
#include "core/cli/problem_choice.h"
#include "core/cli/session.h"
#include "core/problem/driver.h"

namespace CLI {
class App;
}

namespace thallo::cli {

struct RunOptions {
  ProblemChoice problem;
  std::string backend = "auto";
  int device = 0;
  std::string device_spec;
  std::string solver;
  std::vector<std::string> settings;  // "name=value"
  bool double_precision = false;
  bool single_precision = false;
  int num_threads = 0;
  std::int64_t memory_limit = DefaultMemoryLimit;
  double compile_time_limit = 0;  // seconds; 0 = none
  std::string schedule;
  std::string sites = "default";

  // PROBLEM by its name, and all flags; *this must live as long as the parser.
  void add_to(CLI::App& command);
  // PROBLEM and all flags.
  void add_all_to(CLI::App& command);
  // PROBLEM and what decides which schedules are measured, and on what.
  void add_exploration_flags_to(CLI::App& command);
  // PROBLEM and what decides which measurements are of it.
  void add_report_flags_to(CLI::App& command);
  // What decides which schedule is chosen, and for what, without PROBLEM.
  void add_choice_flags_to(CLI::App& command);
  // All flags, without PROBLEM.
  void add_flags_to(CLI::App& command);
  // PROBLEM and what decides which kernels there are, for commands that run none of them.
  void add_program_flags_to(CLI::App& command);
  // The limit that schedules are listed for.
  void add_memory_limit_to(CLI::App& command);
  // PROBLEM, a schedule and where it is run, whatever the solver is.
  void add_schedule_flags_to(CLI::App& command);
  // The request without the problem's own options. UserError on a setting that is not name=value.
  // The session must outlive the request.
  RunRequest request(Session& session) const;

 private:
  void add_backend_to(CLI::App& command);
  void add_device_spec_to(CLI::App& command);
  void add_solver_to(CLI::App& command);
  void add_precision_to(CLI::App& command);
  void add_schedule_to(CLI::App& command);
  void add_sites_to(CLI::App& command);
  void add_limits_to(CLI::App& command);
  void add_compile_time_limit_to(CLI::App& command);
};

}  // namespace thallo::cli
