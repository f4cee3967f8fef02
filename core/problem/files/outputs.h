// The unknowns of a solved energy as files of the formats that its inputs came in.
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

// Whether these outputs can be made is known before the solve: an output that names no unknown, or
// a file of a format that cannot hold it. All faults are found, one a line.
Expected<std::vector<OutputRequest>> plan_outputs(const Energy& energy, const BoundInputs& inputs,
                                                  std::span<const SourceText> outputs,
                                                  bool write_all);

// Unknowns that came from one file, and are not sent elsewhere, go back into one.
std::vector<ReportFile> make_outputs(const Energy& energy, const BoundInputs& inputs,
                                     const Binding& solved,
                                     std::span<const OutputRequest> requests);

}  // namespace thallo
