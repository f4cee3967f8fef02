// A schedule text and what it decides where, as JSON for editors: `thallo print schedule --json`.
#pragma once

#include <string>

#include "core/cli/exit_code.h"
#include "core/language/schedule_file.h"
#include "core/schedule/schedule_reader.h"

namespace thallo::cli {

// Prints one object: "text", the schedule in normal form, null when there are faults; "faults",
// each with its "file", "line", "column", "what" and the "legal" alternatives; and "directives",
// each with what is decided where, by which statement and where that stands (docs/cli.md). Exits as
// for a fault of the request when there are any.
ExitCode print_reading(const Energy& energy, const ScheduleText& written,
                       const ConstructRegistry& constructs);

}  // namespace thallo::cli
