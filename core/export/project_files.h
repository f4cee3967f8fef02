// Writes what surrounds the sources of an exported solver: its build, its example and test, and the
// data of the exporter.
#pragma once

#include <vector>

#include "core/export/export.h"
#include "core/export/export_names.h"

namespace thallo {

std::vector<ExportedFile> project_files(const ExportRequest& request, const ExportNames& names,
                                        const std::vector<ExportedFile>& sources);

}  // namespace thallo
