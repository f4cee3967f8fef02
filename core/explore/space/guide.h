#pragma once

// Leads from a schedule to a faster one by single decisions: the best predicted move is taken, all
// alternatives are weighed anew (weighed_choices.h), and so on until nothing helps. Moves that
// change numerics are never taken.

#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/explore/space/weighed_choices.h"

namespace thallo {

struct GuideOptions {
  Precision precision = Precision::Float;  // the working precision
  const StorageLimit* limit = nullptr;     // as for list_choices()
  double least_gain = 0.005;               // the share of the time that a move must save
};

struct GuidedStep {
  std::string text;  // what was decided, as a schedule writes it; several statements have spaces
  PlanCost cost;     // after the step
  Schedule schedule;
};

// Every step is faster than the one before it, so there is an end. Fails as weigh_choices() does.
Expected<std::vector<GuidedStep>> guide(const Energy& energy, Schedule schedule,
                                        const ConstructRegistry& constructs, const PlanPrice& price,
                                        const GuideOptions& options,
                                        const std::stop_token& stop = {});

// Returns the directives as a schedule writes them, separated by spaces.
std::string text_of(const std::vector<Directive>& directives, const ConstructRegistry& constructs);

}  // namespace thallo
