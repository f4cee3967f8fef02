// What `thallo explain` shows of a schedule's decisions: every site with its alternatives, what
// each is predicted to cost, and why some are not legal.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "core/explore/weighed_choices.h"

namespace thallo::cli {

struct ShownChoices {
  std::vector<ChoiceSite> sites;
  std::optional<WeighedChoices> weighed;  // when it is known for which device
  std::string device;                     // its name
  double linear_iterations = 0;           // that predictions count on
};

// Ends with a line end.
std::string choices_text(const ShownChoices& choices);
// Adds the members "sites" and, with predictions, "predicted".
void add_choices(nlohmann::ordered_json& json, const ShownChoices& choices);

}  // namespace thallo::cli
