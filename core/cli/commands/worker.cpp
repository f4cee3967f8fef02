// thallo worker: carries out the requests of an exploration (core/explore/work/worker.h).
#include <iostream>

#include <CLI/CLI.hpp>

#include "core/cli/commands/command.h"
#include "core/explore/work/worker.h"

namespace thallo::cli {

Command add_worker_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "worker", "compile, time and solve for `thallo explore`; reads and writes JSON lines");
  command->footer(
      "Explorations and the desktop app start workers by themselves. docs/exploration.md has the "
      "requests.");
  return {command, [] {
            run_worker(std::cin, std::cout);
            return ExitCode::Ok;
          }};
}

}  // namespace thallo::cli
