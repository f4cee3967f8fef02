#pragma once

// Reads the statements merge, split and full_split, which change a partition and give names to
// parts.

#include <map>
#include <string>

#include "core/base/diagnostic.h"
#include "plugins/split_merge/partition.h"

namespace thallo {

// The names that a text uses for parts. Each part is identified by a residual in it.
using PartsByName = std::map<std::string, ResidualRef>;

// Explains why one kernel cannot run over both residuals.
std::string other_dims(const Energy& energy, ResidualRef residual, ResidualRef target);

// Reads r:merge(r.a, r.b), which moves the residuals of b to a. `known` are the parts that the text
// can name; `added` receives the names that the statement defines. Fails with what would be legal.
Expected<void> read_merge(const Energy& energy, const ScheduleStatement& statement,
                          const PartsByName& known, Partition& partition, PartsByName& added);

// Reads r:split(r.a, i, j), which makes residuals i to j the part a_i_j and leaves the rest in a,
// and r:full_split(r.a), which makes each residual a part: a_1, a_2 ...
Expected<void> read_split(const Energy& energy, const ScheduleStatement& statement,
                          const PartsByName& known, Partition& partition, PartsByName& added);

}  // namespace thallo
