#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <future>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include "tests/cli/thallo_process.h"
#include "tests/support/processes.h"

namespace thallo::test {
namespace {

using testing::ContainsRegex, testing::HasSubstr, testing::IsEmpty, testing::Not,
    testing::StartsWith;

TEST(CliSolve, PrintsTheTableTheSummaryAndTheReportUnlessItIsQuiet) {
  auto result = thallo({"solve", "tiny", "--backend", "interpreter"});
  EXPECT_EQ(result.exit_code, Ok) << result.err;
  EXPECT_THAT(result.err, IsEmpty());
  EXPECT_THAT(result.out, HasSubstr(" iter           cost cost_change"));
  EXPECT_THAT(result.out, HasSubstr("A tiny problem: tiny data, 3 entries"));
  EXPECT_THAT(result.out, HasSubstr("3 unknowns, 3 residuals; gn, pcg, double on interpreter"));
  EXPECT_THAT(result.out, HasSubstr("cost 6.000000000e+00 -> 0.000000000e+00"));
  EXPECT_THAT(result.out, HasSubstr("stopped: the number of iterations"));
  EXPECT_THAT(result.out, HasSubstr("linear solve"));
  EXPECT_THAT(result.out, HasSubstr("process start to first iteration"));
  EXPECT_THAT(result.out, HasSubstr("backend (driver context; not in the sum)"));
  EXPECT_THAT(result.out, ContainsRegex("distance +0 +m"));
  EXPECT_THAT(result.out, HasSubstr("What came out"));
  const std::vector<std::string> solve = {"solve",       "tiny",  "--backend",
                                          "interpreter", "--set", "q_tolerance=0.25"};
  auto verbose = solve;
  verbose.emplace_back("--verbose");
  result = thallo(verbose);
  EXPECT_EQ(result.exit_code, Ok) << result.err;
  EXPECT_THAT(result.out, ContainsRegex("\nOptions\n +solver +gn *\n"));
  EXPECT_THAT(result.out, ContainsRegex("\n +q_tolerance +0.25 *\n"));
  EXPECT_THAT(result.out, ContainsRegex("\n +residual_reset_period +10 *\n"));
  EXPECT_THAT(thallo(solve).out, Not(HasSubstr("\nOptions\n")));
  result = thallo({"solve", "tiny", "--backend", "interpreter", "-q"});
  EXPECT_THAT(result.out, Not(HasSubstr("cost_change")));
  EXPECT_THAT(result.out, HasSubstr("stopped: the number of iterations"));
  result = thallo({"solve", "tiny", "--backend", "interpreter", "--fault", "goal"});
  EXPECT_EQ(result.exit_code, GoalMissed);
  EXPECT_THAT(result.out, AllOf(HasSubstr("\nwarning: the goal is far away\n"),
                                HasSubstr("The goal was missed, as it was told.")));
}

TEST(CliSolve, ADeterministicSolveTellsThePriceOrWhatToWrite) {
  std::vector<std::string> solve = {"solve",       "tiny",  "--backend",
                                    "interpreter", "--set", "deterministic=true"};
  EXPECT_THAT(succeeded(thallo(solve)).out,
              ContainsRegex("deterministic: predicted to take .* a step, .* times the"));
  solve.insert(solve.end(), {"--schedule", "published-default"});
  EXPECT_THAT(refused(thallo(solve)).err, AllOf(HasSubstr("r.fit.JtF is scattered at the residual"),
                                                HasSubstr("r.fit.JtF:compute_at_output(true)")));
}

TEST(CliSolve, HelpHasTheDefaultOfEveryOption) {
  for (const char* command : {"solve", "run"}) {
    std::istringstream lines(thallo({command, "--help"}).out);
    bool is_listed = false;
    for (std::string line; std::getline(lines, line);) {
      if (line.empty()) is_listed = false;
      if (is_listed) {
        EXPECT_THAT(line, ContainsRegex(" \\[[^ ]+\\]$"));
      }
      if (line == "Solver options, for --set:") is_listed = true;
    }
    EXPECT_THAT(thallo({command, "--help"}).out,
                ContainsRegex(command == std::string("run") ? "nIterations.*\\[500\\]"
                                                            : "nIterations.*\\[10\\]"));
  }
}

TEST(CliSolve, SaysHowManyUnknownsAreFree) {
  const TempDir folder;
  const auto energy = folder.write("held.lua",
                                   "local N = Dims(\"N\")\n"
                                   "Inputs { x = Unknown(float2, {N}, 0) }\n"
                                   "local i = N()\n"
                                   "x:Exclude(less(i:asvalue(), 1))\n"
                                   "Residuals { fit = x(i) - 2 }\n");
  const std::vector<std::string> run = {"run",    energy.string(), "--bind",    "x=1",
                                        "--bind", "N=3",           "--backend", "interpreter"};
  EXPECT_THAT(succeeded(thallo(run)).out, HasSubstr("6 unknowns (4 of them free), 6 residuals"));
  auto as_json = run;
  as_json.emplace_back("--json");
  const auto json = json_of(thallo(as_json));
  EXPECT_EQ(json["unknowns"], 6);
  EXPECT_EQ(json["free_unknowns"], 4);
}

TEST(CliSolve, JsonHasTheReasonWhyASolveCannotBegin) {
  const TempDir folder;
  const auto text = folder.write(
      "root.lua",
      "local N = Dims('N')\nInputs { X = Unknown(double, {N}) }\nResiduals { r = sqrt(X(N())) }");
  const auto result = thallo({"run", text.string(), "--bind", "N=2", "--bind", "X=-1", "--backend",
                              "interpreter", "--json"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(json_of(result)["error"].get<std::string>(), HasSubstr("X(0)"));
}

TEST(CliSolve, JsonHasTheDocumentedFields) {
  const auto json =
      json_of(succeeded(thallo({"solve", "tiny", "--backend", "interpreter", "--json"})));
  EXPECT_EQ(json["problem"], "tiny");
  EXPECT_EQ(json["backend"], "interpreter");
  EXPECT_EQ(json["precision"], "double");
  EXPECT_EQ(json["solver"], "gn");
  EXPECT_EQ(json["unknowns"], 3);
  EXPECT_EQ(json["residuals"], 3);
  EXPECT_EQ(json["initial_cost"], 6.0);
  EXPECT_NEAR(json["final_cost"], 0.0, 1e-20);
  EXPECT_GE(json["iterations"], 1);
  EXPECT_GE(json["linear_iterations"], 1);
  EXPECT_TRUE(json["termination"].is_string());
  for (const char* phase : {"compile", "linearize", "linear", "cost", "total"}) {
    EXPECT_TRUE(json["seconds"][phase].is_number()) << phase;
  }
  for (const char* phase : {"process", "plugins", "backend", "compile", "to_first_iteration"}) {
    EXPECT_TRUE(json["startup"][phase].is_number()) << phase;
  }
  EXPECT_EQ(json["metrics"][0]["name"], "distance");
  EXPECT_EQ(json["metrics"][0]["unit"], "m");
  EXPECT_EQ(json["solves"][0]["records"][0]["cost"], 6.0);
  const auto& times = json["solves"][0]["times"];
  EXPECT_EQ(times["total"]["count"], 1);
  EXPECT_EQ(times["iteration"]["count"], json["iterations"]);
  EXPECT_LE(times["linear"]["min"], times["linear"]["mean"]);
}

TEST(CliSolve, TheTimeToTheFirstIterationLeavesOutTheDriverContext) {
  const auto json = json_of(thallo({"solve", "tiny", "--backend", "interpreter", "--json"}));
  double sum = 0;
  for (const auto& [phase, seconds] : json["startup"].items()) {
    if (phase != "backend" && phase != "to_first_iteration") sum += seconds.get<double>();
  }
  EXPECT_NEAR(json["startup"]["to_first_iteration"], sum, 1e-9);
}

TEST(CliSolve, OptionsAreTypedAndReachTheProblemAndTheSolver) {
  auto json = json_of(thallo({"solve", "tiny", "--backend", "interpreter", "--json", "--entries",
                              "5", "--target-value=4", "--show-start"}));
  EXPECT_EQ(json["unknowns"], 5);
  EXPECT_EQ(json["initial_cost"], 40.0);
  EXPECT_EQ(json["metrics"][1]["value"], 40.0);
  json =
      json_of(thallo({"solve", "--target_value", "4", "--backend=interpreter", "tiny", "--json"}));
  EXPECT_EQ(json["initial_cost"], 24.0);
  json = json_of(thallo({"solve", "tiny", "--backend", "interpreter", "--json", "--solver", "lm",
                         "--set", "nIterations=2", "--set", "preconditioner=none"}));
  EXPECT_EQ(json["solver"], "lm");
  EXPECT_EQ(json["preconditioner"], "none");
  EXPECT_LE(json["iterations"], 2);
}

TEST(CliSolve, EliminatesNoUnknownThatIsNotThere) {
  for (const char* solver : {"auto", "pcg", "schur_pcg"}) {
    EXPECT_THAT(refused(thallo({"solve", "tiny", "--backend", "interpreter", "--set",
                                fmt::format("linear_solver={}", solver), "--set", "eliminate=Y"}))
                    .err,
                HasSubstr("solver option eliminate: 'tiny' has no unknown 'Y'"));
  }
}

// Of x^2 = 2 a step of Gauss-Newton goes from 0.01 to 100.
TEST(CliSolve, ACostThatRoseIsNoSuccess) {
  const TempDir folder;
  const auto energy = folder.write("root.lua",
                                   "local N = Dims(\"N\")\n"
                                   "Inputs { x = Unknown(float, {N}, 0) }\n"
                                   "local i = N()\n"
                                   "Residuals { fit = x(i) * x(i) - 2 }\n");
  const std::vector<std::string> once = {"run",    energy.string(), "--bind",    "x=0.01",
                                         "--bind", "N=1",           "--backend", "interpreter",
                                         "--set",  "nIterations=1"};
  // Gauss-Newton without the halved steps that an energy of one's own has by default.
  auto undamped = once;
  undamped.insert(undamped.end(), {"--solver", "gn", "--set", "max_step_halvings=0"});
  const auto result = thallo(undamped);
  EXPECT_EQ(result.exit_code, GoalMissed);
  EXPECT_THAT(result.out, HasSubstr("diverged: the number of iterations"));
  EXPECT_THAT(result.out, HasSubstr("warning: the cost rose from"));
  auto as_json = once;
  as_json.emplace_back("--json");
  const auto json = json_of(thallo(as_json));
  EXPECT_EQ(json["ending"], "stopped");
  EXPECT_EQ(json["options"]["nIterations"], "1");
  EXPECT_EQ(json["options"]["function_tolerance"], "1e-06");
  EXPECT_EQ(json["solves"][0]["warnings"].size(), 2u);
}

// The start of a solve is not where the one before ended: its constraints are others.
TEST(CliSolve, PrintsTheCostsOfEachSolve) {
  const std::vector<std::string> arguments = {
      "solve",     "image_warping", "--size", "16",    "--solves",     "2",
      "--backend", "interpreter",   "-q",     "--set", "nIterations=1"};
  const auto result = thallo(arguments);
  auto as_json = arguments;
  as_json.emplace_back("--json");
  const auto json = json_of(thallo(as_json));
  ASSERT_EQ(json["solves"].size(), 2u);
  for (std::size_t i = 0; i < json["solves"].size(); ++i) {
    const auto& solve = json["solves"][i];
    EXPECT_THAT(result.out, HasSubstr(fmt::format("\nsolve {}: cost {:.9e} -> {:.9e}\n", i + 1,
                                                  solve["initial_cost"].get<double>(),
                                                  solve["final_cost"].get<double>())));
  }
  EXPECT_THAT(result.out, Not(HasSubstr("\ncost ")));
}

TEST(CliSolve, OutWritesTheReport) {
  const TempDir folder;
  const auto out = folder.path() / "made" / "report";
  const auto result =
      succeeded(thallo({"solve", "tiny", "--backend", "interpreter", "--out", out.string()}));
  for (const char* name : {"metrics.json", "black.png", "solution.csv"}) {
    EXPECT_TRUE(std::filesystem::exists(out / name)) << name;
    EXPECT_THAT(result.out, HasSubstr((out / name).string()));
  }
  std::ifstream in(out / "metrics.json");
  const auto json = nlohmann::json::parse(in, nullptr, false);
  ASSERT_TRUE(json.is_object());
  EXPECT_EQ(json["metrics"][0]["name"], "distance");
}

TEST(CliSolve, ADeviceThatFailsInTheMiddleLeavesWhatWasReached) {
  const TempDir folder;
  folder.write("squares.lua",
               "local N = Dim('N')\nInputs { x = Unknown(double, {N}) }\nlocal i = N()\n"
               "Residuals { fit = x(i) * x(i) - 4 }\n");
  const auto out = folder.path() / "out";
  const auto result =
      thallo({"run", folder.path() / "squares.lua", "--bind", "x=ones", "--bind", "N=4",
              "--backend", "interpreter", "--double", "--set", "linear_solver=breaks", "--out", out,
              "--plugin-path", THALLO_SOLVERS_FOLDER});
  EXPECT_EQ(result.exit_code, Device) << result.err;
  EXPECT_THAT(result.err, HasSubstr("thallo: the device or a library failed: breakDown: LOST (7)"));
  std::ifstream in(out / "metrics.json");
  const auto json = nlohmann::json::parse(in, nullptr, false);
  ASSERT_TRUE(json.is_object());
  EXPECT_EQ(json["solves"][0]["termination"], "DeviceFailed");
  EXPECT_EQ(json["solves"][0]["iterations"], 2);
  EXPECT_LT(json["final_cost"], json["initial_cost"]);
}

// A script must not take the folder for complete.
TEST(CliSolve, InterruptedBeforeAllIsWrittenSaysSo) {
  const TempDir folder;
  const auto out = folder.path() / "out";
  const std::string begun = (folder.path() / "begun").string();
  auto run = std::async(std::launch::async, [&] {
    return thallo({"solve", "tiny", "--backend", "interpreter", "--fault", "endless_picture",
                   "--file", begun, "--out", out, "--json"});
  });
  while (!std::filesystem::exists(begun))
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  const std::vector<int> children = children_of(getpid());
  ASSERT_EQ(children.size(), 1u);
  kill(children.front(), SIGINT);
  const auto result = run.get();
  EXPECT_EQ(result.exit_code, 128 + SIGINT);
  EXPECT_THAT(result.err, HasSubstr("endless.png and the pictures after it are not drawn"));
  EXPECT_THAT(result.err, HasSubstr("thallo: interrupted\n"));
  const auto json = json_of(result);
  EXPECT_NEAR(json["final_cost"], 0.0, 1e-20);
  EXPECT_EQ(json["error"], "it was told to end before all was written");
  for (const char* name : {"metrics.json", "black.png", "solution.csv"})
    EXPECT_TRUE(std::filesystem::exists(out / name)) << name;
}

// One JSON text has both.
TEST(CliSolve, WhatCannotBeWrittenIsInTheJsonOfTheResult) {
  const TempDir folder;
  const auto out = folder.path() / "out";
  std::filesystem::create_directories(out / "solution.csv");
  const auto json = json_of(
      refused(thallo({"solve", "tiny", "--backend", "interpreter", "--out", out, "--json"})));
  EXPECT_NEAR(json["final_cost"], 0.0, 1e-20);
  EXPECT_THAT(json["error"].get<std::string>(), HasSubstr("solution.csv: cannot be written: Is a"));
}

TEST(CliSolve, AFolderThatCannotBeWrittenIsRefusedBeforeTheSolve) {
  const TempDir folder;
  namespace fs = std::filesystem;
  fs::permissions(folder.path(), fs::perms::owner_read | fs::perms::owner_exec |
                                     fs::perms::others_read | fs::perms::others_exec);
  // Permissions do not stop root.
  std::vector<std::string> program = {THALLO_PROGRAM};
  if (geteuid() == 0)
    program.insert(program.begin(), {"/usr/bin/env", "setpriv", "--reuid=65534", "--clear-groups"});
  const auto run = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), program.begin(), program.end());
    return run_process(arguments);
  };
  if (const auto version = run({"--version"}); version.exit_code != Ok) GTEST_SKIP() << version.err;
  const auto result = refused(
      run({"solve", "curve_fit", "--backend", "interpreter", "--out", folder.path().string()}));
  EXPECT_THAT(result.err, HasSubstr("--out " + folder.path().string() + ": Permission denied"));
  EXPECT_THAT(result.out, IsEmpty());
}

class CliSolveOnCpu : public testing::Test {
 protected:
  void SetUp() override {
    for (const auto& row : json_of(thallo({"devices", "--json"}))) {
      if (row["backend"] == "cpu" && !row["available"]) {
        GTEST_SKIP() << row["reason"].get<std::string>();
      }
    }
  }
  nlohmann::json solve(std::vector<std::string> more) {
    more.insert(more.begin(), {"solve", "tiny", "--backend", "cpu", "--json"});
    const auto result =
        succeeded(thallo(more, {"THALLO_CACHE_DIR=" + (folder_.path() / "cache").string(),
                                "THALLO_DUMP=" + (folder_.path() / "dump").string()}));
    return json_of(result);
  }
  TempDir folder_;
};

TEST_F(CliSolveOnCpu, SaysWhereNoTemporaryFolderCanBeMade) {
  const auto result = thallo({"solve", "tiny", "--backend", "cpu"},
                             {"TMPDIR=/no/such/folder", "THALLO_CACHE_DIR="});
  EXPECT_EQ(result.exit_code, Device);
  EXPECT_THAT(result.err, HasSubstr("no temporary folder can be made in /no/such/folder: No such "
                                    "file or directory; TMPDIR names another place"));
}

TEST_F(CliSolveOnCpu, OtherSizesCompileNothingNew) {
  const auto first = solve({"--schedule", "default"});
  EXPECT_EQ(first["precision"], "mixed");
  EXPECT_EQ(first["kernels"]["from_cache"], 0);
  const auto larger = solve({"--schedule", "default", "--entries", "1000"});
  EXPECT_EQ(larger["unknowns"], 1000);
  EXPECT_EQ(larger["kernels"]["from_cache"], larger["kernels"]["count"]);
}

TEST_F(CliSolveOnCpu, DumpWritesTheStages) {
  solve({"--double", "--schedule", "default"});
  for (const char* name :
       {"00_energy.txt", "01_derivatives.txt", "02_schedule.sched", "03_plan.txt", "04_lowered.txt",
        "05_separate_domains.txt", "06_factor_sums.txt", "07_share_partials.txt", "08_program.txt",
        "kernels/apply_jtjp.c"}) {
    EXPECT_GT(std::filesystem::file_size(folder_.path() / "dump" / name), 0u) << name;
  }
}

TEST(CliSolve, ExitCodesSayWhoIsToBlame) {
  auto result = thallo({"solve", "tiny", "--backend", "interpreter", "--fault", "data"});
  EXPECT_EQ(result.exit_code, User);
  EXPECT_EQ(result.err, "thallo: the data of tiny are broken\n");
  result = thallo({"solve", "tiny", "--backend", "interpreter", "--fault", "nan"});
  EXPECT_EQ(result.exit_code, User);
  EXPECT_THAT(result.err, HasSubstr("since target(2) is nan"));
  result = thallo({"solve", "tiny", "--backend", "interpreter", "--fault", "device"});
  EXPECT_EQ(result.exit_code, Device);
  EXPECT_EQ(result.err, "thallo: tinyLaunch(apply): TINY_ERROR_LOST (7)\n");
  result = thallo({"solve", "tiny", "--backend", "interpreter", "--fault", "internal"});
  EXPECT_EQ(result.exit_code, Internal);
  EXPECT_EQ(result.err, "thallo: nobody expected this\n");
  result = thallo({"solve", "tiny", "--backend", "interpreter", "--fault", "assertion"});
  EXPECT_EQ(result.exit_code, Internal);
  EXPECT_THAT(result.err, HasSubstr("please report it"));
}

TEST(CliSolve, SaysWhatMultifrontalCholeskyNeeds) {
  const std::string library = THALLO_MUMPS_LIBRARY;
  if (library.empty()) GTEST_SKIP() << "this build has no multifrontal_cholesky";
  const TempDir folder;  // with a file that is no library
  std::ofstream(folder.path() / library) << "MUMPS";
  const auto result = thallo(
      {"solve", "tiny", "--backend", "interpreter", "--set", "linear_solver=multifrontal_cholesky"},
      {"LD_LIBRARY_PATH=" + folder.path().string()});
  EXPECT_EQ(result.exit_code, Device);
  EXPECT_THAT(result.err, StartsWith("thallo: the device or a library failed: MUMPS: "));
  EXPECT_THAT(result.err, HasSubstr(library));
  EXPECT_THAT(result.err, HasSubstr("multifrontal_cholesky needs MUMPS 5."));
  EXPECT_THAT(result.err, HasSubstr("libmumps-seq-dev and libopenblas0"));
  EXPECT_THAT(result.err, HasSubstr("use sparse_cholesky"));
}

TEST(CliSolve, ABackendThatIsNotThereIsExitCodeThree) {
  const auto devices = json_of(thallo({"devices", "--json"}));
  for (const auto& row : devices) {
    if (row["backend"] == "cuda" && row["available"]) GTEST_SKIP() << "there is a CUDA device";
  }
  const auto result = thallo({"solve", "tiny", "--backend", "cuda"});
  EXPECT_EQ(result.exit_code, Device);
  EXPECT_THAT(result.err, StartsWith("thallo: backend cuda: "));
}

}  // namespace
}  // namespace thallo::test
