#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "core/cli/bench.h"
#include "core/cli/progress_bar.h"
#include "core/cli/solve_output.h"

namespace thallo::cli {

DataTable bench_warp(const Bench& bench) {
  DataTable table("warp",
                  "Image warping with the published counts (19 solves of 8 x 100 iterations)",
                  {{"picture", "picture"},
                   {"backend", "backend"},
                   {"precision", "precision"},
                   {"unknowns", "unknowns"},
                   {"iterations", "iterations"},
                   {"linear_iterations", "linear"},
                   {"final_cost", "final cost", "{:.6e}"},
                   {"ms_per_iteration", "ms / iteration", "{:.3f}"},
                   {"us_per_linear_iteration", "µs / linear iteration", "{:.2f}"},
                   {"seconds", "s in all", "{:.3f}"}});
  Options options;
  const auto picture = find_data("opt_thallo/cat512.png");
  if (picture) options.set("file", picture->c_str());

  // The cpu beside the backend that was asked for: their costs must agree.
  std::vector<Backend*> backends = {&bench.backend};
  std::unique_ptr<Backend> cpu;
  if (bench.backend.name() == "cuda") {
    cpu = bench.session.open_backend("cpu");
    backends.push_back(cpu.get());
  }
  std::vector<double> costs;
  for (Backend* backend : backends) {
    ProgressBar bar("warp on " + std::string(backend->name()), 0);
    bar.update(0);
    const Bench one{bench.session, *backend, bench.double_precision, bench.num_threads};
    const Run run = one.solve("image_warping", options, {}, false);
    const RunTotals totals = totals_of(run.solution);
    const double seconds = totals.seconds.total;
    table.add(
        {run.instance.title, run.solution.backend, std::string(precision_of(run.solution)),
         run.solution.solves.front().num_unknowns, std::int64_t{totals.iterations},
         totals.linear_iterations, run.solution.final_cost(), 1e3 * seconds / totals.iterations,
         1e6 * totals.seconds.linear / static_cast<double>(totals.linear_iterations), seconds});
    costs.push_back(run.solution.final_cost());
  }
  if (costs.size() > 1) {
    table.note(fmt::format("The final costs differ by {:.4f} %.",
                           100 * std::abs(costs[0] / costs[1] - 1)));
  }
  if (!picture) table.note("Drawn picture: THALLO_DATA_DIR has no opt_thallo/cat512.png.");
  return table;
}

}  // namespace thallo::cli
