// A search, a cost model and a front end that a plugin adds (tests/abi/plugins/parts.cpp):
// everywhere that Thallo's own are.
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/cli/thallo_process.h"
#include "tests/support/temp_dir.h"

namespace thallo::test {
namespace {

using testing::AllOf, testing::HasSubstr;

class PluginParts : public testing::Test {
 protected:
  static ProcessResult run(std::vector<std::string> command) {
    command.insert(command.end(), {"--plugin-path", THALLO_PARTS_FOLDER});
    return thallo(command);
  }
  static void expect_fault(const std::vector<std::string>& command, const std::string& message) {
    EXPECT_THAT(refused(run(command)).err, HasSubstr(message));
  }
  std::string path(const std::string& name) const { return (folder_.path() / name).string(); }

  TempDir folder_;
};

TEST_F(PluginParts, AreListedSuggestedAndInTheHelp) {
  EXPECT_THAT(succeeded(run({"plugins"})).out,
              HasSubstr("cost model counting, front end near, search ends"));
  const auto json = json_of(run({"plugins", "--json"}));
  const auto parts = std::ranges::find_if(
      json["loaded"], [](const auto& plugin) { return plugin["name"] == "parts"; });
  ASSERT_NE(parts, json["loaded"].end());
  EXPECT_EQ((*parts)["adds"].size(), 3u);
  EXPECT_THAT(run({"explore", "--help"}).out,
              AllOf(HasSubstr("ends: The first schedule of the space and the last."),
                    HasSubstr("made with: analytic, counting, learned,"),
                    HasSubstr("an energy text (.lua, .t, .near)")));
  EXPECT_THAT(thallo({"explore", "--help"}).out,
              AllOf(HasSubstr("made with: analytic, learned, learned-linear, roofline"),
                    HasSubstr("an energy text (.lua, .t)")));
  expect_fault({"explore", "curve_fit", "--search", "end"},
               "no search 'end'; did you mean 'ends'?");
  expect_fault({"explain", "curve_fit", "--model", "countig"},
               "no cost model 'countig'; did you mean 'counting'?");
}

TEST_F(PluginParts, SearchAndPredict) {
  const ProcessResult result =
      succeeded(run({"explore", "curve_fit", "--search", "ends", "--model", "counting", "--best",
                     "0", "--backend", "cpu", "--store", path("its.store"), "--json"}));
  const auto json = json_of(result);
  std::vector<std::string> numbers;
  for (const auto& candidate : json["candidates"]) {
    EXPECT_GE(candidate["predicted"]["counting"], 1) << candidate;
    if (candidate["index"].is_string()) {
      const auto index = candidate["index"].get<std::string>();
      numbers.push_back(index.substr(index.find(':') + 1));
    }
  }
  EXPECT_THAT(numbers, testing::IsSupersetOf({"0", "17"}));
  succeeded(run({"report", "curve_fit", "--store", path("its.store"), "--model", "counting"}));
}

// Nothing but this model predicts whole seconds.
TEST_F(PluginParts, DecideWhatAutoGoesBy) {
  const auto predicted = [](const std::string& model) {
    return json_of(run({"bench", "auto", "tiny", "--device-spec", "h200", "--model", model,
                        "--json"}))["auto"]["rows"][0]["predicted_us"]
        .get<double>();
  };
  EXPECT_GT(predicted("counting"), 1e6);
  EXPECT_LT(predicted("analytic"), 1e6);
  EXPECT_EQ(
      run({"explain", "tiny", "--schedule", "auto", "--device-spec", "h200", "--model", "counting"})
          .exit_code,
      Ok);
}

TEST_F(PluginParts, ReadEnergiesInTheirLanguage) {
  folder_.write("points.near", "# two unknowns\nA = 3\nB = -2\n");
  const std::string file = path("points.near");
  const ProcessResult solved = succeeded(run(
      {"run", file, "--bind", "N=4", "--backend", "interpreter", "--out", "B=" + path("b.npy")}));
  EXPECT_THAT(solved.out, HasSubstr("smallest value of A"));
  EXPECT_THAT(run({"print", "energy", file}).out, HasSubstr("residual near_A over (n)"));
  EXPECT_EQ(run({"check", file, "--bind", "N=4"}).exit_code, Ok);
  EXPECT_EQ(run({"explain", file, "--bind", "N=4", "--schedule", "opt"}).exit_code, Ok);
  EXPECT_EQ(
      run({"verify", file, "--bind", "N=4", "--sample", "1", "--backend", "interpreter"}).exit_code,
      Ok);
  // By a worker process, which loads the plugin itself.
  succeeded(run({"explore", file, "--bind", "N=4", "--search", "ends", "--backend", "interpreter",
                 "--best", "1", "--store", path("near.store")}));

  folder_.write("wrong.near", "A = 3\nB is 2\n");
  expect_fault({"run", path("wrong.near")}, "wrong.near:2:1: 'B is 2' is no line NAME = NUMBER");
}

// As an energy in Lua is: its .toml names no text, and finds it.
TEST_F(PluginParts, MakeProblemsOfTomlFiles) {
  folder_.write("points.near", "A = 3\n");
  folder_.write("points.toml", "title = 'Points'\n[bind]\nN = 5\n");
  succeeded(run(
      {"solve", "points", "--backend", "interpreter", "--plugin-path", folder_.path().string()}));
  folder_.write("alone.near", "A = 3\n");
  EXPECT_THAT(refused(thallo({"run", path("alone.near"), "--bind", "N=5"})).err,
              AllOf(HasSubstr("alone.near: no front end reads"), HasSubstr("legal: .lua, .t")));
}

}  // namespace
}  // namespace thallo::test
