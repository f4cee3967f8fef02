// Writes how an exported solver finds the program's own sparse maps: the blocks of stored matrices,
// and which of them meet (core/kernel/bind/tables.h is the same for a bound instance).
#pragma once

#include <string>

#include "core/export/export_names.h"

namespace thallo {

// Statements that set the extents and maps of a Memory `m`, whose bound maps are on the host.
std::string table_text(const ExportNames& names);

}  // namespace thallo
