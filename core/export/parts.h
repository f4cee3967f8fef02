// The parts of an exported solver, each in a source of its name. Private to core/export.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "core/export/export.h"
#include "core/export/export_names.h"

namespace thallo {

// Writes the kernels, one file each: those that the solver launches, by their number in the
// program.
std::vector<ExportedFile> kernel_files(const ExportRequest& request, const ExportNames& names,
                                       const std::set<std::size_t>& kernels);

// Writes the C++ source: the memory, the launches by phase, and the interface in C.
std::string solver_source(const ExportRequest& request, const ExportNames& names);

// Writes a step of the program as statements that add it to an exported program. `m` is a Memory,
// `program` a HostProgram or a CudaProgram.
std::string step_text(const ExportRequest& request, const ExportNames& names, Phase phase,
                      const Step& step);
// A list between braces, wrapped into lines that begin with so many blanks.
std::string braced_list(const std::vector<std::string>& items, std::size_t indent);

// Writes how the program's own sparse maps are found: the blocks of stored matrices, and which of
// them meet (core/kernel/bind/tables.h is the same for a bound instance). These statements set the
// extents and maps of a Memory `m`, whose bound maps are on the host.
std::string table_text(const ExportNames& names);

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

// Writes what surrounds the sources: the build, the example, the test, and the exporter's data.
std::vector<ExportedFile> project_files(const ExportRequest& request, const ExportNames& names,
                                        const std::vector<ExportedFile>& sources);

// Returns the run-time part: files of core, in the namespace of the solver.
std::vector<ExportedFile> runtime_files(const std::string& solver, const KernelProgram& program,
                                        Dialect dialect);

}  // namespace thallo
