#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/cli/bench/bench.h"
#include "core/cli/bench/chain.h"
#include "core/cli/bench/iteration_cost.h"
#include "core/cli/output/progress_bar.h"
#include "core/problem/run_totals.h"

namespace thallo::cli {
namespace {

struct Case {
  std::string name;
  std::string problem;  // empty for the chain
  Options options;
  Bench::Settings settings;
};

// Enough linear iterations for a mean; no test ends them early.
const Bench::Settings FixedCounts = {
    {"nIterations", "5"},         {"lIterations", "200"},      {"q_tolerance", "0"},
    {"residual_tolerance", "0"},  {"function_tolerance", "0"}, {"gradient_tolerance", "0"},
    {"parameter_tolerance", "0"},
};

Options scene(std::int64_t cameras, std::int64_t points, double track_length) {
  Options options;
  options.set("cameras", cameras);
  options.set("points", points);
  options.set("track_length", track_length);
  return options;
}

// All pixels are unknowns, because pixels that a mask skips would be counted as moved.
Options picture(std::int64_t size) {
  Options options;
  options.set("size", size);
  options.set("solves", 1);
  options.set("whole", true);
  return options;
}

// Returns the published settings: without damping, and with the diagonal as preconditioner.
Bench::Settings plain_gauss_newton() {
  Bench::Settings settings = FixedCounts;
  settings.insert(settings.end(), {{"solver", "gn"}, {"preconditioner", "jacobi"}});
  return settings;
}

std::vector<Case> cases_for(std::string_view backend) {
  std::vector<Case> cases = {
      {"chain, one residual group", "", {}, FixedCounts},
      {"bundle_adjustment, 8 cameras", "bundle_adjustment", scene(8, 200, 4.5), FixedCounts},
      {"bundle_adjustment, 49 cameras", "bundle_adjustment", scene(49, 7776, 4.1), FixedCounts},
      {"image_warping, 128 x 128", "image_warping", picture(128), plain_gauss_newton()},
      {"image_warping, 512 x 512", "image_warping", picture(512), plain_gauss_newton()},
  };
  if (backend == "cuda") {
    cases.push_back(
        {"image_warping, 2048 x 2048", "image_warping", picture(2048), plain_gauss_newton()});
    cases.push_back({"bundle_adjustment, 1778 cameras", "bundle_adjustment",
                     scene(1778, 993923, 5.0), FixedCounts});
  }
  return cases;
}

}  // namespace

DataTable bench_iterations(const Bench& bench) {
  DataTable table("iterations", "What an iteration costs",
                  {{"case", "case"},
                   {"precision", "precision"},
                   {"unknowns", "unknowns"},
                   {"residuals", "residuals"},
                   {"linear_iterations", "linear iterations"},
                   {"ms_per_iteration", "ms / nonlinear iteration", "{:.3f}"},
                   {"us_per_linear_iteration", "µs / linear iteration", "{:.2f}"},
                   {"launches", "launches / linear iteration"},
                   {"must_move_mb", "MB that must move", "{:.3f}"},
                   {"gb_per_s", "GB/s", "{:.1f}"}});
  const auto cases = cases_for(bench.backend.name());
  ProgressBar bar("iterations", static_cast<std::int64_t>(cases.size()));
  std::int64_t num_done = 0;
  for (const Case& c : cases) {
    bar.update(num_done++, c.name);
    const Run run = c.problem.empty()
                        ? bench.solve(ChainProblem(), c.options, c.settings, Precision::Float)
                        : bench.solve(c.problem, c.options, c.settings, Precision::Float);
    const RunTotals totals = totals_of(run.solution);
    const SolverSummary& first = run.solution.solves.front();
    const LinearIterationCost cost = linear_iteration_cost(
        run.executable->generated(), run.instance.binding, run.solution.precision);
    const auto num_linear = static_cast<double>(totals.linear_iterations);
    table.add({c.name, std::string(to_string(run.solution.precision)), first.num_unknowns,
               first.num_residuals, totals.linear_iterations,
               1e3 * totals.seconds.total / totals.iterations,
               1e6 * totals.seconds.linear / num_linear, std::int64_t{cost.launches},
               1e-6 * cost.must_move, 1e-9 * cost.must_move * num_linear / totals.seconds.linear});
  }
  table.note(fmt::format(
      "On {}. Time of the linear solves (damping and all) over their iterations; GB/s are the "
      "bytes "
      "that one linear iteration must move, if every cache were perfect, over that time.",
      bench.backend.device().name));
  return table;
}

}  // namespace thallo::cli
