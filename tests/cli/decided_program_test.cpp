// What a solve runs is what the other commands show.
#include <gmock/gmock.h>

#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/backend/choose_device_spec.h"
#include "core/plugin/session.h"
#include "core/problem/decided_program.h"
#include "core/schedule/schedule_reader.h"
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

void expect_same_decision(const Json& explained, const Json& solved) {
  expect_same_program(explained, solved);
  EXPECT_EQ(explained.value("why_linear_solver", ""), solved.value("why_linear_solver", ""));
  EXPECT_EQ(explained["schedule"], solved["schedule"]);
}

// A ring of planar poses, as a file.
std::string write_ring(const TempDir& folder, int num_poses) {
  std::string text;
  for (int i = 0; i < num_poses; ++i) text += fmt::format("VERTEX_SE2 {0} {0} 0 0\n", i);
  for (int i = 0; i < num_poses; ++i)
    text += fmt::format("EDGE_SE2 {} {} 1 0 0.1 1 0 0 1 0 1\n", i, (i + 1) % num_poses);
  folder.write("ring.g2o", text);
  return folder.path() / "ring.g2o";
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
    expect_same_decision(command("explain", {}), command("solve", {"--set", "nIterations=0"}));
  }
}

// The kernels of two small programs are compiled.
TEST(CliDecidedProgram, IsThatOfASolveOnTheCpuOfDataOfOnesOwn) {
  const TempDir folder;
  const std::vector<std::string> with = {"pose_graph", "--file", write_ring(folder, 9), "--backend",
                                         "cpu"};
  for (const char* chosen : {"", "linear_solver=pcg"}) {
    std::vector<std::string> explain = with;
    if (*chosen != '\0') explain.insert(explain.end(), {"--set", chosen});
    std::vector<std::string> solve = explain;
    explain.insert(explain.begin(), "explain");
    solve.insert(solve.begin(), "solve");
    solve.insert(solve.end(), {"--set", "nIterations=0"});
    expect_same_decision(json_of_command(explain), json_of_command(solve));
  }
}

// There may be no such device here: what a solve would ask for there is asked for its decision.
TEST(CliDecidedProgram, OnAnH200IsWhatASolveThereDecides) {
  const TempDir folder;
  const std::string file = write_ring(folder, 300);
  const std::string spec = "h200";
  const Json explained =
      json_of_command({"explain", "pose_graph", "--file", file, "--device-spec", spec});
  Session session;
  const Problem& problem = **session.open_problem("pose_graph");
  const Options options =
      complete_options(problem.options(), {{"file", std::string(file)}}).value();
  const EnergyFile written = problem.energy(options).value();
  const Instance instance = problem.instantiate(written.energy, options).value();
  RunRequest request;
  request.parts = session.solver_parts();
  request.constructs = &session.constructs();
  const ProgramDemand demand =
      demand_on_host(instance, instance.precision, [&] { return named_device_spec(spec, "cuda"); });
  ProgramDecider decider(written, request);
  DecidedProgram decided =
      decider.decide(demand, solver_options(instance, request).value()).value();
  const EnergyFile sited = with_sites(written, request.sites);
  const AutoTarget target = auto_target(demand, decided, request);
  const Schedule schedule = schedule_of(sited, request, &target).value();
  const Plan plan = make_plan(sited.energy, schedule, session.constructs()).value();
  ASSERT_TRUE(decider.suit(plan, demand, decided));
  expect_same_decision(explained, {{"solver", to_string(decided.solver.solver)},
                                   {"linear_solver", decided.solver.linear_solver},
                                   {"preconditioner", decided.program.preconditioner->name()},
                                   {"precision", to_string(decided.program.precision)},
                                   {"why_linear_solver", decided.why_linear_solver},
                                   {"schedule", schedule.text(session.constructs())}});
}

// The caveat of a model is about the device, which many ask for.
TEST(CliDecidedProgram, SaysOnceWhatItsCostModelWasNotFittedOn) {
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"explain", "tiny"}, {"explain", "choices", "tiny"}}) {
    std::vector<std::string> arguments = command;
    arguments.insert(arguments.end(), {"--backend", "cpu", "--model", "learned"});
    const std::string told = thallo(arguments).err;
    const std::string caveat = "the cost model learned was fitted on";
    ASSERT_THAT(told, testing::HasSubstr(caveat));
    EXPECT_EQ(told.find(caveat), told.rfind(caveat)) << told;
  }
}

// The interpreter is always in double.
TEST(CliDecidedProgram, HasThePrecisionOfASolve) {
  const Json solved = json_of_command({"solve", "tiny", "--backend", "cpu"});
  EXPECT_EQ(solved["precision"], "mixed");
  expect_same_program(json_of_command({"explain", "tiny", "--backend", "cpu"}), solved);
}

TEST(CliDecidedProgram, IsTheSameForADeviceThatIsNotHere) {
  const TempDir folder;
  const std::string file = write_ring(folder, 100);
  const Json here = json_of_command({"solve", "pose_graph", "--file", file, "--backend",
                                     "interpreter", "--set", "nIterations=0"});
  Json there = json_of_command({"explain", "pose_graph", "--file", file, "--device-spec", "h200"});
  EXPECT_THAT(std::string(there["linear_solver"]), testing::EndsWith("_cholesky"));
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
  EXPECT_GT(why["predicted"]["linear_iterations"], 100) << "as many as its poses need";
}

// What prices assume is what the linear solver expects, unless the number is named.
TEST(CliDecidedProgram, IsPricedWithTheLinearIterationsThatAreExpected) {
  const TempDir folder;
  const auto iterations = [&](int num_poses, const std::vector<std::string>& more) -> double {
    std::vector<std::string> all = {
        "explain",       "choices", "pose_graph", "--file",           write_ring(folder, num_poses),
        "--device-spec", "h200",    "--set",      "linear_solver=pcg"};
    all.insert(all.end(), more.begin(), more.end());
    return json_of_command(all)["predicted"]["linear_iterations"];
  };
  const double of_many = iterations(400, {});
  EXPECT_GT(of_many, 500) << "they are 200 hops apart";
  EXPECT_LT(of_many, 1000) << "that is the most that is allowed";
  EXPECT_EQ(iterations(400, {"--set", "lIterations=50"}), 50);
}

}  // namespace
}  // namespace thallo::test
