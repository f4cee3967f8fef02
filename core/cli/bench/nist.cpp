// thallo bench nist: runs curve_fit on the NIST data sets.
#include <algorithm>
#include <array>
#include <string>

#include <fmt/format.h>

#include "core/cli/bench/bench.h"
#include "core/cli/output/progress_bar.h"

namespace thallo::cli {
namespace {

constexpr double WantedDigits = 4;

struct Fit {
  double digits = 0;  // of the least accurate parameter
  int iterations = 0;
};

Fit fit_of(const Run& run) {
  Fit fit{0, static_cast<int>(run.solution.solves.back().num_iterations)};
  for (const Metric& metric : run.report.metrics) {
    if (metric.name == "correct digits") fit.digits = metric.value;
  }
  return fit;
}

}  // namespace

DataTable bench_nist(const Bench& bench) {
  DataTable table("nist", "NIST StRD nonlinear regression: digits of the worst parameter",
                  {{"data", "data set"},
                   {"parameters", "parameters"},
                   {"observations", "observations"},
                   {"digits_1", "digits, start 1", "{:.1f}"},
                   {"iterations_1", "iterations"},
                   {"digits_2", "digits, start 2", "{:.1f}"},
                   {"iterations_2", "iterations"}});
  const auto files = find_data_files("nist", ".dat");
  if (files.empty()) {
    table.note("No data: THALLO_DATA_DIR has no folder nist.");
    return table;
  }
  ProgressBar bar("nist", static_cast<std::int64_t>(files.size()));
  std::int64_t num_done = 0;
  std::array<int, 2> num_right = {0, 0};
  for (const auto& file : files) {
    bar.update(num_done++, file.stem().string());
    std::array<Fit, 2> fits;
    SolverSummary last;
    for (int start : {1, 2}) {
      Options options;
      options.set("file", file.c_str());
      options.set("start", start);
      const Run run = bench.solve("curve_fit", options, {}, Precision::Double);
      const auto i = static_cast<std::size_t>(start - 1);
      fits[i] = fit_of(run);
      num_right[i] += fits[i].digits >= WantedDigits ? 1 : 0;
      last = run.solution.solves.back();
    }
    table.add({file.stem().string(), last.num_unknowns, last.num_residuals, fits[0].digits,
               std::int64_t{fits[0].iterations}, fits[1].digits, std::int64_t{fits[1].iterations}});
  }
  table.note(fmt::format(
      "At least {} correct digits in every parameter: {} of {} from start 1, {} "
      "of {} from start 2 ({}).",
      WantedDigits, num_right[0], files.size(), num_right[1], files.size(), bench.backend.name()));
  return table;
}

}  // namespace thallo::cli
