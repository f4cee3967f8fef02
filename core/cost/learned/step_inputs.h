#pragma once

// What a learned model reads of a step: its terms (core/cost/model/step_terms.h), and properties by
// which the terms may need correction. Both depend on the device.

#include <array>
#include <span>
#include <string_view>
#include <vector>

#include "core/base/enum_names.h"
#include "core/cost/model/step_terms.h"

namespace thallo {

// Which fit a step belongs to: steps of one kind differ in sizes, those of two in what they wait
// for.
enum class StepFamily {
  Map,      // a kernel whose threads each write their own elements
  Scatter,  // a kernel that adds to elements of others
  Gather,   // a kernel whose threads visit the points that a map sends to them
  Clear,
  Library,
  DirectSolve
};
inline constexpr std::array AllFamilies = {StepFamily::Map,     StepFamily::Scatter,
                                           StepFamily::Gather,  StepFamily::Clear,
                                           StepFamily::Library, StepFamily::DirectSolve};
template <>
inline constexpr EnumNames enum_names<StepFamily> = {
    "family of steps", {"map", "scatter", "gather_visits", "clear", "library", "direct_solve"}};
StepFamily family_of(const StepWork& step);

struct StepInputs {
  StepTerms terms;
  std::vector<double> properties;  // as many as property_names() has, without units
};

// The names of the properties, such as "log_points". A model file has them, so that a model which
// was fitted to others is recognized.
std::span<const std::string_view> property_names();

StepInputs inputs_of(const StepWork& step, const ProgramWork& program, const DeviceSpec& device);

}  // namespace thallo
