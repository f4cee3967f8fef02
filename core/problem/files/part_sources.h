// Lists the parts of a file, depending on its kind of content. parts_help() has the same list for
// people.
#pragma once

#include "core/problem/files/data_file.h"
#include "core/problem/files/data_part.h"

namespace thallo {

// Selections that name no part use the first one. The sources refer to `file`, which must outlive
// them. `rank` is the number of dims of the input; see PartReader.
PartSources part_sources(const DataFile& file, int rank);

}  // namespace thallo
