// thallo explore: counts of schedules, and schedules by number.
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <string>
#include <vector>

#include "tests/cli/thallo_process.h"
#include "tests/support/temp_dir.h"

namespace thallo::test {
namespace {

using testing::AllOf, testing::HasSubstr, testing::StartsWith;

ProcessResult explore(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "explore");
  return thallo(arguments);
}

// A published space of few schedules.
ProcessResult explore_matches(std::vector<std::string> more) {
  more.insert(more.begin(), {"bundle_fusion", "--no-dense", "--space", "published"});
  return explore(more);
}

void expect_fault(const ProcessResult& result, const std::string& message) {
  EXPECT_EQ(result.exit_code, User);
  EXPECT_THAT(result.err, HasSubstr(message));
  EXPECT_EQ(result.out, "");
}

TEST(CliExplore, CountsTheSchedulesOfASpace) {
  const auto json = json_of(explore_matches({"--count", "--json"}));
  EXPECT_EQ(json["problem"], "bundle_fusion");
  EXPECT_EQ(json["space"], "published");
  EXPECT_EQ(json["total"], 20);
  EXPECT_EQ(json["distinct"], 20);
  ASSERT_EQ(json["stages"].size(), 2u);
  EXPECT_EQ(json["stages"][0]["stage"], "groups");
  EXPECT_EQ(json["stages"][0]["count"], 5);
  EXPECT_EQ(json["stages"][0]["sites"][0]["site"], "sparse");
  EXPECT_EQ(json["stages"][0]["sites"][0]["count"], 5);
  EXPECT_EQ(json["stages"][1]["stage"], "intermediates");
  EXPECT_EQ(json["stages"][1]["count"], 4);

  const std::string text = explore_matches({"--count"}).out;
  EXPECT_THAT(text, AllOf(StartsWith("bundle_fusion, space published, "), HasSubstr(json["id"]),
                          HasSubstr("\n20 schedules, 20 distinct\n"), HasSubstr("pose 4")));
}

TEST(CliExplore, CountsAllSchedules) {
  const auto json = json_of(explore({"tiny", "--count", "--json"}));
  EXPECT_EQ(json["space"], "full");
  EXPECT_EQ(json["exact"], true);
  EXPECT_EQ(json["total"], 42);
  EXPECT_EQ(json["distinct"], 42);
  EXPECT_EQ(json["partitions"], 1);
  EXPECT_EQ(json["stages"][0]["stage"], "parts");
  EXPECT_EQ(json["stages"][0]["sites"][0]["site"], "fit");
  EXPECT_EQ(json["undecided"][0]["construct"], "materialize");
  const std::string text = explore({"tiny", "--count"}).out;
  EXPECT_THAT(text, AllOf(StartsWith("tiny, space full, s"), HasSubstr("\n42 schedules, 42 dist"),
                          HasSubstr("  materialize decides nothing: it has no site in this ener")));
}

TEST(CliExplore, EstimatesWhereItCannotCount) {
  const auto json = json_of(explore({"tiny", "--count", "--stages", "all", "--json"}));
  EXPECT_EQ(json["exact"], false);
  EXPECT_TRUE(json["distinct"].is_null());
  EXPECT_EQ(json["descents"], 1000);
  EXPECT_LT(json["relative_error"], 0.1);
  EXPECT_THAT(explore({"tiny", "--count", "--stages", "all"}).out,
              AllOf(HasSubstr("\nabout "), HasSubstr(" schedules, ± ")));
  expect_fault(explore({"tiny", "--stages", "all", "--list", "--index", "3"}),
               "--index: schedules of this space have no numbers, for what is offered for the "
               "solver's vectors");
  EXPECT_THAT(
      succeeded(explore({"tiny", "--stages", "all", "--list", "--sample", "2", "--seed", "5"})).out,
      AllOf(HasSubstr("-- seed 5\n"), HasSubstr("-- seed 6\n")));
}

TEST(CliExplore, CountsLargeSpacesAsTexts) {
  auto json = json_of(
      explore({"poisson_image_editing", "--count", "--space", "published-split", "--json"}));
  EXPECT_GT(json["total"], 1'000'000);
  EXPECT_TRUE(json["distinct"].is_null());
  EXPECT_EQ(json["why_not_distinct"], "more than 100000 are not compared");
  // Readers of JSON take numbers for doubles.
  json = json_of(explore(
      {"intrinsic_image_decomposition", "--count", "--space", "published-split", "--json"}));
  ASSERT_TRUE(json["total"].is_string());
  EXPECT_EQ(json["total"].get<std::string>().size(), 17u);
}

TEST(CliExplore, PrintsSchedulesThatReadBackByTheirNumbers) {
  const TempDir folder;
  const auto all = json_of(explore_matches({"--list", "--index", "0:20", "--json"}));
  ASSERT_EQ(all["schedules"].size(), 20u);
  const std::string text = all["schedules"][9]["schedule"];
  const std::string index = all["schedules"][9]["index"];
  EXPECT_THAT(index, testing::EndsWith(":9"));
  EXPECT_EQ(explore_matches({"--list", "--index", index}).out, "-- " + index + "\n" + text + "\n");
  const std::string file = folder.write("ninth.sched", text).string();
  const auto printed =
      thallo({"print", "schedule", "bundle_fusion", "--no-dense", "--schedule", file});
  EXPECT_EQ(printed.out, text) << printed.err;
  const auto sample = succeeded(explore_matches({"--list", "--sample", "3", "--seed", "7"}));
  EXPECT_EQ(explore_matches({"--list", "--sample", "3", "--seed", "7"}).out, sample.out);
  EXPECT_NE(explore_matches({"--list", "--sample", "3", "--seed", "8"}).out, sample.out);
}

TEST(CliExplore, RefusesNumbersSpacesAndFlagsWithoutEffect) {
  const auto first = json_of(explore_matches({"--list", "--index", "0", "--json"}));
  const std::string index = first["schedules"][0]["index"];
  expect_fault(explore({"bundle_fusion", "--space", "published", "--list", "--index", index}),
               "index '" + index + "' is of another space than this one, s");
  expect_fault(explore_matches({"--double", "--list", "--index", index}), "is of another space");
  expect_fault(explore_matches({"--list", "--index", "20"}),
               "index '20' is out of range: the space has the schedules 0 to 19");
  expect_fault(explore_matches({"--list", "--index", "first"}),
               "'first' is no index (legal: 12, 0:10, ");
  expect_fault(explore({"bundle_fusion", "--space", "publishd", "--count"}),
               "--space: there is no space 'publishd'; did you mean 'published'? (legal: full, ");
  const TempDir folder;
  const std::string damaged = folder.write("damaged.toml", "groups = \"split\n").string();
  expect_fault(explore({"bundle_fusion", "--space", damaged, "--count"}), "damaged.toml:1: ");
  expect_fault(explore({"bundle_fusion", "--space", folder.path() / "none.toml", "--count"}),
               "none.toml");
  expect_fault(explore_matches({"--count", "--memory-limit", "1GB"}),
               "--memory-limit has no effect in space published, which has a memory limit of its");
  expect_fault(explore_matches({"--count", "--stages", "all"}),
               "--stages has no effect in space published, whose low-level stage is");
  expect_fault(explore_matches({"--count", "--index", "3"}), "--count and --index exclude each");
  expect_fault(explore_matches({"--list"}), "--list prints schedules: say which");
}

TEST(CliExplore, TakesAProfileOfOnesOwn) {
  const TempDir folder;
  const std::string profile =
      folder
          .write("mine.toml",
                 "groups = \"as written\"\nmemory_limit = 1000000000\n"
                 "strategies = [\"JtJp\", \"Jt[Jp]\"]\nstrategies_with_sum = [\"Jt[Jp]\"]\n")
          .string();
  const auto json =
      json_of(explore({"bundle_fusion", "--no-dense", "--space", profile, "--count", "--json"}));
  EXPECT_EQ(json["total"], 2 * 4);
}

}  // namespace
}  // namespace thallo::test
