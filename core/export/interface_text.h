// Writes the interface of an exported solver: its headers in C and C++, and what is behind them.
#pragma once

#include <string>
#include <vector>

#include "core/export/export.h"
#include "core/export/export_names.h"

namespace thallo {

// An option of the exported solver, under its published name.
struct ExportedOption {
  std::string name;    // "nIterations"
  std::string member;  // of IterationOptions
  std::string doc;
  std::string value;  // the default, as C spells it
  bool is_integer = false;
};
// Returns the options that have an effect in a solve of the program.
std::vector<ExportedOption> exported_options(const ExportRequest& request);

std::string c_header(const ExportRequest& request, const ExportNames& names);
std::string cpp_header(const ExportNames& names);
// The statements that check the caller's data and put them into a Memory `m`.
std::string bind_inputs_text(const KernelProgram& program, const ExportNames& names);
// The functions that the header in C declares.
std::string interface_source(const ExportRequest& request, const ExportNames& names);

// The inputs of the program in the order of the exported struct: dims, fields, maps.
std::vector<DimId> bound_dims(const KernelProgram& program);
std::vector<FieldId> bound_fields(const KernelProgram& program);
std::vector<MapId> bound_maps(const KernelProgram& program);

// 32 or 64, as the data need.
int index_bits(const ExportRequest& request);

}  // namespace thallo
