// Writes the kernels of an exported solver, one file each.
#pragma once

#include <set>
#include <vector>

#include "core/export/export.h"
#include "core/export/export_names.h"

namespace thallo {

// `kernels` are those that the solver launches, by their number in the program.
std::vector<ExportedFile> kernel_files(const ExportRequest& request, const ExportNames& names,
                                       const std::set<std::size_t>& kernels);

}  // namespace thallo
