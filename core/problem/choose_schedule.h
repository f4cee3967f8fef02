// Chooses the schedule of a run by what the user wrote: the name of a schedule
// (core/schedule/named_schedules.h), `file` for the schedule in the energy text, or the path of a
// `.sched` file.
#pragma once

#include <string>

#include "core/language/energy_file.h"
#include "core/schedule/schedule.h"

namespace thallo {

// "" stands for the schedule in the energy text if there is one, else for `default`. The result is
// in normal form; the Diagnostic of a faulty text says where its faults are.
Expected<Schedule> choose_schedule(const std::string& which, const EnergyFile& file,
                                   const ConstructRegistry& constructs);

}  // namespace thallo
