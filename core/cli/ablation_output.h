// Prints what switches of a search buy, for people or as JSON.
#pragma once

#include <vector>

#include "core/explore/search/ablation.h"

namespace thallo::cli {

// One line a run: which switches are on, what the search reports about itself, and by how much its
// best schedule is predicted to be slower than the best of all runs.
void print_ablation(const ExplorationRequest& request, const std::vector<AblationRow>& rows);
void print_ablation_json(const ExplorationRequest& request, const std::vector<AblationRow>& rows);

}  // namespace thallo::cli
