// Prints a schedule text and its decisions as JSON for editors: `thallo print schedule --json`.
#pragma once

#include "core/cli/exit_code.h"
#include "core/frontend/schedule_text.h"

namespace thallo::cli {

// Prints one object with these members: "text", the schedule in normal form, or null if there are
// faults; "faults", each with "file", "line", "column", "what" and the "legal" alternatives;
// "directives", each with what is decided and where, and the statement that decides it with its
// place (docs/cli.md). Returns ExitCode::User if there are faults.
ExitCode print_reading(const Energy& energy, const ScheduleText& written,
                       const ConstructRegistry& constructs);

}  // namespace thallo::cli
