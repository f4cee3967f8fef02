// Converts the unknowns of a solved energy to files, in the formats of its inputs.
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
  std::filesystem::path path;  // if empty: named after the input, in its format
};

// Checks the outputs before the solve. Faults are outputs that name no unknown and files of a
// format that cannot hold the unknown; all faults are reported, one per line. `write_all` also
// requests the unknowns without an output.
Expected<std::vector<OutputRequest>> plan_outputs(const Energy& energy, const BoundInputs& inputs,
                                                  std::span<const SourceText> outputs,
                                                  bool write_all);

// Unknowns that came from the same file are written to one file, unless a request sends them
// elsewhere.
std::vector<ReportFile> make_outputs(const Energy& energy, const BoundInputs& inputs,
                                     const Binding& solved,
                                     std::span<const OutputRequest> requests);

}  // namespace thallo
