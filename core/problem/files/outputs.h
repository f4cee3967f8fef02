// Turns the unknowns of a solved energy into files of the formats that its inputs came in.
#pragma once

#include <filesystem>
#include <span>
#include <vector>

#include "core/base/diagnostic.h"
#include "core/energy/energy.h"
#include "core/problem/files/bind_inputs.h"
#include "core/problem/report/report.h"

namespace thallo {

struct OutputRequest {
  FieldId unknown;
  std::filesystem::path path;  // empty: named after the input, in its format
};

// Checks the outputs before the solve. A fault is an output that names no unknown, or a file of a
// format that cannot hold the unknown; all are reported, one a line. `write_all` asks for the
// unknowns without an output as well.
Expected<std::vector<OutputRequest>> plan_outputs(const Energy& energy, const BoundInputs& inputs,
                                                  std::span<const SourceText> outputs,
                                                  bool write_all);

// Unknowns that came from one file go back into one file, unless a request sends them elsewhere.
std::vector<ReportFile> make_outputs(const Energy& energy, const BoundInputs& inputs,
                                     const Binding& solved,
                                     std::span<const OutputRequest> requests);

}  // namespace thallo
