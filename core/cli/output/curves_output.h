// Prints how soon searches find fast schedules, as Markdown or as JSON.
#pragma once

#include <string>
#include <vector>

#include "core/cli/output/report_output.h"
#include "core/explore/report/replayed_curves.h"

namespace thallo::cli {

// Tables of the median best time and of how far it is off the best known: of replays and of
// recorded runs, after so many schedules and after so many seconds. Then, where each run stopped.
std::string curves_markdown(const ReplayRequest& request, const CurveComparison& comparison,
                            const std::vector<LinkedFigure>& figures);
std::string curves_json(const ReplayRequest& request, const CurveComparison& comparison);

}  // namespace thallo::cli
