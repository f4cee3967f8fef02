// The benchmarks of `thallo bench`. Each is a function that runs problems on a backend and returns
// a table. Real data are read from the folder THALLO_DATA_DIR; if it lacks them, generated input is
// used or the case is left out.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/backend/backend.h"
#include "core/base/error.h"
#include "core/cli/output/data_table.h"
#include "core/cli/session.h"
#include "core/problem/driver.h"
#include "core/schedule/precision.h"

namespace thallo::cli {

struct Bench {
  Session& session;
  Backend& backend;
  std::optional<Precision> precision;  // if unset, each benchmark chooses
  int num_threads = 0;
  std::string only = {};  // cases whose names do not contain it are left out
  bool is_wanted(std::string_view name) const { return name.find(only) != name.npos; }

  using Settings = std::vector<std::pair<std::string, std::string>>;
  // Solves a problem without output, in the preferred precision unless `precision` is set, with the
  // problem's own schedule unless one is named. Throws UserError if it cannot be run.
  Run solve(const std::string& problem, const Options& options, const Settings& settings,
            Precision preferred, const std::string& schedule = {}) const;
  Run solve(const Problem& problem, const Options& options, const Settings& settings,
            Precision preferred, const std::string& schedule = {}) const;
};

// Throws UserError if no case has a wanted name.
template <class Cases>
void check_wanted(const Bench& bench, const Cases& cases) {
  std::vector<std::string> names;
  for (const auto& each : cases) {
    if (bench.is_wanted(each.name)) return;
    names.emplace_back(each.name);
  }
  throw UserError(Diagnostic{"no case has '" + bench.only + "' in its name", {}, std::move(names)});
}

// Returns the path of `name` below THALLO_DATA_DIR, if it exists.
std::optional<std::filesystem::path> find_data(const std::string& name);
// Returns the files of a folder below THALLO_DATA_DIR whose names end in `suffix`, sorted; none if
// there is no such folder.
std::vector<std::filesystem::path> find_data_files(const std::string& folder,
                                                   const std::string& suffix);

// A problem with its input.
struct DataCase {
  const char* name;
  const char* problem;
  // Pairs of an option and a file below THALLO_DATA_DIR.
  std::vector<std::pair<const char*, const char*>> files;
  // Options that are not files.
  std::vector<std::pair<const char*, PropertyValue>> values;
};
// Returns the options of the problem; nothing if a file is missing.
std::optional<Options> find_options(const DataCase& wanted);

// Runs curve_fit on the NIST data sets from both starts, and counts the digits that agree with the
// certified values.
DataTable bench_nist(const Bench& bench);
// Runs bundle_adjustment on BAL files, with block_jacobi and with scalar jacobi: iterations and
// time until the cost is within 1 %, 0.1 % and 0.05 % of the optimum.
DataTable bench_bal(const Bench& bench);
// Runs the published problems on their published inputs with their published iteration counts.
// Compares costs with the cpu backend in double, and times with hand-written solvers.
DataTable bench_published(const Bench& bench);
// Solves problems to convergence with every linear solver and preconditioner: the time and the
// linear iterations until the cost is within 1 %, 0.1 % and 0.01 % of the optimum of a direct solve
// in double. Takes long.
DataTable bench_accuracy(const Bench& bench);
// Measures what an iteration of each problem costs: time, launches, and the achieved bandwidth with
// respect to the bytes that must be moved.
DataTable bench_iterations(const Bench& bench);

}  // namespace thallo::cli
