// Prints what switches of a search buy, for people or as JSON.
#pragma once

#include <string>
#include <vector>

#include "core/explore/search/ablation.h"

namespace thallo::cli {

enum class AblationFormat { Text, Markdown, Json };

// One line a run: which switches are on, what the search reports about itself, by how much its best
// schedule is predicted to be slower than the best of all runs, and, where a store was asked, its
// time there and by how much it is slower than the best known one. `pins` are those of the request,
// as a schedule writes them.
void print_ablation(const ExplorationRequest& request, const std::vector<std::string>& pins,
                    const Ablation& ablation, AblationFormat format);

}  // namespace thallo::cli
