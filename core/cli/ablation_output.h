// Prints what switches of a search buy, for people or as JSON.
#pragma once

#include "core/explore/search/ablation.h"

namespace thallo::cli {

enum class AblationFormat { Text, Markdown, Json };

// One line a run: which switches are on, what the search reports about itself, by how much its best
// schedule is predicted to be slower than the best of all runs, and, where a store was asked, its
// time there and by how much it is slower than the best known one.
void print_ablation(const ExplorationRequest& request, const Ablation& ablation,
                    AblationFormat format);

}  // namespace thallo::cli
