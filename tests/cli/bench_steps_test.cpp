#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <set>
#include <string>

#include "tests/cli/denoise_folder.h"
#include "tests/cli/thallo_process.h"

namespace thallo::test {
namespace {

using testing::ContainsRegex, testing::HasSubstr, testing::Not;

TEST(CliBenchSteps, PrintsStepsTheirSumAndTheLoopOfSeveralProblems) {
  auto result =
      thallo({"bench", "steps", "tiny", "--backend", "interpreter", "--schedule", "default"});
  EXPECT_EQ(result.exit_code, Ok) << result.err;
  EXPECT_THAT(result.out, HasSubstr("tiny, tiny data, double"));
  EXPECT_THAT(result.out, ContainsRegex("apply +apply_jtjp \\[fit\\] +3 points +[0-9.]+ +[0-9.]+"));
  EXPECT_THAT(result.out, ContainsRegex("a linear iteration: [0-9.]+ us as the sum of its steps"));
  EXPECT_THAT(result.out, ContainsRegex("us in the loop of 1, ratio [0-9.]+"));
  EXPECT_THAT(result.out, Not(HasSubstr("a linear iteration of each")));
  result = thallo({"bench", "steps", "tiny", "tiny", "--backend", "interpreter"});
  EXPECT_EQ(result.exit_code, Ok) << result.err;
  EXPECT_THAT(result.out, HasSubstr("a linear iteration of each\n  problem"));
  EXPECT_THAT(refused(thallo({"bench", "steps"})).err, HasSubstr("PROBLEM is required"));
  EXPECT_THAT(refused(thallo({"bench", "steps", "tinny", "--backend", "interpreter"})).err,
              HasSubstr("no problem 'tinny'; did you mean 'tiny'?"));
}

TEST(CliBenchSteps, JsonHasSamplesAndSums) {
  const auto json =
      json_of(succeeded(thallo({"bench", "steps", "tiny", "--backend", "interpreter", "--json"})));
  EXPECT_EQ(json["backend"], "interpreter");
  const auto& problem = json["problems"].at(0);
  EXPECT_EQ(problem["problem"], "tiny");
  double sum = 0;
  for (const auto& step : problem["steps"]) {
    EXPECT_EQ(step["fault"], "");
    EXPECT_EQ(step["hot_samples_us"].size(), 7u);
    EXPECT_GT(step["evicted_us"], 0);
    const std::string phase = step["phase"];
    if (phase == "direction" || phase == "apply" || phase == "update") {
      sum += step["hot_us"].get<double>();
    }
  }
  EXPECT_NEAR(problem["linear_iteration"]["hot_us"], sum, 1e-9 * sum);
  EXPECT_GT(problem["linear_iteration"]["loop_us"], 0);
}

TEST(CliBenchMoves, ComparePredictedWithMeasuredChanges) {
  const auto json = json_of(
      thallo({"bench", "moves", "image_warping", "--backend", "cpu", "--size", "16", "--solves",
              "1", "--most", "2", "--repeats", "1", "--set", "nIterations=1", "--json"}));
  const auto& rows = json["moves"]["rows"];
  ASSERT_EQ(rows.size(), 2u);
  for (const auto& row : rows) {
    EXPECT_GE(std::abs(row["predicted"].get<double>()), 2);
    EXPECT_GT(row["measured"], -100);
    const bool agrees = (row["predicted"] < 0) == (row["measured"] < 0);
    EXPECT_EQ(row["agrees"], agrees ? "agrees" : "differs");
  }
  EXPECT_GE(std::abs(rows[0]["predicted"].get<double>()),
            std::abs(rows[1]["predicted"].get<double>()) / 2);
}

TEST_F(DenoiseFolder, BenchTakesEnergyTexts) {
  const auto bench = [&](const char* what, std::vector<std::string> problems) {
    problems.insert(problems.begin(), {"bench", what, path("denoise.lua")});
    problems.insert(problems.end(),
                    {"--bind", "X=" + path("noisy.png"), "--bind", "A=" + path("noisy.png"),
                     "--bind", "w=0.5", "--backend", "interpreter"});
    return thallo(problems);
  };
  const auto steps = succeeded(bench("steps", {"tiny"}));
  EXPECT_THAT(steps.out, ContainsRegex("a linear iteration of each\n  problem[^\n]*\n *denoise "));
  EXPECT_THAT(succeeded(bench("auto", {})).out, ContainsRegex("\n[|] denoise +[|]"));
  EXPECT_THAT(refused(thallo({"bench", "steps", "tiny", "--bind", "w=1"})).err,
              HasSubstr("w=1: only inputs of an energy text are bound; 'tiny' is no "));
}

// Finds a reader that has no rate, or fails on a file of the size that is timed.
TEST(CliBenchReaders, PrintsARateForEachFormat) {
  const auto table = json_of(thallo({"bench", "readers", "--lines", "100", "--json"}));
  std::set<std::string> formats;
  for (const auto& row : table["readers"]["rows"]) {
    formats.insert(row["format"]);
    EXPECT_GT(row["megabytes"], 0) << row;
  }
  for (const char* format : {"csv", "obj", "off", "ply, ascii", "pgm, ascii", "bal", "g2o, SE2"})
    EXPECT_TRUE(formats.contains(format)) << format;
  EXPECT_EQ(thallo({"bench", "readers", "--lines", "0"}).exit_code, User);
}

}  // namespace
}  // namespace thallo::test
