// Writes a solver as sources that need nothing of Thallo: a library in C++ (docs/export.md).
//
//   kernels/    the kernels of the program, as the backend compiles them
//   runtime/    files of core, the same that the backends compile: the loop of a solve, threads
//   src/        what binds both: memory, launches by phase, the interface in C
//   include/    its headers, in C and in C++
//   data/       the data of the exporter, for the example and the test
//
// Sizes, sparse maps and options are arguments of the exported solver.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/diagnostic.h"
#include "core/energy/binding.h"
#include "core/kernel/arguments.h"
#include "core/kernel/generate.h"
#include "core/schedule/precision.h"
#include "core/solve/options.h"

namespace thallo {

// What a solve of the data has come to, for the exported test.
struct ExpectedRun {
  double initial_cost = 0, final_cost = 0;
  int num_iterations = 0;
};

struct ExportRequest {
  const GeneratedProgram& generated;
  const Binding& binding;  // the data, with the start in the unknowns
  SolverOptions options;   // as they were decided; the defaults of the exported solver
  Precision precision = Precision::Mixed;
  Dialect dialect = Dialect::C;  // of the kernels: C for a cpu, or CUDA
  std::string schedule;          // its text
  std::string energy_file;       // where the energy was read; "" if it was not read from a file
  std::optional<ExpectedRun> expected = {};
};

struct ExportedFile {
  std::string path;  // in the folder
  std::string content;
};

// Fails if the program cannot be exported; the message names what cannot, and what would be legal.
Expected<void> check_export(const GeneratedProgram& generated, Precision precision,
                            Dialect dialect);

// Returns all files of the export. The program must pass check_export().
Expected<std::vector<ExportedFile>> export_solver(const ExportRequest& request);

// The file that says that a folder is an export. Only such a folder, or an empty one, is written
// to without being asked.
inline constexpr std::string_view ExportMark = "EXPORTED.txt";

}  // namespace thallo
