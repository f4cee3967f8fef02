// The program `thallo`. This is the one place where exceptions are caught and become exit codes.
#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <exception>
#include <new>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/option_text.h"
#include "core/cli/cli.h"
#include "core/cli/exit_code.h"
#include "core/cli/flag_text.h"
#include "core/cli/interrupt.h"
#include "core/cli/startup_clock.h"

namespace {

// A shell may start the program with closed streams (`2>&-`). The next file that is opened, a store
// or a picture, would take their number and the messages. So that number gets a file that can
// neither be written nor be read in the direction of the stream: what is printed fails as it
// should.
void occupy_closed_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(stream, F_GETFD) != -1) continue;
    // The lowest free number is the one that is closed, since those below are open.
    [[maybe_unused]] const int opened =
        open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
  }
}

}  // namespace

int main(int argc, char** argv) {
  using thallo::cli::ExitCode;
  occupy_closed_streams();
  thallo::cli::StartupClock clock;
  const auto fail_with = [](ExitCode code, const char* what) {
    std::fflush(stdout);
    // fmt::print would throw where stderr is a full disk; the exit code says it all then.
    std::fprintf(stderr, "thallo: %s\n", what);
    return static_cast<int>(code);
  };
  thallo::cli::handle_interrupts();
  thallo::set_option_spelling(thallo::cli::flag_text);
  try {
    const std::vector<std::string> arguments(argv + 1, argv + argc);
    const ExitCode code = thallo::cli::run(arguments, std::move(clock));
    if (std::fflush(stdout) != 0) return fail_with(ExitCode::User, "cannot write to stdout");
    return static_cast<int>(code);
  } catch (const thallo::UserError& error) {
    // What was asked for failed because it was told to end.
    if (const int signal = thallo::cli::interrupting_signal(); signal != 0) {
      fail_with(ExitCode::User, "interrupted");
      return 128 + signal;
    }
    return fail_with(ExitCode::User, error.what());
  } catch (const thallo::DeviceError& error) {
    return fail_with(ExitCode::Device, error.what());
  } catch (const std::bad_alloc&) {
    return fail_with(ExitCode::User, "memory ran out");
  } catch (const std::exception& error) {
    // fmt throws what a full disk or a closed pipe answers.
    if (std::ferror(stdout) != 0) return fail_with(ExitCode::User, "cannot write to stdout");
    return fail_with(ExitCode::Internal, error.what());
  }
}
