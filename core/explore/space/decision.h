#pragma once

// What schedules decide, as data that a store keeps and tables are made of. A program that asks
// what a schedule says needs no text of it.

#include <compare>
#include <string>
#include <vector>

#include "core/base/fields.h"
#include "core/schedule/schedule.h"

namespace thallo {

// What a schedule decides at one site, differently from the default or as the default is.
struct Decision {
  std::string construct;  // "strategy"
  std::string site;       // Site::name: "fit", "fit.JtF", "%0353"
  std::string choice;     // Choice::label

  friend auto operator<=>(const Decision&, const Decision&) = default;
};
THALLO_FIELDS(Decision, construct, site, choice)

// One for each directive, in their order.
std::vector<Decision> decisions_of(const Schedule& schedule);

}  // namespace thallo
