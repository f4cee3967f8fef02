#include "core/cli/bench/bench.h"

#include <algorithm>
#include <cstdlib>

#include "core/base/error.h"

namespace thallo::cli {

namespace fs = std::filesystem;

Run Bench::solve(const std::string& problem, const Options& options, const Settings& settings,
                 Precision preferred, const std::string& schedule) const {
  return solve(session.problem(problem), options, settings, preferred, schedule);
}

Run Bench::solve(const Problem& problem, const Options& options, const Settings& settings,
                 Precision preferred, const std::string& schedule) const {
  RunRequest request;
  request.schedule = schedule;
  request.options = options;
  request.precision = precision.value_or(preferred);
  request.solver_options = settings;
  request.compile.num_threads = num_threads;
  request.parts = session.solver_parts();
  request.constructs = &session.constructs();  // energies contain schedules
  auto run = solve_problem(problem, request, backend);
  if (!run) throw UserError(run.error());
  return *std::move(run);
}

std::optional<Options> find_options(const DataCase& wanted) {
  Options options;
  for (const auto& [option, name] : wanted.files) {
    const auto path = find_data(name);
    if (!path) return {};
    options.set(option, path->c_str());
  }
  for (const auto& [option, value] : wanted.values) options.set(option, value);
  return options;
}

std::optional<fs::path> find_data(const std::string& name) {
  const char* folder = std::getenv("THALLO_DATA_DIR");
  if (!folder) return std::nullopt;
  fs::path path = fs::path(folder) / name;
  std::error_code error;
  if (!fs::exists(path, error)) return std::nullopt;
  return path;
}

std::vector<fs::path> find_data_files(const std::string& folder, const std::string& suffix) {
  std::vector<fs::path> files;
  const auto path = find_data(folder);
  if (!path) return files;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(*path, error)) {
    if (entry.path().filename().string().ends_with(suffix)) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace thallo::cli
