// The run-time part of exported solvers: files of core, in the namespace of the solver.
#pragma once

#include <string>
#include <vector>

#include "core/export/export.h"

namespace thallo {

std::vector<ExportedFile> runtime_files(const std::string& solver, const KernelProgram& program,
                                        Dialect dialect);

}  // namespace thallo
