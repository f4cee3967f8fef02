// The method `search_modes`: lets searches find schedules of a problem, each from nothing, and
// compares what they found and how long that took.
#pragma once

#include "core/cli/reproduce/methods.h"

namespace thallo::cli {

// A quantity with a search has one of these figures:
//
//   best     the throughput of the fastest schedule that it found, over that of the fastest that is
//            known of the case, so that 1 is the best
//   first    the same of the schedule that it proposed first, which it predicted to be the fastest
//   seconds  until the search had ended, with compiling and measuring
//
// One that is named after a schedule has that schedule's throughput, as the searches measured it. A
// search that was ended after the time that it may take had done no less. Each search is a part of
// the case.
MeasuredCase search_modes(const CaseToMeasure& its);

}  // namespace thallo::cli
