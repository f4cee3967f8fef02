// Which schedule a run has: by name (core/schedule/named_schedules.h), `file` for the one written
// in the energy text, or the path of a `.sched` file.
#pragma once

#include <string>

#include "core/language/energy_file.h"
#include "core/schedule/schedule.h"

namespace thallo {

// "" is the one in the energy text when it has one, else `default`. In normal form; a Diagnostic
// of a text has the places of its faults.
Expected<Schedule> choose_schedule(const std::string& which, const EnergyFile& file,
                                   const ConstructRegistry& constructs);

}  // namespace thallo
