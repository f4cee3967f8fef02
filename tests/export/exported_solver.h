// Exports a solver by `thallo export`, compiles it by two calls of compilers, and runs its example.
#pragma once

#include <string>
#include <vector>

#include "tests/support/temp_dir.h"

namespace thallo::test {

// What a solve has come to.
struct SolveOutcome {
  double initial_cost = 0, final_cost = 0;
  int num_iterations = 0;
};

class ExportedSolver {
 public:
  // `problem` are PROBLEM and the flags that `thallo solve` has, too.
  explicit ExportedSolver(std::vector<std::string> problem) : problem_(std::move(problem)) {}

  // Writes the sources. Returns the messages of the first fault; "" if there is none.
  std::string write();
  // Compiles them. No warning is allowed.
  std::string compile();
  SolveOutcome run();
  // What `thallo solve` makes of the same data.
  SolveOutcome reference() const;

  std::string path(const std::string& name) const { return (folder_.path() / name).string(); }

 private:
  std::vector<std::string> problem_;
  TempDir folder_;
};

// Expects that the exported solver makes the steps of `thallo solve`: as many, and to costs that
// differ by rounding, `tolerance` times the cost.
void expect_equal_solves(const std::vector<std::string>& problem, double tolerance);

}  // namespace thallo::test
