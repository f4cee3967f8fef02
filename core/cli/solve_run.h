// What `thallo solve` and `thallo run` share: running a problem, watching it, showing and writing
// its result.
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
  std::string folder;         // for metrics.json, pictures, meshes and files; "": none is written
  bool writes_files = false;  // without a folder: the report's files are written to their own paths
  bool json = false;
  bool quiet = false;
  bool verbose = false;  // the options of the solver, too

  // --json, --quiet and --verbose; *this must live as long as the parser.
  void add_to(CLI::App& command);
};

ExitCode run_and_show(Session& session, const Problem& problem, RunRequest request,
                      const SolveDisplay& display);

// The solver options that --set knows, a line each with its default.
std::string settings_help(Session& session, const SolverOptions& defaults);

}  // namespace thallo::cli
