// Whole runs of the problems, as `thallo solve` makes them.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/problem/driver.h"
#include "tests/support/ceres_oracle.h"

namespace thallo::test {

using SolverTexts = std::vector<std::pair<std::string, std::string>>;

// The backend of runs that ask what a problem makes of its input: where compiling the kernels takes
// longer than interpreting them, they are compiled with THALLO_SLOW_TESTS only.
#ifdef THALLO_SLOW_TESTS
inline constexpr const char* QuickBackend = "cpu";
#else
inline constexpr const char* QuickBackend = "interpreter";
#endif

// In double. Throws where it fails, as the next.
Run run(std::string_view problem, const Options& options, const SolverTexts& solver_options = {},
        const std::string& backend = "interpreter");
// In float, on the cpu backend.
Run run_in_float(std::string_view problem, const Options& options,
                 const SolverTexts& solver_options = {});

// In the precision that the problem chooses, on the cpu backend.
Run run_by_default(std::string_view problem, const Options& options,
                   const SolverTexts& solver_options = {});

// A line on stdout: cost, steps and seconds of both. The numbers in docs/measurements.md.
void print_beside_ceres(std::string_view what, const CeresResult& ceres, const Solution& ours);

// By name; a failure of the test where there is none.
double metric(const Report& report, std::string_view name);

// Within a relative tolerance, what the summary says is what the definition of the energy gives at
// the unknowns left behind.
void expect_true_cost(const Run& run, double tolerance = 1e-9);

}  // namespace thallo::test
