// Writes all that is known of an exploration as one file for a browser: the report with its
// figures, the graph and the kernels of the fastest schedule, and the commands that show the same.
#pragma once

#include <string>
#include <vector>

#include "core/cli/output/report_output.h"
#include "core/explore/space/explored_problem.h"

namespace thallo::cli {

// `command` is the command line that writes the page.
std::string report_html(const std::vector<ReportPage>& pages, const ExploredProblem& problem,
                        const std::string& command);

}  // namespace thallo::cli
