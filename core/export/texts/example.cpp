// Solves the data in a folder, prints each iteration, and compares the costs with those expected.
//
//   @NAME@_example DATA [THREADS]
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>

#include "@NAME@.hpp"
#include "data_folder.h"

namespace {

// Costs may differ by what another processor, and another number of threads, round differently.
constexpr double Tolerance = @TOLERANCE@;

int print(void*, const @NAME@::Iteration* i) {
  std::printf("%4d  cost %-22.15g step %-10.3g linear iterations %d%s\n", i->iteration, i->cost,
              i->step_norm, i->linear_iterations, i->accepted ? "" : "  rejected");
  return 1;
}

bool agrees(const DataFolder& folder, const std::string& name, double value) {
  if (!folder.has("expected " + name)) return true;
  const double expected = folder.number("expected " + name);
  const double scale = std::abs(folder.number("expected initial_cost"));
  if (std::abs(value - expected) <= Tolerance * std::abs(expected) + 1e-12 * scale) return true;
  std::printf("%s is %.15g, expected %.15g\n", name.c_str(), value, expected);
  return false;
}

int solve(const std::string& path, int threads) {
  const DataFolder folder(path);
@ARRAYS@
  @NAME@::Data data{};
@FIELDS@
  @NAME@::Options options = @NAME@::default_options();
  options.callback = print;
  @NAME@::Solver solver(threads);
  const @NAME@::Summary summary = solver.solve(data, options);
  std::printf("cost %.15g -> %.15g in %d iterations and %.6f s: %s\n", summary.initial_cost,
              summary.final_cost, summary.iterations, summary.seconds, summary.ending);
  const bool is_as_expected = agrees(folder, "initial_cost", summary.initial_cost) &&
                              agrees(folder, "final_cost", summary.final_cost);
  return is_as_expected ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::printf("usage: %s DATA [THREADS]\n", argv[0]);
    return 2;
  }
  try {
    return solve(argv[1], argc > 2 ? std::atoi(argv[2]) : 0);
  } catch (const std::exception& failed) {
    std::printf("%s\n", failed.what());
    return 2;
  }
}
