// Prints a schedule's decisions for `thallo explain`: every site with its alternatives, the
// predicted cost of each, and the reasons why some are illegal; and what `auto` compared.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "core/cost/autoschedule/autoschedule.h"
#include "core/explore/space/weighed_choices.h"

namespace thallo::cli {

struct ShownChoices {
  std::vector<ChoiceSite> sites;
  std::optional<WeighedChoices> weighed;  // present if the device is known
  std::string device;                     // the device's name
  double linear_iterations = 0;           // that predictions assume
};

// "predicted for NVIDIA H200: 266.9 µs in ..." on a line, of choices that were weighed.
std::string predicted_text(const ShownChoices& choices);
// "a nonlinear iteration of 30 linear ones"; those of a direct solver have none.
std::string iteration_text(double linear_iterations);

// Says how many alternatives were not weighed, and why; empty if all were.
std::string left_out_text(const WeighedChoices& weighed);

// What `auto` compared, and what its schedule is predicted to take.
struct ShownAuto {
  std::vector<AutoStep> compared;
  double seconds = 0;
  std::string device;
  double linear_iterations = 0;  // that predictions assume
};
std::string auto_text(const ShownAuto& shown);
// Adds the members "predicted" and "auto".
void add_auto(nlohmann::ordered_json& json, const ShownAuto& shown);

// The text ends with a line break.
std::string choices_text(const ShownChoices& choices);
// Adds the members "sites" and, if there are predictions, "predicted".
void add_choices(nlohmann::ordered_json& json, const ShownChoices& choices);

}  // namespace thallo::cli
