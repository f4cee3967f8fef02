// Lists the parts of a file, by its kind of content. parts_help() has the same list for people.
#pragma once

#include "core/problem/files/data_file.h"
#include "core/problem/files/data_part.h"

namespace thallo {

// The first one is taken by selections that name no part. The sources keep references to `file`,
// which must outlive them. `rank` is the number of dims of the input, see PartReader.
PartSources part_sources(const DataFile& file, int rank);

}  // namespace thallo
