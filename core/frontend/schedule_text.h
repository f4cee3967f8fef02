#pragma once

// Loads schedules from files of their own, warp.sched (the code is in core/language):
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
#include "core/frontend/load_limits.h"
#include "core/schedule/statement.h"

namespace thallo {

// The statements of a text or its faults. If Lua cannot parse the text, there is one fault;
// otherwise all faults of one run are listed in the order in which they were found. Each has its
// line and column.
struct ScheduleText {
  std::vector<ScheduleStatement> statements;  // empty if there are faults
  std::vector<Diagnostic> faults;
};
ScheduleText read_schedule_text(const std::filesystem::path& path, const LoadLimits& limits = {});
// Messages refer to the text by `name` ("warp.sched").
ScheduleText parse_schedule_text(std::string_view text, const std::string& name,
                                 const LoadLimits& limits = {});

// Like parse_schedule_text(), for callers that need only the statements; the Diagnostic lists the
// faults, one per line.
Expected<std::vector<ScheduleStatement>> load_schedule(const std::filesystem::path& path,
                                                       const LoadLimits& limits = {});
Expected<std::vector<ScheduleStatement>> load_schedule_text(std::string_view text,
                                                            const std::string& name,
                                                            const LoadLimits& limits = {});

}  // namespace thallo
