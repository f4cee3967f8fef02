// Chooses the schedule of a run by what the user wrote: the name of a schedule
// (core/schedule/named_schedules.h), `file` for the schedule in the energy text, `auto` for the one
// that is predicted to be fast (core/cost/autoschedule.h), or the path of a `.sched` file.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "core/cost/device_spec.h"
#include "core/energy/binding.h"
#include "core/kernel/lower.h"
#include "core/language/energy_file.h"
#include "core/schedule/precision.h"
#include "core/schedule/schedule.h"

namespace thallo {

struct AutoOptions;

// What `auto` decides for.
struct AutoTarget {
  const Binding& binding;  // its extents and maps
  Precision precision = Precision::Float;
  ProgramOptions program;
  double linear_iterations = 10;  // of a nonlinear iteration
  std::int64_t memory_limit = 0;  // bytes for stored products
  // What the device reaches; asked for only when `auto` is wanted.
  std::function<Expected<DeviceSpec>()> device;
};
// `auto` counts on no more linear iterations than this.
inline constexpr double MostExpectedLinearIterations = 30;
// Are the schedules of this energy weighed against each other? Not where more than 500 residuals
// are written apart: that would take long, and `auto` is `default`.
bool weighs_schedules(const Energy& energy);
// What the autoscheduler is told of the target.
AutoOptions auto_options(const AutoTarget& target);

// "" stands for the schedule in the energy text if there is one, else for `auto`; for `default`
// where nothing is known of the device. The result is in normal form; the Diagnostic of a faulty
// text says where its faults are. Without `target` there is no `auto`.
Expected<Schedule> choose_schedule(const std::string& which, const EnergyFile& file,
                                   const ConstructRegistry& constructs,
                                   const AutoTarget* target = nullptr);

}  // namespace thallo
