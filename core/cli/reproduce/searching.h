// What the methods that let searches run have in common.
#pragma once

#include <optional>

#include "core/cli/reproduce/methods.h"
#include "core/explore/search/exploration_request.h"

namespace thallo::cli {

// How long a search took, as a figure.
inline constexpr const char* SearchSeconds = "seconds";

// Returns the request of a quantity's search, which ends after so many seconds: all schedules of
// the problem of the case; the options of the case where the search has them, else those of the
// quantity, else the defaults. Throws UserError if there is no such search or option.
ExplorationRequest search_request(const CaseToMeasure& its, const Quantity& quantity, double limit);
// Obtains the part of the case that is the quantity's search.
std::optional<MeasuredCase> obtain_search(const CaseToMeasure& its, const Quantity& quantity,
                                          const CaseParts::Measure& measure);

}  // namespace thallo::cli
