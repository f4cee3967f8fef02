// thallo bench bal: runs bundle_adjustment on BAL files or, if there are none, on one generated
// scene.
#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "core/cli/bench/bench.h"
#include "core/cli/output/progress_bar.h"
#include "core/cli/output/solve_output.h"

namespace thallo::cli {
namespace {

// The optimum of 1/2 sum r^2, from another solver run to convergence in double (Ceres 2.1,
// SPARSE_SCHUR).
struct Optimum {
  std::string_view file;
  double cost;
};
constexpr Optimum Optima[] = {
    {"dubrovnik-problem-16-22106-pre.txt.bz2", 1.80339035e4},
    {"ladybug-49-7776-pre-shrink-1800.txt.bz2", 3.00136210e3},
    {"ladybug-problem-49-7776-pre.txt.bz2", 1.33443184e4},
    {"trafalgar-problem-21-11315-pre.txt.bz2", 3.03786461e4},
};
constexpr std::array<double, 3> Margins = {0.01, 0.001, 0.0005};

struct Scene {
  std::string name;
  Options options;
  double optimum = 0;  // if 0, the best of this benchmark's runs is used
};

std::vector<Scene> find_scenes() {
  std::vector<Scene> scenes;
  for (const Optimum& optimum : Optima) {
    const auto path = find_data("bal/" + std::string(optimum.file));
    if (!path) continue;
    Scene scene{std::string(optimum.file.substr(0, optimum.file.find(".txt"))), {}, optimum.cost};
    scene.options.set("file", path->c_str());
    scenes.push_back(std::move(scene));
  }
  if (scenes.empty()) scenes.push_back({"generated", {}, 0});
  return scenes;
}

struct BalRun {
  std::string preconditioner;
  std::string precision;
  SolverSummary summary;
};

// Returns the seconds from the start of the solve until the cost is within the margin of the
// optimum.
DataTable::Cell seconds_to(const SolverSummary& summary, double optimum, double margin) {
  for (const IterationRecord& record : summary.iterations) {
    if (record.accepted && record.cost <= optimum * (1 + margin)) return record.total_seconds;
  }
  return {};
}

}  // namespace

DataTable bench_bal(const Bench& bench) {
  DataTable table("bal", "Bundle adjustment in the large",
                  {{"scene", "scene"},
                   {"preconditioner", "preconditioner"},
                   {"precision", "precision"},
                   {"unknowns", "unknowns"},
                   {"residuals", "residuals"},
                   {"iterations", "iterations"},
                   {"linear_iterations", "linear"},
                   {"final_cost", "final cost", "{:.8e}"},
                   {"above_optimum_percent", "above optimum, %", "{:.4f}"},
                   {"seconds_to_1", "s to 1 %", "{:.4f}"},
                   {"seconds_to_01", "s to 0.1 %", "{:.4f}"},
                   {"seconds_to_005", "s to 0.05 %", "{:.4f}"},
                   {"seconds", "s in all", "{:.4f}"}});
  const auto scenes = find_scenes();
  const std::vector<std::string> preconditioners = {"block_jacobi", "jacobi"};
  ProgressBar bar("bal", static_cast<std::int64_t>(scenes.size() * preconditioners.size()));
  std::int64_t num_done = 0;
  bool is_relative = false;
  std::int64_t num_failed_blocks = 0, num_with_failed = 0;
  for (const Scene& scene : scenes) {
    std::vector<BalRun> runs;
    double best = std::numeric_limits<double>::infinity();
    for (const std::string& preconditioner : preconditioners) {
      bar.update(num_done++, scene.name + ", " + preconditioner);
      const Run run =
          bench.solve("bundle_adjustment", scene.options, {{"preconditioner", preconditioner}},
                      bench.backend.name() == "cuda" ? Precision::Float : Precision::Double);
      runs.push_back({preconditioner, std::string(to_string(run.solution.precision)),
                      run.solution.solves.back()});
      best = std::min(best, runs.back().summary.final_cost);
    }
    const double optimum = scene.optimum > 0 ? scene.optimum : best;
    is_relative = is_relative || scene.optimum == 0;
    for (const BalRun& run : runs) {
      const SolverSummary& s = run.summary;
      num_failed_blocks += s.num_failed_blocks;
      num_with_failed += s.num_failed_blocks > 0 ? 1 : 0;
      table.add({scene.name, run.preconditioner, run.precision, s.num_unknowns, s.num_residuals,
                 std::int64_t{s.num_iterations}, s.num_linear_iterations, s.final_cost,
                 100 * (s.final_cost / optimum - 1), seconds_to(s, optimum, Margins[0]),
                 seconds_to(s, optimum, Margins[1]), seconds_to(s, optimum, Margins[2]),
                 s.seconds.total});
    }
  }
  table.note(fmt::format("Solver time on {}, without compiling and copying in.",
                         bench.backend.device().name));
  if (num_failed_blocks > 0) {
    table.note(fmt::format(
        "{} preconditioner blocks, in {} of the solves, were not positive definite and used their "
        "diagonal.",
        num_failed_blocks, num_with_failed));
  }
  if (is_relative) {
    table.note("Generated scene (no BAL files in THALLO_DATA_DIR): relative to the better run.");
  }
  return table;
}

}  // namespace thallo::cli
