// thallo worker [PROBLEM]: carries out the requests of an exploration, of the app or of a program
// that measures (core/explore/worker/worker.h).
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <iostream>
#include <memory>
#include <optional>
#include <stop_token>
#include <thread>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "core/base/error.h"
#include "core/base/scratch_folder.h"
#include "core/cli/commands/command.h"
#include "core/cli/flags/problem_options.h"
#include "core/cli/flags/run_options.h"
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

struct WorkerFlags {
  RunOptions run;
  std::unique_ptr<ProblemOptions> problem_options;
  bool no_device = false;
};

ExitCode serve(Session& session, const WorkerFlags& flags) {
  std::optional<WorkerRequest> first;
  if (!flags.run.problem.name.empty()) {
    // These throw what is wrong with names.
    flags.run.problem.open(session);
    if (!flags.no_device) session.backend(flags.run.backend, flags.run.device);
    first = OpenRequest{.target = flags.run.target(session, flags.problem_options->values()),
                        .device = !flags.no_device};
  }
  // Ctrl-C reaches all processes of a terminal, but the exploration ends its workers itself.
  std::signal(SIGINT, SIG_IGN);
  std::signal(SIGTERM, end_quietly);
  // Text that libraries print is not an answer, so it is redirected to stderr.
  std::ofstream answers(fmt::format("/dev/fd/{}", dup(STDOUT_FILENO)), std::ios::app);
  dup2(STDERR_FILENO, STDOUT_FILENO);
  const std::jthread watch(end_with_parent);
  run_worker(std::cin, answers, first);
  return ExitCode::Ok;
}

}  // namespace

Command add_worker_command(CLI::App& app, Session& session, const Problem* problem) {
  auto flags = std::make_shared<WorkerFlags>();
  CLI::App* command = app.add_subcommand(
      "worker", "compile, time, solve and run for other programs; reads and writes JSON lines");
  flags->run.add_exploration_flags_to(*command);
  command->get_option("PROBLEM")->required(false);
  flags->problem_options = std::make_unique<ProblemOptions>(*command, problem);
  command->add_flag("--no-device", flags->no_device, "open no device, to predict alone");
  command->footer(
      "Explorations and the desktop app start workers by themselves. docs/exploration.md has the "
      "requests. With a PROBLEM, that is opened first, and its answer has the id 0.");
  return {command, [&session, flags, command] {
            if (flags->run.problem.name.empty() && command->count_all() > 1)
              throw UserError("PROBLEM is required where there are flags");
            return serve(session, *flags);
          }};
}

}  // namespace thallo::cli
