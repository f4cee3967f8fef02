#include "core/cli/what_if_run.h"

#include <algorithm>
#include <iterator>
#include <span>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/backend/choose_device_spec.h"
#include "core/cli/json_text.h"
#include "core/cli/require.h"
#include "core/cli/what_if_output.h"
#include "core/schedule/named_schedules.h"

namespace thallo::cli {
namespace {

// The schedules that are compared at other sizes: every named one, that of the energy's text,
// `auto` for the instance itself, and the one that is requested.
std::vector<NamedPlan> compared_plans(Session& session, const std::string& requested,
                                      const EnergyFile& file, const AutoTarget& target) {
  std::vector<std::string> names(std::begin(NamedSchedules), std::end(NamedSchedules));
  if (!file.schedule.empty()) names.emplace_back("file");
  if (weighs_schedules(file.energy)) names.emplace_back("auto");
  if (!requested.empty() && std::ranges::find(names, requested) == names.end())
    names.push_back(requested);
  std::vector<NamedPlan> plans;
  for (const std::string& name : names) {
    const Schedule schedule = require(choose_schedule(name, file, session.constructs(), &target));
    plans.push_back({name, require(make_plan(file.energy, schedule, session.constructs()))});
  }
  return plans;
}

std::vector<TimesOnDevice> times_on_devices(const Energy& energy, const WhatIfTarget& target,
                                            std::span<const NamedPlan> plans) {
  std::vector<TimesOnDevice> devices;
  for (const std::string& name : shipped_specs()) {
    const DeviceSpec spec = require(named_device_spec(name, "auto"));
    if (spec.backend != "interpreter")
      devices.push_back({spec.name, times_on(spec, energy, plans, target)});
  }
  return devices;
}

}  // namespace

void print_what_if(Session& session, const WhatIfRequest& request, const EnergyFile& file,
                   const AutoTarget& target, const DeviceSpec& device, const std::string& title) {
  AutoTarget there = target;
  there.device = [&device] { return Expected<DeviceSpec>(device); };
  const std::vector<NamedPlan> plans = compared_plans(session, request.schedule, file, there);
  const WhatIfTarget varied{.binding = target.binding,
                            .prices = plan_pricer(file.energy, there, device).options(),
                            .memory_limit = target.memory_limit};
  nlohmann::ordered_json json = {{"problem", title}, {"device", device.name}};
  std::string text;
  if (request.what == "devices") {
    std::vector<std::string> names;
    for (const NamedPlan& plan : plans) names.push_back(plan.name);
    const auto devices = times_on_devices(file.energy, varied, plans);
    add_devices(json, names, devices);
    text = devices_text(names, devices);
  } else {
    const WhatIfAxis axis =
        request.what == "sizes" ? WhatIfAxis::Points : WhatIfAxis::LinearIterations;
    const WhatIf result =
        require(what_if(file.energy, session.constructs(), plans, varied, device, axis));
    add_what_if(json, result, session.constructs());
    text = what_if_text(result, axis, file.energy, session.constructs());
  }
  if (request.json)
    print_json(json);
  else
    fmt::print("{}, {}\n{}", title, device.name, text);
}

}  // namespace thallo::cli
