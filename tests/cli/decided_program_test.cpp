// What a solve runs is what the other commands show.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "tests/cli/thallo_process.h"
#include "tests/support/temp_dir.h"

namespace thallo::test {
namespace {

using Json = nlohmann::json;

Json json_of_command(std::vector<std::string> command) {
  command.emplace_back("--json");
  return json_of(thallo(command));
}

void expect_same_program(const Json& explained, const Json& solved) {
  for (const char* name : {"solver", "linear_solver", "preconditioner", "precision"})
    EXPECT_EQ(explained[name], solved[name]) << name;
}

// The interpreter compiles nothing, and nothing is solved.
TEST(CliDecidedProgram, IsThatOfASolveWhateverShowsIt) {
  for (const Json& problem : json_of_command({"problems"})) {
    const std::string name = problem["name"];
    SCOPED_TRACE(name);
    std::vector<std::string> with = {name, "--backend", "interpreter"};
    if (name == "deconvolution" || name == "spatially_varying_deconvolution")
      with.insert(with.end(), {"--size", "16", "--kernel-size", "3"});
    const auto command = [&](const char* verb, const std::vector<std::string>& more) {
      std::vector<std::string> all = {verb};
      all.insert(all.end(), with.begin(), with.end());
      all.insert(all.end(), more.begin(), more.end());
      return json_of_command(all);
    };
    const Json solved = command("solve", {"--set", "nIterations=0"});
    const Json explained = command("explain", {});
    expect_same_program(explained, solved);
    EXPECT_EQ(explained.value("why_linear_solver", ""), solved.value("why_linear_solver", ""));
    EXPECT_EQ(explained["schedule"], solved["schedule"]);
  }
}

// The interpreter is always in double.
TEST(CliDecidedProgram, HasThePrecisionOfASolve) {
  const Json solved = json_of_command({"solve", "tiny", "--backend", "cpu"});
  EXPECT_EQ(solved["precision"], "mixed");
  expect_same_program(json_of_command({"explain", "tiny", "--backend", "cpu"}), solved);
}

TEST(CliDecidedProgram, IsTheSameForADeviceThatIsNotHere) {
  const Json here = json_of_command(
      {"solve", "pose_graph", "--backend", "interpreter", "--set", "nIterations=0"});
  Json there = json_of_command({"explain", "pose_graph", "--device-spec", "h200"});
  EXPECT_EQ(there["linear_solver"], "sparse_cholesky");
  expect_same_program(there, here);
}

// Whoever names a schedule and no linear solver wants the schedule.
TEST(CliDecidedProgram, IsPcgWhereTheChosenSolverDoesNotSuitASchedule) {
  const TempDir folder;
  folder.write("stored.sched", "r.vectors:layout(\"blocked\")\n");
  const std::string schedule = folder.path() / "stored.sched";
  const Json explained = json_of_command({"explain", "pose_graph", "--schedule", schedule});
  const Json solved = json_of_command({"solve", "pose_graph", "--schedule", schedule, "--backend",
                                       "interpreter", "--set", "nIterations=0"});
  EXPECT_EQ(solved["linear_solver"], "pcg");
  expect_same_program(explained, solved);
  const Json why = json_of_command(
      {"explain", "why", "pose_graph", "--device-spec", "h200", "default", schedule});
  EXPECT_EQ(why["predicted"]["linear_iterations"], 30);
}

}  // namespace
}  // namespace thallo::test
