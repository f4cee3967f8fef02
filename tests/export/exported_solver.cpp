#include "tests/export/exported_solver.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>

#include <nlohmann/json.hpp>

#include "tests/cli/thallo_process.h"

namespace thallo::test {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> files_in(const fs::path& folder, const std::string& ending) {
  std::vector<std::string> files;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.path().extension() == ending) files.push_back(entry.path().string());
  return files;
}

std::string faults_of(const ProcessResult& result) {
  return result.exit_code == 0 && result.err.empty() ? "" : result.out + result.err + "\nfailed";
}

}  // namespace

std::string ExportedSolver::write() {
  std::vector<std::string> arguments = {"export"};
  arguments.insert(arguments.end(), problem_.begin(), problem_.end());
  arguments.insert(arguments.end(), {"--out", path("solver")});
  const ProcessResult written = thallo(arguments);
  return written.exit_code == 0 ? "" : written.err;
}

// All C++ files are one text, so that headers are read once.
std::string ExportedSolver::compile() {
  const fs::path solver = path("solver");
  std::ofstream all(path("all.cpp"));
  for (const char* folder : {"src", "runtime", "example"})
    for (const std::string& file : files_in(solver / folder, ".cpp"))
      all << "#include \"" << file << "\"\n";
  all.close();
  const std::string command =
      "cd '" + folder_.path().string() +
      "' && cc -std=c17 -O0 -Wall -Wextra -Werror -fopenmp-simd -ffp-contract=fast -c "
      "solver/kernels/*.c && c++ -std=c++20 -O0 -Wall -Wextra -Werror -Isolver/include "
      "-Isolver/runtime all.cpp *.o -o example -lm -pthread";
  return faults_of(run_process({"/bin/sh", "-c", command}, {}, std::chrono::seconds(300)));
}

SolveOutcome ExportedSolver::run() {
  const ProcessResult ran =
      run_process({path("example"), path("solver/data")}, {}, std::chrono::seconds(300));
  EXPECT_EQ(ran.exit_code, 0) << ran.out << ran.err;
  SolveOutcome outcome;
  const std::size_t line = ran.out.rfind("\ncost ");
  EXPECT_NE(line, std::string::npos) << ran.out;
  if (line == std::string::npos) return outcome;
  std::sscanf(ran.out.c_str() + line, "\ncost %lf -> %lf in %d", &outcome.initial_cost,
              &outcome.final_cost, &outcome.num_iterations);
  return outcome;
}

SolveOutcome ExportedSolver::reference() const {
  std::vector<std::string> arguments = {problem_.front().ends_with(".lua") ? "run" : "solve"};
  arguments.insert(arguments.end(), problem_.begin(), problem_.end());
  arguments.push_back("--json");
  const nlohmann::json solve = json_of(thallo(arguments))["solves"][0];
  return {.initial_cost = solve["initial_cost"],
          .final_cost = solve["final_cost"],
          .num_iterations = solve["iterations"]};
}

void expect_equal_solves(const std::vector<std::string>& problem, double tolerance) {
  ExportedSolver solver(problem);
  ASSERT_EQ(solver.write(), "");
  ASSERT_EQ(solver.compile(), "");
  const SolveOutcome exported = solver.run(), reference = solver.reference();
  const double scale = std::abs(reference.final_cost);
  EXPECT_NEAR(exported.initial_cost, reference.initial_cost,
              tolerance * std::abs(reference.initial_cost));
  EXPECT_NEAR(exported.final_cost, reference.final_cost,
              tolerance * scale + 1e-15 * std::abs(reference.initial_cost));
  EXPECT_EQ(exported.num_iterations, reference.num_iterations);
}

}  // namespace thallo::test
