// thallo explore: schedules measured by workers, kept in a store, and what is refused.
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "core/base/io/file.h"
#include "core/cost/device/spec_file.h"
#include "tests/cli/explore_command.h"
#include "tests/cost/sample_spec.h"

namespace thallo::test {
namespace {

using testing::HasSubstr, testing::StartsWith;

// On the cpu, with a store of each test's own.
class CliExploring : public ExploreCommand {
 protected:
  CliExploring() { always_ = {"--backend", "cpu", "--store", path("explored.store")}; }
};

// Takes seconds, and alone measures every schedule of a published space in both ways. The kernels
// of so many would take a minute to compile for the cpu.
TEST_F(CliExploring, MeasuresAPublishedSpaceComposedAndEndToEnd) {
  always_[1] = "interpreter";
  const std::vector<std::string> space = {
      "bundle_fusion", "--no-dense", "--frames", "3",         "--matches", "40",
      "--width",       "12",         "--space",  "published", "--set",     "nIterations=2"};
  const auto composed = explored(space);
  std::set<std::string> indices;
  for (const auto& candidate : composed["candidates"]) {
    EXPECT_EQ(candidate["status"], "ok") << candidate;
    EXPECT_GT(candidate["composed"], 0) << candidate;
    if (!candidate["index"].is_null()) indices.insert(candidate["index"].get<std::string>());
  }
  EXPECT_EQ(indices.size(), 20u);
  EXPECT_EQ(composed["marks"].size(), 5u);
  EXPECT_GT(composed["measured"], 20);
  EXPECT_EQ(composed["measured"], composed["steps"]);
  // Those of the space, that of auto, and that of published-default: the interpreter alone has one
  // without aggregation.
  EXPECT_EQ(composed["programs"], 22);

  std::vector<std::string> end_to_end = space;
  end_to_end.insert(end_to_end.end(), {"--measure", "end-to-end", "--objective", "1%"});
  const auto solved = explored(end_to_end);
  EXPECT_EQ(solved["measured"], 0);
  std::size_t num_reached = 0;
  for (const auto& candidate : solved["candidates"]) {
    EXPECT_GT(candidate["end_to_end"], 0) << candidate;
    EXPECT_LT(candidate["verification_error"], 1e-3) << candidate;
    if (candidate["seconds"].is_number()) ++num_reached;
  }
  EXPECT_GE(num_reached, 1u);

  const auto again = explored(end_to_end);
  EXPECT_EQ(again["candidates"], solved["candidates"]);
}

TEST_F(CliExploring, KeepsResultsOfOtherPassesApart) {
  const std::vector<std::string> two = {"curve_fit", "--points", "20", "--sample", "2"};
  std::vector<std::string> without = two;
  without.insert(without.end(), {"--passes", "none"});
  const auto all = explored(two);
  const auto none = explored(without);
  EXPECT_EQ(none["measured"], none["steps"]) << "no step of programs with all passes was taken";
  EXPECT_EQ(explored(two)["candidates"], all["candidates"]);
  EXPECT_EQ(explored(without)["candidates"], none["candidates"]);
  const auto report = [&](std::vector<std::string> flags) {
    std::vector<std::string> arguments = {
        "report", "curve_fit", "--points", "20", "--store", path("explored.store"), "--json"};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    return thallo(arguments);
  };
  EXPECT_EQ(report({"--passes", "none"}).exit_code, Ok);
  EXPECT_THAT(report({"--passes", "-bounds"}).err, HasSubstr("passes=none)"));
}

TEST_F(CliExploring, NamesTheFastestCountsProgramsAndVerifiesWhatItRunsEndToEnd) {
  const ProcessResult result = succeeded(explore({"curve_fit"}));
  EXPECT_THAT(result.out, StartsWith("curve_fit, generated spectrum, on "));
  EXPECT_THAT(result.out, HasSubstr("\n19 schedules, 1 distinct programs of "));
  EXPECT_THAT(result.out, HasSubstr(":0  "));
  EXPECT_THAT(result.out, HasSubstr("\nthe fastest:\n  the default schedule"));
  EXPECT_EQ(result.err, "");

  EXPECT_THAT(result.out, HasSubstr("were verified on the small instance"));
  int num_verified = 0;
  const auto json = explored({"curve_fit"});
  for (const auto& candidate : json["candidates"]) {
    if (candidate["end_to_end"].is_null()) continue;
    EXPECT_LT(candidate["small_error"], 1e-5) << candidate;
    ++num_verified;
  }
  EXPECT_GE(num_verified, 1);
}

TEST_F(CliExploring, RecordsWhatDoesNotFitWithBothFigures) {
  DeviceSpec spec = sample_spec();
  spec.backend = "cpu";
  spec.memory = 2048;
  ASSERT_TRUE(write_device_spec(spec, path("small.toml")));
  const auto json = explored({"curve_fit", "--sample", "3", "--device-spec", path("small.toml")});
  for (const auto& candidate : json["candidates"]) {
    EXPECT_EQ(candidate["status"], "out_of_memory");
    EXPECT_THAT(candidate["reason"].get<std::string>(),
                testing::ContainsRegex("the program needs [0-9.]+ .*, the device has 2 KiB"));
  }
  // On the device itself they fit.
  const auto fitting = explored({"curve_fit", "--sample", "3"});
  EXPECT_FALSE(fitting["candidates"].empty());
  for (const auto& candidate : fitting["candidates"])
    EXPECT_EQ(candidate["status"], "ok") << candidate;
}

// Of 42 schedules, those that store more than 30 bytes are never handed to a worker.
TEST_F(CliExploring, DrawsSchedulesThatFit) {
  const auto drawn = [](const std::string& limit) {
    return json_of(thallo({"explore", "tiny", "--backend", "interpreter", "--measure", "none",
                           "--sample", "6", "--memory-limit", limit, "--json"}));
  };
  const auto limited = drawn("30B");
  std::size_t num_drawn = 0;
  for (const auto& candidate : limited["candidates"]) {
    EXPECT_GT(candidate["predicted"]["analytic"], 0) << candidate;
    if (!candidate["index"].is_null()) ++num_drawn;
  }
  EXPECT_GE(num_drawn, 6u);
  EXPECT_GT(limited["unfit"], 0);
  EXPECT_THAT(limited["why_unfit"].get<std::string>(), HasSubstr("the memory limit is 30 bytes"));
  const auto free = drawn("1GB");
  EXPECT_EQ(free["unfit"], 0);
  EXPECT_EQ(free["why_unfit"], "");
}

TEST_F(CliExploring, KeepsDevicesAndSolverSettingsApart) {
  const std::vector<std::string> two = {"curve_fit", "--double", "--sample", "2"};
  const auto on_cpu = explored(two);
  const auto on_interpreter =
      json_of(thallo({"explore", "curve_fit", "--double", "--sample", "2", "--backend",
                      "interpreter", "--store", path("explored.store"), "--json"}));
  EXPECT_NE(on_interpreter["device"], on_cpu["device"]);
  EXPECT_EQ(on_interpreter["other_devices"], nlohmann::json::array({on_cpu["device"]}));
  EXPECT_TRUE(on_cpu["other_devices"].empty());
  EXPECT_THAT(explore(two).out,
              HasSubstr("\nthe store also has results of other devices, which stay apart: "));
  EXPECT_GT(on_interpreter["measured"], 0);
  EXPECT_EQ(explored(two)["candidates"], on_cpu["candidates"]);
  // Solves of two and of six iterations take different times, and reach different costs.
  const auto iterations = [&](const std::string& count) {
    return explored({"curve_fit", "--sample", "2", "--set", "nIterations=" + count});
  };
  const auto two_iterations = iterations("2");
  const auto six = iterations("6");
  EXPECT_NE(two_iterations["signature"], six["signature"]);
  EXPECT_GT(six["measured"], 0);
  EXPECT_EQ(iterations("2")["candidates"], two_iterations["candidates"]);
}

// What was measured on one device, on another.
TEST_F(CliExploring, MeasuresWhatTheStoreHasOfAnotherDevice) {
  succeeded(thallo({"explore", "curve_fit", "--double", "--index", "6:9", "--best", "0",
                    "--backend", "interpreter", "--store", path("explored.store")}));
  const auto here = explored({"curve_fit", "--double", "--search", "timed", "--best", "0"});
  std::set<std::string> numbers;
  for (const auto& candidate : here["candidates"]) {
    EXPECT_GT(candidate["composed"], 0) << candidate;
    if (candidate["index"].is_null()) continue;  // of auto
    const std::string index = candidate["index"];
    numbers.insert(index.substr(index.find(':') + 1));
  }
  EXPECT_THAT(numbers, testing::IsSupersetOf({"6", "7", "8"}));
  EXPECT_LT(numbers.size(), 10u);
  EXPECT_GT(here["measured"], 0);
}

// Finds an exploration that goes on after its budget, which is waited for.
TEST_F(CliExploring, EndsWithItsBudgetInUnits) {
  expect_fault({"curve_fit", "--budget", "0.001"}, "the time was up before the problem was opened");
  // Without a budget it would go on for hours. A busy machine may not come to a first schedule.
  const ProcessResult result = explore({"image_warping", "--stages", "all", "--budget", "2"});
  if (result.exit_code != Ok) {
    EXPECT_THAT(result.err, HasSubstr("the budget was used up before one schedule was looked at"));
  }
  expect_fault({"curve_fit", "--budget", "1ms"}, "the time was up before the problem was opened");
  for (const char* wrong : {"-5s", "-5", "5 parsecs", "min", "nan", "1e300"}) {
    expect_fault(
        {"curve_fit", "--budget", wrong},
        std::string("'") + wrong + "' is no time: write seconds, or 500ms, 90s, 10min, 2h");
  }
}

TEST_F(CliExploring, RefusesWhatItCannotSearchOrUse) {
  expect_fault({"curve_fi"}, "curve_fit");
  expect_fault({"curve_fit", "--search", "greed"}, "greedy");
  expect_fault({"curve_fit", "--search", "timed", "--sample", "3"},
               "--sample has no effect with --search timed: choose random");
  expect_fault({"curve_fit", "--search", "random"}, "needs --sample");
  expect_fault({"curve_fit", "--search", "greedy", "--sample", "3"},
               "--sample has no effect with --search greedy");
  expect_fault({"curve_fit", "--search", "greedy", "--index", "3"},
               "--index has no effect with --search greedy");
  expect_fault({"curve_fit", "--space", "published", "--search", "timed"},
               "--search timed looks at schedules outside of space published, too: choose "
               "exhaustive or random");
  expect_fault({"curve_fit", "--space", "publish"}, "did you mean 'published'");
  expect_fault({"curve_fit", "--space", "published", "--search", "greedy"},
               "--search greedy looks at schedules outside of space published, too");
  expect_fault({"optical_flow", "--space", "published"}, "choose some by --sample or --index");
  expect_fault({"curve_fit", "--index", "18"}, "18");
  expect_fault({"curve_fit", "--index", "s000000000000:3"}, "s000000000000");
  expect_fault({"curve_fit", "--measure", "none", "--best", "3"}, "--best has no effect");
  expect_fault({"curve_fit", "--measure", "none"}, "--store has no effect with --measure none");
  EXPECT_EQ(explore({"curve_fit", "--objective", "2%"}).exit_code, User);
  folder_.write("explored.store", "this is no store, and is long enough to be read as one");
  expect_fault({"curve_fit"}, "explored.store");
  DeviceSpec spec = sample_spec();
  spec.backend = "cpu";
  ASSERT_TRUE(write_device_spec(spec, path("whole.toml")));
  const std::string text = read_file(path("whole.toml")).value();
  const std::size_t copy = text.find("\ncopy = ");
  folder_.write("part.toml", text.substr(0, copy + 1) + text.substr(text.find('\n', copy + 1) + 1));
  std::filesystem::remove(path("explored.store"));
  expect_fault({"curve_fit", "--device-spec", path("part.toml")}, "a device spec must have 'copy'");
}

TEST_F(CliExploring, ListsTheOptionsOfASearchAndRefusesOthers) {
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"explore", "--help-search", "beam"},
        {"explore", "curve_fit", "--help-search", "beam"}}) {
    const ProcessResult result = succeeded(thallo(words));
    EXPECT_THAT(result.out, StartsWith("beam: "));
    EXPECT_THAT(result.out,
                HasSubstr("\n  width                an integer from 1 to 4096    32  "));
    EXPECT_THAT(result.out,
                HasSubstr("\n  sampling             true|false                   false"));
  }
  EXPECT_THAT(thallo({"explore", "--help-search", "timed"}).out, HasSubstr("It has no options."));
  EXPECT_THAT(thallo({"explore", "--help-search", "bem"}).err, HasSubstr("did you mean 'beam'?"));
  expect_fault({"curve_fit", "--search", "beam", "--search-set", "wdith=8"},
               "--search beam: no option 'wdith'; did you mean 'width'? (legal: width, passes, ");
  expect_fault({"curve_fit", "--search", "beam", "--search-set", "width=many"},
               "--search-set width=many: option 'width' is of type int, and 'many' is none (legal: "
               "an integer from 1 to 4096)");
  expect_fault({"curve_fit", "--search", "beam", "--search-set", "sampling=maybe"},
               "option 'sampling' is of type bool, and 'maybe' is none (legal: true|false)");
  expect_fault({"curve_fit", "--search", "beam", "--search-set", "width=0"}, "at least 1");
  expect_fault({"curve_fit", "--search", "beam", "--search-set", "width"},
               "write --search-set NAME=VALUE, as `thallo explore --help-search beam` lists");
  expect_fault(
      {"curve_fit", "--search", "beam", "--search-set", "width=8", "--search-set", "width=9"},
      "'width' is there twice");
  expect_fault({"curve_fit", "--search", "greedy", "--search-set", "width=8"},
               "--search greedy: no option 'width'");
}

TEST_F(CliExploring, MeasuresWhatABeamProposes) {
  const auto json = explored({"curve_fit", "--search", "beam", "--search-set", "propose=3",
                              "--search-set", "low_level=off", "--best", "1"});
  EXPECT_EQ(json["search"]["name"], "beam");
  EXPECT_EQ(json["search"]["options"]["propose"], 3);
  EXPECT_EQ(json["search"]["options"]["low_level"], false);
  EXPECT_EQ(json["search"]["options"]["width"], 32);
  EXPECT_GT(json["search"]["figures"]["states priced"], 3);
  for (const auto& candidate : json["candidates"]) EXPECT_EQ(candidate["status"], "ok");
}

// The caches of kernels and of measurements stay empty: nothing was compiled, and no worker, which
// would have opened the store, was started.
TEST_F(CliExploring, PredictsWithoutCompiling) {
  const std::vector<std::string> words = {"explore",   "curve_fit", "--measure",     "none",
                                          "--search",  "exact",     "--device-spec", "h200",
                                          "--backend", "cuda"};
  const std::vector<std::string> environment = {"THALLO_CACHE_DIR=" + path("cache"),
                                                "HOME=" + path("home")};
  const ProcessResult text = succeeded(thallo(words, environment));
  EXPECT_THAT(text.out, HasSubstr("none was compiled or measured"));
  EXPECT_THAT(text.out, HasSubstr("predicted to be the fastest:"));
  EXPECT_THAT(text.out, HasSubstr("proven: no schedule"));
  EXPECT_FALSE(std::filesystem::exists(path("cache")));
  EXPECT_FALSE(std::filesystem::exists("curve_fit.store"));

  std::vector<std::string> as_json = words;
  as_json.emplace_back("--json");
  const auto json = json_of(thallo(as_json, environment));
  EXPECT_EQ(json["search"]["name"], "exact");
  EXPECT_THAT(json["search"]["remark"].get<std::string>(), StartsWith("proven"));
  double last = 0;
  for (const auto& candidate : json["candidates"]) {
    EXPECT_GE(candidate["predicted"]["analytic"], last);
    last = candidate["predicted"]["analytic"];
    EXPECT_GT(candidate["predicted"]["roofline"], 0);
  }
  EXPECT_GT(last, 0);
}

// Its standard input is empty here.
TEST_F(CliExploring, EndsAWorkerWithItsInput) {
  const ProcessResult result = succeeded(thallo({"worker"}));
  EXPECT_EQ(result.out + result.err, "");
}

}  // namespace
}  // namespace thallo::test
