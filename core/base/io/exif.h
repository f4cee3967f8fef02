// The one entry of EXIF data that readers of pictures need. PNG and JPEG carry such data.
#pragma once

#include <string_view>

namespace thallo {

// Returns the entry Orientation, 1 to 8; 1 if there is none or the data are damaged. `exif` begins
// with the byte order, II or MM.
int exif_orientation(std::string_view exif);

}  // namespace thallo
