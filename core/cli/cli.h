// The program `thallo`: parses the command line and runs one subcommand.
//
// Results go to stdout; log, progress and errors go to stderr. Throws UserError, DeviceError or
// InternalError, which main() turns into exit codes.
#pragma once

#include <span>
#include <string>

#include "core/cli/exit_code.h"
#include "core/cli/startup_clock.h"

namespace thallo::cli {

// `arguments` do not include the program's name.
ExitCode run(std::span<const std::string> arguments, StartupClock clock);

}  // namespace thallo::cli
