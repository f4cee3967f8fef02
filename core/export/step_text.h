// Writes the steps of a program as statements that add them to an exported program.
#pragma once

#include <string>
#include <vector>

#include "core/export/export.h"
#include "core/export/export_names.h"

namespace thallo {

// `m` is a Memory, `program` a HostProgram or a CudaProgram.
std::string step_text(const ExportRequest& request, const ExportNames& names, Phase phase,
                      const Step& step);

// A list between braces, wrapped into lines that begin with so many blanks.
std::string braced_list(const std::vector<std::string>& items, std::size_t indent);

}  // namespace thallo
