// thallo worker: carries out the requests of an exploration or of the app
// (core/explore/worker/worker.h).
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <iostream>
#include <stop_token>
#include <thread>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "core/base/scratch_folder.h"
#include "core/cli/commands/command.h"
#include "core/explore/worker/worker.h"

namespace thallo::cli {
namespace {

// Ends without a word: whoever started this worker says why.
void end_quietly(int /*signal*/) {
  abandon_scratch_folders();
  _exit(static_cast<int>(ExitCode::Ok));
}

// Ends this process when its parent dies. The exploration may be killed during a request; the
// request would otherwise run on for nobody and disturb other measurements.
void end_with_parent(const std::stop_token& stop) {
  const pid_t parent = getppid();
  while (!stop.stop_requested()) {
    if (getppid() != parent) end_quietly(SIGTERM);
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
}

ExitCode serve() {
  // Ctrl-C reaches all processes of a terminal, but the exploration ends its workers itself.
  std::signal(SIGINT, SIG_IGN);
  std::signal(SIGTERM, end_quietly);
  // Text that libraries print is not an answer, so it is redirected to stderr.
  std::ofstream answers(fmt::format("/dev/fd/{}", dup(STDOUT_FILENO)), std::ios::app);
  dup2(STDERR_FILENO, STDOUT_FILENO);
  const std::jthread watch(end_with_parent);
  run_worker(std::cin, answers);
  return ExitCode::Ok;
}

}  // namespace

Command add_worker_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "worker", "compile, time, solve and run for other programs; reads and writes JSON lines");
  command->footer(
      "Explorations and the desktop app start workers by themselves. docs/exploration.md has the "
      "requests.");
  return {command, serve};
}

}  // namespace thallo::cli
