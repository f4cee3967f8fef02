// Chooses the schedule of a run from what the user wrote: the name of a schedule
// (core/schedule/named_schedules.h), `file` for the schedule in the energy text, `auto` for the
// schedule predicted to be fast (core/cost/autoschedule/autoschedule.h), or the path of a `.sched`
// file.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/cost/autoschedule/autoschedule.h"
#include "core/cost/device/device_spec.h"
#include "core/cost/model/cost_model.h"
#include "core/cost/pricing/plan_pricer.h"
#include "core/energy/binding.h"
#include "core/frontend/energy_file.h"
#include "core/kernel/lower.h"
#include "core/schedule/schedule.h"
#include "core/solve/options.h"

namespace thallo {

// The instance and the device that `auto` chooses a schedule for.
struct AutoTarget {
  const Binding& binding;  // its extents and maps are used
  ProgramOptions program;
  IterationCounts counts = {};    // as they are expected
  std::int64_t memory_limit = 0;  // bytes of stored products
  const CostModel* model = &default_cost_model();
  // Returns the spec of the device; called only if `auto` is wanted.
  std::function<Expected<DeviceSpec>()> device;
  // Called with what `auto` compared, once it has chosen.
  std::function<void(const std::vector<AutoStep>&)> told = [](const std::vector<AutoStep>&) {};

  PriceOptions prices() const { return {.program = program, .counts = counts, .model = model}; }
};
// True if the schedules of this energy are compared with each other. If more than 500 residuals are
// written out, the comparison would take too long, and `auto` means `default`.
bool weighs_schedules(const Energy& energy);
// If weighing schedules takes more steps (core/base/stop_scope.h), which is about two seconds,
// `auto` means `default` as well. A residual that reads n unknowns takes some n^2. The problems of
// this repository take at most 50,000.
inline constexpr std::int64_t MostWeighingSteps = 300'000;
// Returns what prices plans for the target on the device, as `auto` does. The energy must outlive
// it, and so must the target's model. The second form takes map_statistics() from a caller that has
// them.
PlanPricer plan_pricer(const Energy& energy, const AutoTarget& target, DeviceSpec device);
PlanPricer plan_pricer(const Energy& energy, const AutoTarget& target, DeviceSpec device,
                       std::map<MapId, MapStatistics> maps);

// The subject of the step that says what a fixed order of additions costs (AutoStep).
inline constexpr std::string_view OrderOfAdditions = "order of additions";

// Returns what that step says, in a sentence; "" if it is not among the steps.
std::string order_text(const std::vector<AutoStep>& steps);

// What a schedule that is not deterministic may leave unsaid of where its products are added up.
enum class Unsaid { Refused, Completed };
// Reads a schedule that somebody wrote. Where the target's program is to be deterministic, it fails
// for a schedule that is not, at the place of the statement that says so, or else of the first one.
// With Completed, that of an energy's text which nobody named, what is unsaid is gathered.
Expected<Schedule> read_schedule_for(const Energy& energy,
                                     std::vector<ScheduleStatement> statements,
                                     const ConstructRegistry& constructs, const AutoTarget* target,
                                     Unsaid unsaid = Unsaid::Refused);

// If `which` is "", the result is the schedule in the energy text or, if there is none, the one
// that its dialect means (EnergyFile::schedule_name) or `auto`; it is `default` if nothing is known
// about the device. The result is in normal form. The Diagnostic
// of a faulty text gives the places of its faults. Without `target`, `auto` is not available.
// Where the target's program is to be deterministic, `default` gathers wherever it can.
Expected<Schedule> choose_schedule(const std::string& which, const EnergyFile& file,
                                   const ConstructRegistry& constructs,
                                   const AutoTarget* target = nullptr);

}  // namespace thallo
