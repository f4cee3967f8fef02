// The folder of --out.
#pragma once

#include <string>

namespace thallo::cli {

// Makes the folder, before work begins whose result could not be written otherwise. Throws
// UserError if it cannot be made or written.
void make_out_folder(const std::string& folder);

}  // namespace thallo::cli
