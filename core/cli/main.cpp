// The program `thallo`. Only this file catches exceptions and turns them into exit codes.
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <new>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "core/backend/host_machine.h"
#include "core/base/error.h"
#include "core/base/option_text.h"
#include "core/base/utf8.h"
#include "core/cli/cli.h"
#include "core/cli/exit_code.h"
#include "core/cli/interrupt.h"
#include "core/cli/output/json_text.h"
#include "core/cli/startup_clock.h"
#include "core/solve/options.h"

namespace {

// A shell may start the program with closed streams (`2>&-`). The next opened file, for example a
// store or a picture, would then get the stream's file descriptor and receive its messages. To
// prevent that, the descriptor is opened on a file with the wrong access mode, so that printing
// fails as it should.
void occupy_closed_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(stream, F_GETFD) != -1) continue;
    // open() returns the lowest free descriptor, which is the closed one, since all below it are
    // open.
    [[maybe_unused]] const int opened =
        open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
  }
}

// Has memory beyond that of the machine refused. A command that needs more then says so, instead of
// being killed without a word once it has touched all there is.
void refuse_memory_that_is_not_there() {
  rlimit limit{};
  const auto most = static_cast<rlim_t>(thallo::host_machine().memory_bytes);
  if (most == 0 || getrlimit(RLIMIT_DATA, &limit) != 0 || limit.rlim_cur <= most) return;
  limit.rlim_cur = most;
  setrlimit(RLIMIT_DATA, &limit);
}

// True for a solver option that has no flag of its own.
bool is_set_by_name(std::string_view id) {
  const auto infos = thallo::solver_option_infos();
  return id != "solver" &&
         std::ranges::find(infos, id, &thallo::SolverOptionInfo::name) != infos.end();
}

// Writes the name of an option in messages as `thallo` spells it: "--sample", "--search greedy",
// "--set preconditioner=jacobi".
std::string flag_text(std::string_view id, std::string_view value) {
  if (is_set_by_name(id)) return fmt::format("--set {}={}", id, value.empty() ? "..." : value);
  std::string flag = fmt::format("--{}", id);
  std::ranges::replace(flag, '_', '-');
  return value.empty() ? flag : fmt::format("{} {}", flag, value);
}

}  // namespace

int main(int argc, char** argv) {
  using thallo::cli::ExitCode;
  occupy_closed_streams();
  refuse_memory_that_is_not_there();
  thallo::cli::StartupClock clock;
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  const auto fail_with = [&arguments](ExitCode code, std::string_view what) {
    const std::string shown = thallo::printable(what);
    if (std::ranges::find(arguments, "--json") != arguments.end())
      thallo::cli::print_failure_json(shown);
    std::fflush(stdout);
    // fmt::print would throw if stderr is on a full disk; then only the exit code tells.
    std::fprintf(stderr, "thallo: %s\n", shown.c_str());
    return static_cast<int>(code);
  };
  thallo::cli::handle_interrupts(argc > 1 && std::string_view(argv[1]) == "worker");
  thallo::set_option_spelling(flag_text);
  try {
    const ExitCode code = thallo::cli::run(arguments, std::move(clock));
    if (std::fflush(stdout) != 0) return fail_with(ExitCode::User, "cannot write to stdout");
    return static_cast<int>(code);
  } catch (const thallo::UserError& error) {
    // The command failed because a signal told it to end.
    if (const int signal = thallo::cli::interrupting_signal(); signal != 0) {
      fail_with(ExitCode::User, "interrupted");
      return 128 + signal;
    }
    return fail_with(ExitCode::User, error.what());
  } catch (const thallo::DeviceError& error) {
    return fail_with(ExitCode::Device, error.what());
  } catch (const std::bad_alloc&) {
    return fail_with(ExitCode::User, "memory ran out");
  } catch (const std::system_error& error) {
    if (std::ferror(stdout) != 0) return fail_with(ExitCode::User, "cannot write to stdout");
    return fail_with(ExitCode::User,
                     fmt::format("the system refuses what is needed, such as another thread ({})",
                                 error.code().message()));
  } catch (const std::exception& error) {
    // fmt throws if stdout is on a full disk or is a closed pipe.
    if (std::ferror(stdout) != 0) return fail_with(ExitCode::User, "cannot write to stdout");
    return fail_with(ExitCode::Internal, error.what());
  }
}
