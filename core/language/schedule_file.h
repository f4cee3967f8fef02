#pragma once

// Loads schedules from files of their own, warp.sched:
//
//   r:merge(r.fit, r.reg)
//   r.fit_reg:strategy("[JtJ]p")
//   r.fit_reg.JtF:compute_at_output(true)
//   pose:materialize{value=true, gradient=true}
//   %3fa1:parallelize(true)
//
// The Lua and its limits are those of energy texts, but the only globals are names: r is the
// energy, any other name (`%3fa1` is one, too) an intermediate, a Sum, a sparse map or a loop
// variable. The statements are kept as written, each with its place; read_schedule()
// (core/schedule/schedule_reader.h) finds what they mean for an energy. Both take the printed text
// of any schedule.

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/diagnostic.h"
#include "core/language/energy_file.h"
#include "core/schedule/statement.h"

namespace thallo {

// The statements of a text, or its faults, in the order in which they were found: one where Lua
// cannot read the text, all of one run where it can. Each has its line and column.
struct ScheduleText {
  std::vector<ScheduleStatement> statements;  // none when there are faults
  std::vector<Diagnostic> faults;
};
ScheduleText read_schedule_text(const std::filesystem::path& path, const LoadLimits& limits = {});
// `name` is what messages call the text ("warp.sched").
ScheduleText parse_schedule_text(std::string_view text, const std::string& name,
                                 const LoadLimits& limits = {});

// The same for callers that want the statements alone; the Diagnostic lists the faults one a line.
Expected<std::vector<ScheduleStatement>> load_schedule(const std::filesystem::path& path,
                                                       const LoadLimits& limits = {});
Expected<std::vector<ScheduleStatement>> load_schedule_text(std::string_view text,
                                                            const std::string& name,
                                                            const LoadLimits& limits = {});

}  // namespace thallo
