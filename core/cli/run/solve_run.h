// Common parts of `thallo solve` and `thallo run`: runs a problem, watches it, and prints and
// writes its result.
#pragma once

#include <string>

#include "core/cli/exit_code.h"
#include "core/cli/session.h"
#include "core/problem/driver.h"

namespace CLI {
class App;
}

namespace thallo::cli {

struct SolveDisplay {
  std::string folder;         // for metrics.json, pictures, meshes and files; "": write none
  bool writes_files = false;  // if there is no folder, write the report's files to their own paths
  bool json = false;
  bool quiet = false;
  bool verbose = false;  // also print the solver's options

  // Adds --json, --quiet and --verbose. *this must live as long as the parser.
  void add_to(CLI::App& command);
};

ExitCode run_and_show(Session& session, const Problem& problem, RunRequest request,
                      const SolveDisplay& display);

// Returns the solver options that --set accepts, one line each, with defaults.
std::string settings_help(Session& session, const SolverOptions& defaults);

}  // namespace thallo::cli
