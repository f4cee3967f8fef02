// The search `exact`: finds the schedules with the lowest predicted times and proves it.
//
// Once it is known which residuals form parts and what is stored of intermediates and Sums, the
// price of a schedule is a sum over its parts plus the solver's steps, so that each part is best
// decided almost alone. Parts meet in a few places: how much memory they stream together, who
// starts Ap, the dense JtJ and the products of parallel Sums. `exact` goes through all partitions
// and all that can be stored, prices all ways to decide about a part once for what it depends on,
// and combines them by branch and bound. A bound takes the cheapest way of every part that is not
// decided yet, without what parts share, and every step in the cheaper of two programs: one that
// streams as little as possible, and one that streams as much.
//
// So the result is proven for models whose time of a step lies between these two for all programs
// between them. All models of Thallo rise with what a program streams. Low-level decisions that are
// not pinned keep their defaults, as they do in ScheduleSpace::visit().
//
// Complexity: the number of partitions times the number of ways to store, with some microseconds
// for each and each of its parts. The search ends after a limit of seconds, and says then that
// nothing is proven.
#pragma once

#include <memory>

#include "core/search/search.h"

namespace thallo {

std::unique_ptr<const Search> make_exact_search();

}  // namespace thallo
