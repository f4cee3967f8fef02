// The NIST ladder: all 27 nonlinear regression data sets from both starts, by curve_fit's own
// defaults, against the certified parameters. Four correct digits in every parameter are a success.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <iostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/backend/backend.h"
#include "core/problem/driver.h"
#include "problems/curve_fit/models.h"
#include "tests/problems/loaded_problems.h"
#include "tests/problems/runs.h"
#include "tests/support/data.h"

namespace thallo {
namespace {

struct Rung {
  std::string name;
  double digits = 0;
  SolverSummary summary;
};

double digits_of(const Report& report) {
  const auto found = std::ranges::find(report.metrics, "correct digits", &Metric::name);
  return found == report.metrics.end() ? 0 : found->value;
}

Expected<Rung> climb(std::string_view set, std::int64_t start, Backend& backend) {
  const Problem* problem = test::loaded_problems().find("curve_fit");
  const auto run =
      solve_problem(*problem, {.options = {{"nist", std::string(set)}, {"start", start}}}, backend);
  if (!run) return fail(run.error());
  return Rung{std::string(set), digits_of(run->report), run->solution.solves.back()};
}

// A line a data set, for the log and for the reader of a failure.
std::string table(const std::vector<Rung>& rungs) {
  std::string text =
      fmt::format("{:<10} {:>6} {:>6} {:>16}  end\n", "set", "digits", "iter", "residual sum");
  for (const Rung& rung : rungs) {
    text += fmt::format("{:<10} {:>6.1f} {:>6} {:>16.9e}  {}\n", rung.name, rung.digits,
                        rung.summary.num_iterations, 2 * rung.summary.final_cost,
                        to_string(rung.summary.termination));
  }
  return text;
}

class NistLadder : public testing::TestWithParam<std::pair<int, int>> {};

TEST_P(NistLadder, IsClimbed) {
  THALLO_REQUIRE_DATA(folder, "nist");
  const auto backend = make_backend(test::QuickBackend).value();
  const auto& [start, wanted] = GetParam();
  std::vector<Rung> rungs;
  for (const curve_fit::NistSet& set : curve_fit::nist_sets()) {
    const auto rung = climb(set.name, start, *backend);
    ASSERT_TRUE(rung) << set.name << ": " << rung.error().message();
    rungs.push_back(*rung);
  }
  const auto successes = std::ranges::count_if(rungs, [](const Rung& r) { return r.digits >= 4; });
  EXPECT_GE(successes, wanted);
  std::cout << fmt::format("start {}, {}: {} of {}\n{}", start, backend->name(), successes,
                           rungs.size(), table(rungs));
}

// From the far start one or two of the sets have other minima on the way.
INSTANTIATE_TEST_SUITE_P(Start, NistLadder, testing::Values(std::pair(1, 25), std::pair(2, 27)),
                         [](const auto& test) { return std::to_string(test.param.first); });

}  // namespace
}  // namespace thallo
