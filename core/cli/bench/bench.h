// The benchmarks of `thallo bench`: each is a function that runs problems on a backend and returns
// a table. Real data are read from the folder THALLO_DATA_DIR; without them generated input is
// used, or the case is left out.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/backend/backend.h"
#include "core/cli/data_table.h"
#include "core/cli/session.h"
#include "core/problem/driver.h"
#include "core/schedule/precision.h"

namespace thallo::cli {

struct Bench {
  Session& session;
  Backend& backend;
  std::optional<Precision> precision;  // unset: each benchmark chooses
  int num_threads = 0;

  using Settings = std::vector<std::pair<std::string, std::string>>;
  // Solves a problem quietly, in the preferred precision unless `precision` is set. UserError with
  // the reason when it cannot be run.
  Run solve(const std::string& problem, const Options& options, const Settings& settings,
            Precision preferred) const;
  Run solve(const Problem& problem, const Options& options, const Settings& settings,
            Precision preferred) const;
};

// The path of `name` below THALLO_DATA_DIR, if it exists.
std::optional<std::filesystem::path> find_data(const std::string& name);
// The files of a folder below THALLO_DATA_DIR whose names end in `suffix`, sorted; none if there is
// no such folder.
std::vector<std::filesystem::path> find_data_files(const std::string& folder,
                                                   const std::string& suffix);

// curve_fit over the NIST data sets from both starts: digits that agree with the certified values.
DataTable bench_nist(const Bench& bench);
// bundle_adjustment over BAL files: iterations and time to within 1 %, 0.1 % and 0.05 % of the
// optimum, with block_jacobi and with scalar jacobi.
DataTable bench_bal(const Bench& bench);
// The published problems on their published inputs with their published counts of iterations: costs
// against the cpu in double, time beside hand-written solvers.
DataTable bench_published(const Bench& bench);
// What an iteration costs, problem by problem: time, launches, and the rate at which the bytes that
// must be moved are moved.
DataTable bench_iterations(const Bench& bench);

}  // namespace thallo::cli
