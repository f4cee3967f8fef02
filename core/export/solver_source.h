// Writes the C++ source of an exported solver: its memory, its launches by phase, and its
// interface in C.
#pragma once

#include <string>

#include "core/export/export.h"
#include "core/export/export_names.h"

namespace thallo {

std::string solver_source(const ExportRequest& request, const ExportNames& names);

}  // namespace thallo
