// Energy texts of one's own, with --bind, as the problem of the commands that show and measure.
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <string>
#include <vector>

#include "tests/cli/denoise_folder.h"
#include "tests/cli/thallo_process.h"

namespace thallo::test {
namespace {

using testing::AllOf, testing::HasSubstr, testing::StartsWith;

// So few unknowns are solved for by a direct solver if none is named.
constexpr const char* Pcg = "linear_solver=pcg";

class CliEnergyFile : public DenoiseFolder {
 protected:
  // The command on the text, bound, with what follows.
  ProcessResult bound(std::vector<std::string> command, std::vector<std::string> flags = {}) const {
    command.push_back(path("denoise.lua"));
    for (const std::string& binding :
         {"X=" + path("noisy.png"), "A=" + path("noisy.png"), std::string("w=3")})
      command.insert(command.end(), {"--bind", binding});
    command.insert(command.end(), flags.begin(), flags.end());
    return thallo(command);
  }
};

TEST_F(CliEnergyFile, IsPrintedCheckedExplainedAndVerified) {
  EXPECT_THAT(succeeded(thallo({"print", "energy", path("denoise.lua")})).out,
              HasSubstr("residual reg over (w, h)"));
  EXPECT_THAT(refused(thallo({"print", "plan", path("denoise.lua")})).err,
              AllOf(HasSubstr("denoise.lua: its inputs are not bound"),
                    HasSubstr("array    A: W x H, 1 channel")));
  const auto kernels = succeeded(bound({"print", "c"}, {"--schedule", "default", "--set", Pcg}));
  EXPECT_THAT(kernels.out, HasSubstr("void apply_jtjp("));
  const auto checked = json_of(bound({"check"}, {"--json"}));
  EXPECT_TRUE(checked["passed"]);
  EXPECT_EQ(checked["points"], 2 * 48);
  EXPECT_FALSE(json_of(succeeded(
      bound({"explain"}, {"--schedule", "opt", "--backend", "interpreter", "--json"})))["kernels"]
                   .empty());
  const auto verified =
      succeeded(bound({"verify"}, {"--sample", "2", "--backend", "interpreter", "--json"}));
  EXPECT_EQ(json_of(verified)["verified"], 2);
}

// A residual sqrt(x) is none at negative x, whatever its square is simplified to.
TEST_F(CliEnergyFile, IsNoNumberWhereAResidualIsNone) {
  folder_.write("root.lua",
                "local N = Dims(\"N\")\n"
                "Inputs { x = Unknown(float, {N}) }\n"
                "local n = N()\n"
                "Residuals { r = sqrt(x(n)) }\n");
  const auto solve = [this](const std::string& start) {
    return thallo({"run", path("root.lua"), "--bind", "N=3", "--bind", "x=" + start, "--backend",
                   "interpreter", "--json", "--set", "nIterations=20"});
  };
  const auto solved = json_of(solve("1"));
  EXPECT_GE(solved["final_cost"], 0);
  EXPECT_LT(solved["final_cost"], 1e-3);
  EXPECT_THAT(solve("-1").err, HasSubstr("r at (n) = (0) is"));
  const auto verified = refused(thallo(
      {"verify", path("root.lua"), "--bind", "N=3", "--bind", "x=-1", "--backend", "interpreter"}));
  EXPECT_THAT(verified.err, HasSubstr("nothing can be compared at the start"));
}

// By a worker process, which binds the text's inputs itself.
TEST_F(CliEnergyFile, IsExploredAndReported) {
  const std::string store = path("its.store");
  const auto explored = succeeded(bound({"explore"}, {"--sample", "2", "--backend", "interpreter",
                                                      "--best", "1", "--store", store, "--json"}));
  const auto json = json_of(explored);
  EXPECT_THAT(json["title"], HasSubstr("denoise.lua"));
  EXPECT_GE(json["candidates"].size(), 2u);
  EXPECT_THAT(succeeded(bound({"report"}, {"--store", store, "--double"})).out,
              HasSubstr("denoise.lua"));
}

TEST_F(CliEnergyFile, HasATableOfTimesForSchedules) {
  folder_.write("mine.sched", "r.fit.JtJp:compute_at_output(true)\n");
  const auto result =
      succeeded(bound({"bench", "schedules"},
                      {"--schedule", "default", "--schedule", path("mine.sched"), "--repeats", "1",
                       "--backend", "interpreter", "--json", "--set", Pcg}));
  const auto rows = json_of(result)["schedules"]["rows"];
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0]["schedule"], "default");
  EXPECT_EQ(rows[0]["speedup"], 1.0);
  EXPECT_EQ(rows[1]["schedule"], path("mine.sched"));
  for (const auto& row : rows) {
    EXPECT_GT(row["ms_per_iteration"], 0);
    EXPECT_GT(row["us_per_linear_iteration"], 0);
  }
}

TEST_F(CliEnergyFile, IsBenchmarkedAndMeasuredWithFewIterations) {
  auto result = thallo({"bench", "schedules", "tiny", "--entries", "7", "--repeats", "1",
                        "--backend", "interpreter"});
  ASSERT_EQ(result.exit_code, Ok) << result.err;
  for (const char* schedule : {"default", "opt", "published-default", "auto"})
    EXPECT_THAT(result.out, HasSubstr(std::string("| ") + schedule + " "));
  const auto wrong = thallo({"bench", "schedules", "tiny", "--entires", "7"});
  EXPECT_THAT(wrong.err,
              StartsWith("thallo: thallo bench schedules: no option '--entires'; did you "
                         "mean '--entries'?"));
  // What is solved until it converges has counts that only limit it: those that are expected are
  // made.
  result = bound({"bench", "schedules"}, {"--schedule", "default", "--repeats", "1", "--backend",
                                          "interpreter", "--set", Pcg});
  EXPECT_THAT(result.out, HasSubstr("10 nonlinear iterations with 240 linear ones each"));
  const auto asked = bound({"bench", "schedules"},
                           {"--schedule", "default", "--repeats", "1", "--backend", "interpreter",
                            "--set", "nIterations=2", "--set", "lIterations=40"});
  EXPECT_THAT(asked.out, HasSubstr("2 nonlinear iterations with 40 linear ones each"));
}

TEST_F(CliEnergyFile, TakesWhatTheTomlBesideItBinds) {
  folder_.write("denoise.toml", "[bind]\nX = \"noisy.png\"\nA = \"noisy.png\"\nw = 0.5\n");
  for (const char* name : {"denoise.lua", "denoise.toml"}) {
    succeeded(thallo({"check", path(name), "--bind", "w=2"}));
  }
}

TEST_F(CliEnergyFile, SaysWhatCannotBeMeant) {
  const auto message = [](const std::vector<std::string>& arguments) {
    return refused(thallo(arguments)).err;
  };
  EXPECT_THAT(message({"check", path("absent.lua")}),
              HasSubstr("absent.lua: there is no such file"));
  EXPECT_THAT(message({"check", "tiny", "--bind", "X=3"}),
              HasSubstr("X=3: only inputs of an energy text are bound; 'tiny' is no path"));
  EXPECT_THAT(message({"solve", path("denoise.lua")}),
              HasSubstr("`thallo run` runs an energy text"));
  EXPECT_THAT(message({"verify", path("denoise.lua"), "-b", "w=1", "-b", "w=2"}),
              HasSubstr("--bind w=2: 'w' is there twice"));
  EXPECT_THAT(message({"explain", path("denoise.lua"), "--size", "3"}),
              HasSubstr("thallo explain: no option '--size'"));
}

}  // namespace
}  // namespace thallo::test
