#pragma once

// The last steps of the autoscheduler (autoschedule.h), which look at the whole plan: parts were
// decided one by one, and what they have in common may make the whole slower than nothing decided.

#include <string>
#include <vector>

#include "core/cost/autoschedule/autoschedule.h"
#include "core/schedule/schedule_composer.h"

namespace thallo {

struct NamedChoice {
  std::string name;
  ScheduleComposer composer;
};

// The schedules that the choice must not be slower than: first what decides nothing.
Expected<std::vector<NamedChoice>> named_choices(const Energy& energy,
                                                 const ConstructRegistry& constructs,
                                                 bool is_deterministic);

// Takes the fastest of what was composed and the named schedules. Then blocks the vectors and, on a
// GPU, has blocks compute tiles of convolutions, each where it is legal and promises a clear gain.
// It goes by prices, or by estimates where there are no data to lower a plan for, or lowering takes
// too long.
Expected<void> decide_whole(ScheduleComposer& composer, const std::vector<NamedChoice>& named,
                            PlanPricer& pricer, std::vector<AutoStep>& steps);

// True if residuals read unknowns at offsets that vary with a Sum, as a convolution does. Two
// kernels then read each unknown at as many places as the Sum has points, and tiles save most of
// these reads.
bool convolves(const Energy& energy, const Part& part);

// Goes by prices or estimates, as decide_whole() does.
bool is_sooner(const Plan& plan, const Plan& other, PlanPricer& pricer);

}  // namespace thallo
