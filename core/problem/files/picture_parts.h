// Lists the parts of pictures.
#pragma once

#include "core/problem/files/data_file.h"
#include "core/problem/files/data_part.h"

namespace thallo {

// The sources refer to both arguments. The first source, `pixels`, is the whole picture: for an
// input over three dims all layers of a stack, else the first layer. If the layers are equally good
// for two dims, it fails and lists them.
PartSources picture_sources(const DataFile& file, const Raster& raster, int rank);

}  // namespace thallo
