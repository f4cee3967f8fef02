#pragma once

// Reads the statements merge, split and full_split, which change a partition and give names to
// parts.

#include <map>
#include <string>
#include <vector>

#include "core/base/diagnostic.h"
#include "core/schedule/construct.h"
#include "plugins/split_merge/partition.h"

namespace thallo {

// What a text calls the parts; each part is told by a residual that is in it.
using PartsByName = std::map<std::string, ResidualRef>;

std::vector<DimId> dims_of(const Energy& energy, ResidualRef residual);
// Why one kernel cannot run over both residuals, for people.
std::string other_dims(const Energy& energy, ResidualRef residual, ResidualRef target);

// r:merge(r.a, r.b): the residuals of b move to a. `known` are the parts that the text can name,
// and `added` gets the names that the statement gives. Fails with what would be legal.
Expected<void> read_merge(const Energy& energy, const ScheduleStatement& statement,
                          const PartsByName& known, Partition& partition, PartsByName& added);

// r:split(r.a, i, j): residuals i to j become the part a_i_j, and the rest stays a.
// r:full_split(r.a): each residual becomes a part, a_1, a_2 ...
Expected<void> read_split(const Energy& energy, const ScheduleStatement& statement,
                          const PartsByName& known, Partition& partition, PartsByName& added);

}  // namespace thallo
