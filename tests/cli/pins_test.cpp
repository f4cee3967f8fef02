// thallo explore --pin: counts, numbers, draws and searches go around decisions that are given.
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <set>
#include <string>
#include <vector>

#include "core/base/io/file.h"
#include "tests/cli/explore_command.h"

namespace thallo::test {
namespace {

using testing::AllOf, testing::ElementsAre, testing::HasSubstr;
using Json = nlohmann::json;

class CliPins : public ExploreCommand {
 protected:
  // The path of a file with these pins.
  std::string pins(const std::string& text) const {
    const std::string file = path("pins.sched");
    EXPECT_TRUE(write_file(file, text));
    return file;
  }
  // True if the schedule of a candidate has this line, or none of its construct if it is a default.
  static bool has(const Json& candidate, const std::string& line) {
    return ("\n" + candidate["schedule"].get<std::string>()).find("\n" + line + "\n") !=
           std::string::npos;
  }
};

const std::string StoredProduct = "r.fit:strategy(\"[JtJ]p\")";

TEST_F(CliPins, CountTheSchedulesThatKeepThem) {
  const Json all = explored({"curve_fit", "--count"});
  const Json pinned = explored({"curve_fit", "--count", "--pin", pins(StoredProduct)});
  EXPECT_EQ(pinned["pins"], Json::array({StoredProduct}));
  EXPECT_EQ(all["pins"], Json::array());
  EXPECT_LT(pinned["total"], all["total"]);
  EXPECT_NE(pinned["id"], all["id"]);
  const ProcessResult text = explore({"curve_fit", "--count", "--pin", pins(StoredProduct)});
  EXPECT_THAT(text.out, HasSubstr("\n1 site is pinned:\n  r.fit:strategy(\"[JtJ]p\")\n"));
  int total = 0;
  for (const char* strategy : {"JtJp", "Jt[Jp]", "[JtJ]p", "[Jt][[J]p]", "[[Jt][J]]p"}) {
    const std::string text = "r.fit:strategy('" + std::string(strategy) + "')";
    total += explored({"curve_fit", "--count", "--pin", pins(text)})["total"].get<int>();
  }
  EXPECT_EQ(total, explored({"curve_fit", "--count"})["total"]);
}

TEST_F(CliPins, ListByNumbersOfTheirOwn) {
  const std::string file = pins(StoredProduct);
  const Json counted = explored({"curve_fit", "--count", "--pin", file});
  const std::string last = std::to_string(counted["total"].get<int>());
  const Json listed = explored({"curve_fit", "--list", "--index", "0:" + last, "--pin", file});
  std::set<std::string> different;
  for (const Json& its : listed["schedules"]) {
    EXPECT_TRUE(has(its, StoredProduct)) << its;
    different.insert(its["schedule"].get<std::string>());
  }
  EXPECT_EQ(different.size(), counted["total"]);
  const std::string id = explored({"curve_fit", "--count"})["id"].get<std::string>();
  expect_fault({"curve_fit", "--list", "--index", id + ":0", "--pin", file}, id);
  const Json drawn = explored({"bundle_fusion", "--list", "--sample", "10", "--stages", "all",
                               "--pin", pins("r.sparse:strategy('Jt[Jp]')")});
  EXPECT_EQ(drawn["schedules"].size(), 10u);
  for (const Json& its : drawn["schedules"])
    EXPECT_TRUE(has(its, "r.sparse:strategy(\"Jt[Jp]\")")) << its;
}

TEST_F(CliPins, MarkNamedSchedulesThatDoNotKeepThem) {
  const ProcessResult result = succeeded(explore(
      {"curve_fit", "--measure", "none", "--backend", "cpu", "--pin", pins(StoredProduct)}));
  EXPECT_THAT(result.out,
              AllOf(HasSubstr("default, opt"), HasSubstr("; not as pinned\n"),
                    HasSubstr("\npredicted to be the fastest:\n  r.fit:strategy(\"[JtJ]p\")")));
}

// All schedules of curve_fit take about as long, so that the default might be the fastest.
TEST_F(CliPins, MeasureReferencesAndWhatKeepsThem) {
  const std::vector<std::string> measured = {
      "curve_fit", "--points", "50",
      "--backend", "cpu",      "--store",
      path("a"),   "--pin",    pins("r.fit:strategy('[Jt][[J]p]')\nr.fit.J:storage('csr')")};
  EXPECT_THAT(succeeded(explore(measured)).out,
              AllOf(HasSubstr("\n2 sites are pinned:\n"),
                    HasSubstr("\nthe fastest:\n  r.fit:strategy(\"[Jt][[J]p]\")\n"
                              "  r.fit.J:storage(\"csr\")\n")));
  const Json json = explored(measured);
  std::size_t num_kept = 0;
  for (const Json& its : json["candidates"]) {
    EXPECT_EQ(its["status"], "ok") << its;
    EXPECT_EQ(its["keeps_pins"], has(its, "r.fit.J:storage(\"csr\")")) << its;
    if (its["keeps_pins"]) ++num_kept;
  }
  EXPECT_EQ(num_kept, 2u) << "a Sum is left to decide";
  EXPECT_TRUE(json["marks"].contains("default"));
}

TEST_F(CliPins, AreKeptByReplays) {
  const std::vector<std::string> on_store = {"curve_fit", "--points", "50",     "--backend",
                                             "cpu",       "--store",  path("a")};
  std::vector<std::string> all = on_store;
  all.insert(all.end(), {"--best", "0"});
  EXPECT_EQ(explore(all).exit_code, Ok);
  for (const char* search : {"exhaustive", "timed", "greedy"}) {
    std::vector<std::string> replay = on_store;
    replay.insert(replay.end(), {"--measure", "replay", "--search", search, "--pin",
                                 pins("r.fit:strategy('JtJp')")});
    const Json json = explored(replay);
    for (const Json& its : json["candidates"]) {
      const bool keeps = its["schedule"].get<std::string>().find("strategy") == std::string::npos;
      EXPECT_EQ(its["keeps_pins"], keeps) << search << its;
    }
    EXPECT_THAT(json["pins"], ElementsAre("r.fit:strategy(\"JtJp\")"));
  }
}

TEST_F(CliPins, SayWhatIsWrongWithTheirFileOrDoesNotFit) {
  const auto expect = [this](const std::string& text, const std::string& message) {
    expect_fault({"bundle_fusion", "--count", "--pin", pins(text)}, message);
  };
  expect_fault({"bundle_fusion", "--count", "--pin", path("missing.sched")}, "missing.sched");
  expect("", "pins.sched pins nothing: pins are decisions as a schedule writes them");
  expect("r.spares:strategy('JtJp')",
         "pins.sched:1:1: r.spares:strategy(\"JtJp\"): there is no "
         "part 'r.spares'; did you mean 'r.sparse'?");
  expect("pos:materialize{value=false}", "there is no intermediate 'pos'; did you mean 'pose'?");
  expect("r.dense:strategy('JtJp')\nr.dense:strategy('[JtJ]p')",
         "pins.sched:2:1: r.dense:strategy(\"[JtJ]p\") contradicts r.dense:strategy(\"JtJp\")");
  expect("pose:materialize{value=true}\npose:materialize{value=false}", "contradicts");
  expect("r.dense:strategy('[JtJ]p')\nr.dense.J:storage('csr')",
         "the strategy [JtJ]p stores no J (legal: ");
  expect_fault(
      {"bundle_fusion", "--no-dense", "--measure", "none", "--device-spec", "h200",
       "--memory-limit", "1KB", "--pin", pins("r.sparse:strategy('[Jt][[J]p]')")},
      "what is pinned is not possible here: strategy of r.sparse cannot be '[Jt][[J]p]': ");
}

}  // namespace
}  // namespace thallo::test
