#include "core/problem/choose_schedule.h"

#include <algorithm>
#include <string>
#include <vector>

#include "core/base/suggest.h"
#include "core/schedule/named_schedules.h"
#include "core/schedule/schedule_reader.h"

namespace thallo {

Expected<Schedule> choose_schedule(const std::string& which, const EnergyFile& file,
                                   const ConstructRegistry& constructs) {
  const bool is_name = std::ranges::find(NamedSchedules, which) != std::end(NamedSchedules);
  if (is_name) return named_schedule(which, file.energy, constructs);
  if (which.empty() || which == "file") {
    if (which == "file" && file.schedule.empty()) {
      return fail("--schedule file: the text of '{}' has no schedule", file.energy.name());
    }
    return read_schedule(file.energy, file.schedule, constructs);
  }
  std::vector<std::string> legal(std::begin(NamedSchedules), std::end(NamedSchedules));
  legal.emplace_back("file");
  return fail(Diagnostic{"no schedule '" + which + "'" + did_you_mean(which, legal), {}, legal});
}

}  // namespace thallo
