// The options shared by commands on a problem: which problem, where it runs, and how.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/cli/flags/problem_choice.h"
#include "core/cli/session.h"
#include "core/cost/model/cost_model.h"
#include "core/explore/space/target.h"
#include "core/problem/driver.h"

namespace CLI {
class App;
}

namespace thallo::cli {

// Adds --backend and --device to a command, in a group of its help. The referenced variables hold
// the defaults and must live as long as the parser.
void add_backend_options(CLI::App& command, std::string& backend, int& device,
                         const std::string& group);

// Throws UserError if the text is not the name of an architecture such as sm_90.
void check_architecture(const std::string& architecture);

struct RunOptions {
  ProblemChoice problem;
  std::string backend = "auto";
  int device = 0;
  std::string device_spec;
  std::string model{default_cost_model().name()};
  std::string solver;
  std::vector<std::string> settings;  // "name=value"
  bool is_published = false;
  bool double_precision = false;
  bool single_precision = false;
  int num_threads = 0;
  std::int64_t memory_limit = DefaultMemoryLimit;
  double compile_time_limit = 0;  // seconds; 0 means none
  std::string schedule;
  std::string sites = "default";
  PassOptions passes;

  // Adds PROBLEM as a loaded problem's name, and all flags. *this must live as long as the parser.
  void add_to(CLI::App& command);
  // Adds PROBLEM and the flags that determine which schedules are measured, and on which device.
  void add_exploration_flags_to(CLI::App& command);
  // Adds PROBLEM and the flags that determine which measurements belong to it.
  void add_report_flags_to(CLI::App& command);
  // Adds all flags, but not PROBLEM.
  void add_flags_to(CLI::App& command);
  // Adds PROBLEM and the flags that determine the kernels, for commands that do not run them.
  void add_program_flags_to(CLI::App& command);
  // Adds the memory limit for listing schedules.
  void add_memory_limit_to(CLI::App& command);
  // Adds PROBLEM, the schedule, and the flags that say where it runs; no flags of the solver.
  void add_schedule_flags_to(CLI::App& command);
  // Makes the request without the problem's own options. Throws UserError if a setting is not
  // name=value. The session must outlive the request.
  RunRequest request(Session& session) const;
  // What is explored, with these options of the problem.
  ExplorationTarget target(Session& session, Options options) const;

 private:
  void add_backend_to(CLI::App& command);
  void add_device_spec_to(CLI::App& command);
  void add_solver_to(CLI::App& command);
  void add_precision_to(CLI::App& command);
  void add_schedule_to(CLI::App& command);
  void add_sites_to(CLI::App& command);
  void add_passes_to(CLI::App& command);
  void add_limits_to(CLI::App& command);
  void add_compile_time_limit_to(CLI::App& command);
};

}  // namespace thallo::cli
