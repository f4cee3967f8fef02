#pragma once

// Leads from a schedule to a faster one by single decisions: the best predicted move is taken, all
// alternatives are weighed anew (weighed_choices.h), and so on until nothing helps. Where no single
// decision helps, two are looked for that do together: merging two of three parts can be slower,
// and merging all of them faster. Moves that change numerics are never taken.

#include <stop_token>
#include <string>
#include <vector>

#include "core/explore/space/weighed_choices.h"

namespace thallo {

struct GuideOptions {
  Precision precision = Precision::Float;  // the working precision
  const StorageLimit* limit = nullptr;     // as for list_choices()
  double least_gain = 0.005;  // the share of the time that a move, or two together, must save
};

struct GuidedStep {
  std::string text;  // what was decided, as a schedule writes it; several statements have spaces
  std::vector<Directive> directives;  // likewise
  PlanCost cost;                      // after the step
  Schedule schedule;
};

// Returns the next step, two of which the second one helps, or none if nothing helps. Fails as
// weigh_choices() does.
Expected<std::vector<GuidedStep>> next_steps(const Energy& energy, const Schedule& schedule,
                                             const ConstructRegistry& constructs,
                                             const PlanPrice& price, const GuideOptions& options,
                                             const std::stop_token& stop = {});

// Takes next_steps() until there are none. There is an end, because each is faster than the ones
// before it.
Expected<std::vector<GuidedStep>> guide(const Energy& energy, const Schedule& schedule,
                                        const ConstructRegistry& constructs, const PlanPrice& price,
                                        const GuideOptions& options,
                                        const std::stop_token& stop = {});

// Returns the directives as a schedule writes them, separated by spaces.
std::string text_of(const std::vector<Directive>& directives, const ConstructRegistry& constructs);

}  // namespace thallo
