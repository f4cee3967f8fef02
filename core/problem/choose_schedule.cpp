#include "core/problem/choose_schedule.h"

#include <algorithm>
#include <string>
#include <vector>

#include "core/base/suggest.h"
#include "core/language/schedule_file.h"
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
  if (which.ends_with(".sched")) {
    const auto statements = load_schedule(which);
    if (!statements) return fail(statements.error());
    return read_schedule(file.energy, *statements, constructs);
  }
  std::vector<std::string> legal(std::begin(NamedSchedules), std::end(NamedSchedules));
  legal.emplace_back("file");
  const std::string suggestion = did_you_mean(which, legal);
  legal.emplace_back("the path of a .sched file");
  return fail(Diagnostic{"no schedule '" + which + "'" + suggestion, {}, legal});
}

}  // namespace thallo
