// Prints for `thallo explain --what-if` what schedules are predicted to take at other sizes, with
// other numbers of linear iterations, and on other devices.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "core/explore/report/what_if.h"

namespace thallo::cli {

// The times of plans on a device; infinite for one that does not fit.
struct TimesOnDevice {
  std::string device;
  std::vector<double> seconds;
};

// All texts end with a line break. `energy` is that of the plans.
std::string what_if_text(const WhatIf& what_if, WhatIfAxis axis, const Energy& energy,
                         const ConstructRegistry& constructs);
std::string devices_text(const std::vector<std::string>& names,
                         const std::vector<TimesOnDevice>& devices);
// Add the members "schedules" and "points" with "crossovers", or "devices".
void add_what_if(nlohmann::ordered_json& json, const WhatIf& what_if,
                 const ConstructRegistry& constructs);
void add_devices(nlohmann::ordered_json& json, const std::vector<std::string>& names,
                 const std::vector<TimesOnDevice>& devices);

}  // namespace thallo::cli
