#pragma once

// Schedules in files of their own, warp.sched:
//
//   r:merge(r.fit, r.reg)
//   r.fit_reg:strategy("[JtJ]p")
//   r.fit_reg.JtF:compute_at_output(true)
//   pose:materialize{value=true, gradient=true}
//   %3fa1:parallelize(true)
//
// The same Lua as that of energies, with the same limits, but with names alone: r is the energy,
// any other name an intermediate, a Sum or a loop variable. `%3fa1` is one, too. The statements are
// kept as written, each with its line; what they mean for an energy is found by read_schedule()
// (core/schedule), which the printed text of any schedule satisfies.

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/diagnostic.h"
#include "core/language/energy_file.h"
#include "core/schedule/statement.h"

namespace thallo {

Expected<std::vector<ScheduleStatement>> load_schedule(const std::filesystem::path& path,
                                                       const LoadLimits& limits = {});

// `name` is what messages call the text ("warp.sched").
Expected<std::vector<ScheduleStatement>> load_schedule_text(std::string_view text,
                                                            const std::string& name,
                                                            const LoadLimits& limits = {});

}  // namespace thallo
