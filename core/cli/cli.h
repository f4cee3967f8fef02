// The program `thallo`: takes the command line apart and runs one subcommand.
//
// Results go to stdout, everything else (log, progress, errors) to stderr. Throws UserError,
// DeviceError or InternalError for what main() turns into an exit code.
#pragma once

#include <span>
#include <string>

#include "core/cli/exit_code.h"
#include "core/cli/startup_clock.h"

namespace thallo::cli {

// `arguments` without the program's name.
ExitCode run(std::span<const std::string> arguments, StartupClock clock);

}  // namespace thallo::cli
