// The commands about schedules: verify, explain, print schedule and plan.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <map>
#include <string>
#include <vector>

#include "tests/cli/thallo_process.h"
#include "tests/support/scoped_env.h"

namespace thallo::test {
namespace {

using testing::AllOf, testing::ContainsRegex, testing::ElementsAre, testing::HasSubstr,
    testing::IsEmpty, testing::Not, testing::StartsWith;

// Of bundle_adjustment, too, whose own solver leaves a schedule little to decide.
constexpr const char* NamedPcg = "linear_solver=pcg";

class CliSchedule : public testing::Test {
 protected:
  // With what `schedule` says of tiny, and the construct that computes something else.
  ProcessResult with(const std::string& schedule, std::vector<std::string> arguments) {
    const std::string file = folder_.write("test.sched", schedule).string();
    arguments.insert(arguments.end(), {"--schedule", file, "--plugin-path", THALLO_DOUBLED_FOLDER});
    return thallo(arguments);
  }

 private:
  const TempDir folder_;
};

const std::vector<std::string> VerifyTiny = {"verify", "tiny", "--backend", "interpreter"};

std::vector<std::string> verify_tiny(std::vector<std::string> more) {
  more.insert(more.begin(), VerifyTiny.begin(), VerifyTiny.end());
  return more;
}

TEST_F(CliSchedule, VerifyTriesAllOrASample) {
  const auto all = succeeded(thallo(verify_tiny({"--all"})));
  EXPECT_THAT(all.out, AllOf(StartsWith("tiny on interpreter, all "),
                             HasSubstr(" schedules, low-level stage drawn, seed 1\n"),
                             HasSubstr("mismatched 0"), HasSubstr("within 1e-14 throughout"),
                             Not(HasSubstr("kernels"))));

  const auto json = json_of(thallo(verify_tiny({"--sample", "7", "--json"})));
  EXPECT_EQ(json["problem"], "tiny");
  EXPECT_EQ(json["backend"], "interpreter");
  EXPECT_EQ(json["space"], "a sample of 7 schedules, seed 1");
  EXPECT_EQ(json["verified"], 7);
  EXPECT_EQ(json["mismatched"], 0);
  EXPECT_LT(json["worst_error"], json["tolerance"]);
  EXPECT_LT(json["worst_error_of_products"], json["tolerance_of_products"]);
  EXPECT_TRUE(json["mismatches"].empty());
}

TEST_F(CliSchedule, VerifyTakesASampleOfTheSmallInstanceUnlessAnotherIsChosen) {
  EXPECT_EQ(json_of(thallo(verify_tiny({"--json"})))["space"], "a sample of 20 schedules, seed 1");
  const std::vector<std::string> curve = {"verify", "curve_fit", "--backend", "interpreter"};
  const auto few = thallo(curve);
  EXPECT_THAT(few.out,
              StartsWith("curve_fit on interpreter, its small instance (points=20), all "));
  const auto small_of = [](std::vector<std::string> more) {
    more.insert(more.begin(),
                {"verify", "curve_fit", "--backend", "interpreter", "--sample", "1", "--json"});
    return json_of(thallo(more))["small_instance"].get<std::string>();
  };
  EXPECT_EQ(small_of({}), "points=20");
  EXPECT_EQ(small_of({"--points", "20"}), "points=20");
  EXPECT_EQ(small_of({"--points", "30"}), "");
  EXPECT_EQ(small_of({"--full"}), "");
}

TEST_F(CliSchedule, VerifyEndsWhenItsTimeIsUpAndSaysHowFarItCame) {
  const auto json =
      json_of(thallo(verify_tiny({"--sample", "100000", "--time-limit", "0.5", "--json"})));
  const auto verified = json.at("verified").get<std::int64_t>();
  EXPECT_GT(verified, 0);
  EXPECT_LT(verified, 100'000);
  EXPECT_EQ(json.at("space"), fmt::format("a sample of 100000 schedules, seed 1, {} of them "
                                          "before time was up",
                                          verified));
}

TEST_F(CliSchedule, VerifyAllowsWhatTheScheduleDeclaresAndFailsOnOthers) {
  auto json = json_of(succeeded(
      with("r.fit:strategy('Jt[Jp]') r.fit.Jp:precision('half')", verify_tiny({"--json"}))));
  EXPECT_EQ(json["verified"], 1);
  EXPECT_EQ(json["tolerance_of_products"], 4e-3);
  EXPECT_GT(json["worst_error_of_products"], json["tolerance"]);
  EXPECT_LT(json["worst_error"], json["tolerance"]);
  EXPECT_EQ(with("r.fit:strategy('[JtJ]p')", VerifyTiny).exit_code, Ok);
  const auto wrong = with("r.fit:doubled()", VerifyTiny);
  EXPECT_EQ(wrong.exit_code, GoalMissed) << wrong.err;
  EXPECT_THAT(wrong.out,
              AllOf(HasSubstr("verified 0, mismatched 1"), HasSubstr("\nr.fit:doubled()\n")));

  const auto json_result = with("r.fit:doubled()", verify_tiny({"--json"}));
  EXPECT_EQ(json_result.exit_code, GoalMissed);
  json = json_of(json_result);
  EXPECT_EQ(json["mismatched"], 1);
  EXPECT_GT(json["worst_error"], json["tolerance"]);
  ASSERT_EQ(json["mismatches"].size(), 1u);
  EXPECT_EQ(json["mismatches"][0]["schedule"], "r.fit:doubled()\n");
  EXPECT_THAT(json["mismatches"][0]["errors"].get<std::string>(), HasSubstr("JtF "));
}

TEST_F(CliSchedule, VerifyFindsAWrongConstructInASample) {
  const auto sampled =
      thallo(verify_tiny({"--sample", "20", "--json", "--plugin-path", THALLO_DOUBLED_FOLDER}));
  EXPECT_EQ(sampled.exit_code, GoalMissed);
  const auto json = json_of(sampled);
  EXPECT_GT(json["mismatched"], 0);
  EXPECT_GT(json["verified"], 0) << "not every schedule asks for it";
  for (const auto& mismatch : json["mismatches"]) {
    EXPECT_THAT(mismatch["schedule"].get<std::string>(), HasSubstr("r.fit:doubled()"));
  }
}

// The construct is one of the low-level stage.
TEST_F(CliSchedule, VerifyDrawsTheLowLevelStageOfAll) {
  const auto all = thallo(verify_tiny({"--all", "--json", "--plugin-path", THALLO_DOUBLED_FOLDER}));
  EXPECT_EQ(all.exit_code, GoalMissed);
  const auto json = json_of(all);
  const auto num = [&](const char* name) { return json.at(name).get<int>(); };
  EXPECT_GT(num("mismatched"), 0);
  EXPECT_GT(num("verified"), 0);
  EXPECT_EQ(json.at("space"), fmt::format("all {} schedules, low-level stage drawn, seed 1",
                                          num("mismatched") + num("verified")));
  for (const auto& mismatch : json["mismatches"])
    EXPECT_THAT(mismatch["schedule"].get<std::string>(), HasSubstr("r.fit:doubled()"));
}

TEST_F(CliSchedule, VerifyMissesItsGoalWhereItVerifiesNothing) {
  const auto sampled = json_of(thallo(verify_tiny({"--sample", "60", "--json"})));
  EXPECT_EQ(sampled["verified"], 60);
  EXPECT_GT(sampled["verified_throughout"], 40);
  EXPECT_LT(sampled["verified_throughout"], 60);
  EXPECT_THAT(with("r.fit:strategy('Jt[Jp]') r.fit.Jp:precision('half')", VerifyTiny).out,
              HasSubstr("of the verified 0 are within 1e-14 throughout, 1 with JtJp within what "
                        "they declare: "));
  const auto none =
      with("r.fit:strategy('[JtJ]p')", verify_tiny({"--memory-limit", "1", "--json"}));
  EXPECT_EQ(none.exit_code, GoalMissed) << none.err;
  const auto json = json_of(none);
  EXPECT_EQ(json["verified"], 0);
  EXPECT_EQ(json["not_run"], 1);
}

TEST_F(CliSchedule, VerifySaysWhichSchedulesItTakesAndWhatTheSeedIsOf) {
  const std::string of_schedules = "the schedules drawn, the point and p where they are compared";
  EXPECT_THAT(thallo({"verify", "tiny", "--help"}).out, HasSubstr("of " + of_schedules + " [1]"));
  EXPECT_THAT(thallo({"verify", "curve_fit", "--help"}).out, HasSubstr("Also of " + of_schedules));
  const std::string help = thallo({"verify", "tiny", "--help"}).out;
  EXPECT_THAT(help, HasSubstr("[some or all schedules, see --sample]"));
  EXPECT_THAT(help, Not(HasSubstr("else default]")));
}

TEST_F(CliSchedule, PrintsWhatStatementsDecideAndWhere) {
  const auto printed = succeeded(with("r.fit:strategy('Jt[Jp]')\n  r.fit.JtF:compute_at_output()",
                                      {"print", "schedule", "tiny", "--json"}));
  const auto json = json_of(printed);
  EXPECT_EQ(json["faults"].size(), 0u);
  EXPECT_EQ(json["text"], "r.fit:strategy(\"Jt[Jp]\")\nr.fit.JtF:compute_at_output(true)\n");
  ASSERT_EQ(json["directives"].size(), 2u);
  const auto& second = json["directives"][1];
  EXPECT_EQ(second["construct"], "compute_at_output");
  EXPECT_EQ(second["kind"], "product");
  EXPECT_EQ(second["site"], "fit.JtF");
  EXPECT_EQ(second["line"], 2);
  EXPECT_EQ(second["column"], 3);
  EXPECT_EQ(second["end_column"], 32);
  EXPECT_EQ(second["statement"], "r.fit.JtF:compute_at_output()");
}

TEST_F(CliSchedule, PrintsTheFaultsOfATextAsAList) {
  const auto printed = refused(
      with("r.fit:strategy('a')\n  r.fit:strategy('b')", {"print", "schedule", "tiny", "--json"}));
  EXPECT_EQ(printed.err, "");
  const auto json = json_of(printed);
  EXPECT_TRUE(json["text"].is_null());
  ASSERT_EQ(json["faults"].size(), 2u);
  EXPECT_EQ(json["faults"][1]["line"], 2);
  EXPECT_EQ(json["faults"][1]["column"], 3);
  EXPECT_THAT(json["faults"][1]["what"].get<std::string>(), HasSubstr("cannot be 'b'"));
  EXPECT_GT(json["faults"][1]["legal"].size(), 1u);
  const auto syntax = json_of(with("r.fit:strategy(", {"print", "schedule", "tiny", "--json"}));
  ASSERT_EQ(syntax["faults"].size(), 1u);
  EXPECT_EQ(syntax["faults"][0]["line"], 1);
  EXPECT_EQ(syntax["faults"][0]["column"], 16);
}

TEST_F(CliSchedule, PrintsADecidedScheduleAsATextOfItsOwn) {
  const auto json = json_of(thallo({"print", "schedule", "tiny", "--schedule", "opt", "--json"}));
  EXPECT_EQ(json["faults"].size(), 0u);
  for (const auto& directive : json["directives"]) EXPECT_EQ(directive["file"], "");
  EXPECT_EQ(thallo({"print", "plan", "tiny", "--json"}).exit_code, User);
}

TEST_F(CliSchedule, ExplainShowsTheRegistersOfCudaKernels) {
  const auto explained =
      succeeded(thallo({"explain", "tiny", "--schedule", "default", "--backend", "cuda"}));
  const auto json =
      json_of(thallo({"explain", "tiny", "--schedule", "default", "--backend", "cuda", "--json"}));
  EXPECT_EQ(json["architecture"], "sm_90");
  if (explained.out.find("registers are not known") != std::string::npos)
    GTEST_SKIP() << "no CUDA run-time compiler";
  EXPECT_THAT(explained.out, AllOf(HasSubstr("  registers  spilled  shared  asked for by\n"),
                                   HasSubstr("all compiled for sm_90")));
  int num_known = 0;
  for (const auto& kernel : json["kernels"]) num_known += kernel["registers"].is_null() ? 0 : 1;
  EXPECT_GT(num_known, 2);
  EXPECT_EQ(thallo({"explain", "tiny", "--backend", "cuda", "--arch", "90"}).exit_code, User);
}

TEST_F(CliSchedule, ExplainListsTheNextMovesBestFirst) {
  const std::vector<std::string> command = {
      "explain", "next", "image_warping", "--schedule", "default", "--device-spec", "h200"};
  EXPECT_THAT(
      succeeded(thallo(command)).out,
      AllOf(HasSubstr("next best moves\n"), HasSubstr("linear -"), Not(HasSubstr("buffers"))));
  auto with_json = command;
  with_json.push_back("--json");
  const auto json = json_of(thallo(with_json));
  ASSERT_GE(json["moves"].size(), 5u);
  double before = 0;
  for (const auto& move : json["moves"]) {
    EXPECT_GE(move["seconds"], before);
    EXPECT_LT(move["seconds"], json["predicted"]["seconds"]);
    EXPECT_NEAR(move["once"].get<double>() + move["linear"].get<double>(),
                move["seconds"].get<double>(), 1e-12);
    before = move["seconds"];
  }
  EXPECT_FALSE(json.contains("sites"));
}

// By single decisions alone one comes to what `auto` chooses.
// Finds a guide that ends before `auto` does.
TEST_F(CliSchedule, ExplainGuidesToAScheduleAsFastAsAutoAndNoFurther) {
  for (const auto& [problem, start] : {std::pair("image_warping", "published-default"),
                                       {"bundle_fusion", "default"},
                                       {"bundle_adjustment", "default"},
                                       {"shape_from_shading", "published-default"}}) {
    SCOPED_TRACE(fmt::format("{} from {}", problem, start));
    const auto chosen = json_of(thallo({"explain", "choices", problem, "--schedule", "auto",
                                        "--device-spec", "h200", "--json", "--set", NamedPcg}));
    const auto guided = json_of(thallo({"explain", "next", problem, "--schedule", start, "--follow",
                                        "--device-spec", "h200", "--json", "--set", NamedPcg}));
    ASSERT_FALSE(guided["steps"].empty());
    const double end = guided["steps"].back()["seconds"];
    EXPECT_LT(end, guided["start"]["seconds"].get<double>());
    EXPECT_LE(end, 1.05 * chosen["predicted"]["seconds"].get<double>());
  }
  const auto guided = succeeded(thallo({"explain", "next", "bundle_fusion", "--schedule", "auto",
                                        "--follow", "--device-spec", "h200"}));
  EXPECT_THAT(guided.out,
              HasSubstr("nothing is predicted to be faster, no two decisions either\n"));
}

TEST_F(CliSchedule, ExplainTakesTheFlagsOfAllItsSubcommandsBeforeAndAfterTheirNames) {
  const std::string after = thallo({"explain", "choices", "tiny", "--schedule", "opt"}).out;
  EXPECT_THAT(after, HasSubstr("*: chosen"));
  EXPECT_EQ(thallo({"explain", "--schedule", "opt", "choices", "tiny"}).out, after);
  EXPECT_THAT(thallo({"explain", "choices", "tiny", "--shedule", "opt"}).err,
              HasSubstr("no option '--shedule'; did you mean '--schedule'?"));
  EXPECT_THAT(thallo({"explain", "choices", "tiny", "more"}).err,
              HasSubstr("too many arguments: 'more'"));
  EXPECT_THAT(thallo({"explain", "tiny", "choices"}).err,
              HasSubstr("write the subcommand first: thallo explain choices tiny"));
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"explain"}, {"explain", "choices"}})
    EXPECT_THAT(thallo(command).err, HasSubstr("PROBLEM is required"));
}

TEST_F(CliSchedule, ExplainSaysWhyOneScheduleIsFasterThanAnother) {
  const std::vector<std::string> command = {"explain", "why",           "image_warping", "default",
                                            "auto",    "--device-spec", "h200"};
  EXPECT_THAT(succeeded(thallo(command)).out,
              AllOf(ContainsRegex("\n  default +[0-9.]+ ms\n"),
                    ContainsRegex("\n    atomics +-[0-9.]+ µs +-[0-9.]+ %  phase apply "),
                    ContainsRegex("\n  auto +[0-9.]+ µs  -[0-9.]+ %\n"),
                    HasSubstr("what the steps of auto wait for\n"),
                    ContainsRegex("beside the steps: launches .+, loop turns .+, host "),
                    Not(HasSubstr("buffers"))));
  auto with_json = command;
  with_json.push_back("--json");
  const auto json = json_of(thallo(with_json));
  const auto number = [](const nlohmann::json& value) { return value.get<double>(); };
  double sum = number(json["from"]["seconds"]);
  for (const auto& cause : json["causes"]) sum += number(cause["seconds"]);
  EXPECT_NEAR(sum, number(json["to"]["seconds"]), 1e-12);
  EXPECT_EQ(json["to"]["schedule"], "auto");
  for (const char* side : {"from", "to"}) {
    double all = 0;
    for (const auto& seconds : json[side]["beside_steps"]) all += number(seconds);
    for (const auto& step : json[side]["steps"]) {
      double waited = 0;
      for (const auto& seconds : step["waits"]) waited += number(seconds);
      EXPECT_NEAR(waited, number(step["seconds"]), 1e-12);
      EXPECT_NE(step["remedy"], "");
      all += number(step["runs"]) * number(step["seconds"]);
    }
    EXPECT_NEAR(all, number(json[side]["seconds"]), 1e-12);
  }
  const TempDir folder;
  const std::string file = folder.write("mine.sched", "r.fit:strategy('[JtJ]p')").string();
  const auto why = [](std::vector<std::string> more) {
    more.insert(more.begin(), {"explain", "why", "tiny", "--device-spec", "h200"});
    return thallo(more);
  };
  EXPECT_THAT(why({"default", file}).out, HasSubstr("what the steps of " + file + " wait for\n"));
  EXPECT_EQ(refused(why({"default", "no_such"})).err,
            thallo({"explain", "tiny", "--device-spec", "h200", "--schedule", "no_such"}).err);
  EXPECT_THAT(why({"default", "opt", "--schedule", "opt"}).err, HasSubstr("FROM and TO"));
  EXPECT_EQ(why({"default"}).exit_code, User);
}

TEST_F(CliSchedule, ExplainNumbersTheDirectivesAndSaysInJsonWhoAsked) {
  EXPECT_THAT(
      succeeded(with("r.fit:strategy('Jt[Jp]') r.fit.JtF:compute_at_output()", {"explain", "tiny"}))
          .out,
      AllOf(StartsWith("tiny, tiny data, "), HasSubstr("\n   1  r.fit:strategy(\"Jt[Jp]\")\n"),
            HasSubstr("\n   2  r.fit.JtF:compute_at_output(true)\n"),
            HasSubstr("once in every linear iteration"),
            HasSubstr("once in every nonlinear iteration"), HasSubstr("asked for by"),
            HasSubstr("\nbuffers\n")));
  EXPECT_THAT(thallo({"explain", "tiny", "--schedule", "default"}).out,
              HasSubstr("the default schedule: no directive"));
  const auto json = json_of(with("r.fit:strategy('Jt[Jp]')", {"explain", "tiny", "--json"}));
  EXPECT_EQ(json["problem"], "tiny");
  std::vector<std::string> asked;
  for (const auto& kernel : json["kernels"]) {
    if (kernel["phase"] != "apply") continue;
    EXPECT_EQ(kernel["once_in_every"], "linear iteration");
    EXPECT_EQ(kernel["points"], 3);
    for (const auto& directive : kernel["asked_by"]) asked.push_back(directive);
  }
  const std::string stored = "r.fit:strategy(\"Jt[Jp]\")";
  EXPECT_THAT(asked, ElementsAre(stored, stored)) << "Jp, and Jt times it";
}

TEST_F(CliSchedule, ExplainListsChoicesWithReasonsAndInJson) {
  const ScopedEnv no_spec("THALLO_DEVICE_SPEC", nullptr);
  EXPECT_THAT(
      succeeded(with("r.fit:strategy('Jt[Jp]')", {"explain", "choices", "tiny"})).out,
      AllOf(StartsWith("tiny, tiny data, "), HasSubstr("\n   1  r.fit:strategy(\"Jt[Jp]\")\n"),
            HasSubstr("\nstrategy\n  strategy of fit\n      r.fit:strategy(\"JtJp\")\n"
                      "    * r.fit:strategy(\"Jt[Jp]\")\n"),
            HasSubstr("    - r.vectors:precision(\"half\")\n        x and r are added to "),
            HasSubstr("and 119 others"), Not(HasSubstr("\nbuffers\n"))));
  const auto json =
      json_of(with("r.fit:strategy('Jt[Jp]')", {"explain", "choices", "tiny", "--json"}));
  EXPECT_EQ(json["problem"], "tiny");
  int num_shapes = 0;
  for (const auto& site : json["sites"]) {
    const auto& chosen = site["alternatives"][site["chosen"].get<std::size_t>()];
    EXPECT_EQ(chosen["legal"], true);
    if (site["construct"] == "strategy") {
      EXPECT_EQ(chosen["text"], "r.fit:strategy(\"Jt[Jp]\")");
    }
    if (site["construct"] == "block") num_shapes += static_cast<int>(site["alternatives"].size());
    for (const auto& alternative : site["alternatives"])
      EXPECT_EQ(alternative.contains("why"), alternative["legal"] == false);
  }
  EXPECT_EQ(num_shapes, 4 * 120) << "of cost, jtf, jp and jt";
}

// What a program needs that shows a widget for each site, whatever the construct.
TEST_F(CliSchedule, ExplainSaysInJsonHowChoicesAreEdited) {
  const auto explained = [&](const std::string& schedule) {
    return with(schedule,
                {"explain", "choices", "tiny", "--json", "--plugin-path", THALLO_EDITED_FOLDER});
  };
  EXPECT_THAT(explained("r.fit:queue('load, store, compute')").err,
              HasSubstr("queue of r.fit cannot be 'load, store, compute': it stores what is not "
                        "computed"));
  const auto json = json_of(
      explained("r.fit:queue('compute, load, store') r.fit:tile('width=8, height=16, unroll=2')"));
  std::map<std::string, nlohmann::json> editors;
  for (const auto& site : json["sites"])
    editors.emplace(site["construct"].get<std::string>(), site["editor"]);
  const auto expect = [&](const char* construct, const char* editor) {
    EXPECT_EQ(editors[construct], nlohmann::json::parse(editor));
  };
  expect("flavor", R"({"kind": "one_of"})");
  expect("flag", R"({"kind": "toggle", "off": "off", "on": "on", "current": true})");
  expect("queue", R"({"kind": "ordering", "items": ["load", "compute", "store"],
                      "current": ["compute", "load", "store"]})");
  expect("tile", R"({"kind": "numbers", "numbers": [
    {"name": "width", "meaning": "points in a row", "values": [8, 16, 32], "may_be_unset": false},
    {"name": "height", "meaning": "rows", "values": [8, 16, 32], "may_be_unset": false},
    {"name": "unroll", "meaning": "points at a time", "values": [2, 4], "may_be_unset": true}],
    "current": {"width": 8, "height": 16, "unroll": 2}})");
  expect("cluster", R"({"kind": "placement", "places": [{"label": "alone", "with": []}],
                        "current": []})");
  EXPECT_EQ(editors["block"]["numbers"][0]["values"], nlohmann::json({64, 128, 256, 512, 1024}));
  EXPECT_EQ(editors["block"]["current"], nlohmann::json::object());
}

TEST_F(CliSchedule, ExplainPredictsChoicesOnAKnownDevice) {
  const std::vector<std::string> command = {"explain", "choices", "tiny", "--device-spec", "h200"};
  EXPECT_THAT(
      succeeded(with("r.fit:strategy('Jt[Jp]')", command)).out,
      AllOf(
          HasSubstr("\npredicted for NVIDIA H200: "),
          ContainsRegex(" +[0-9.]+ µs +-[0-9.]+ %  r.fit:strategy\\(\"JtJp\"\\)\n"),
          ContainsRegex("    \\* +[0-9.]+ µs +r.fit:strategy\\(\"Jt\\[Jp\\]\"\\)\n"),
          HasSubstr(
              "and 119 others, 100 predicted to take as long, 19 not legal; --json lists them\n")));
}

TEST_F(CliSchedule, ExplainSaysOfAutoWhatItCompared) {
  EXPECT_THAT(
      succeeded(thallo({"explain", "tiny", "--schedule", "auto", "--device-spec", "h200"})).out,
      AllOf(HasSubstr("\nbuffers\n"), ContainsRegex("\n  part fit: .* [0-9.]+ µs; .* [0-9.]+ µs"),
            HasSubstr("\npredicted for NVIDIA H200: ")));

  const auto json =
      json_of(thallo({"explain", "tiny", "--schedule", "auto", "--device-spec", "h200", "--json"}));
  EXPECT_FALSE(json["kernels"].empty());
  EXPECT_EQ(json["predicted"]["device"], "NVIDIA H200");
  EXPECT_EQ(json["auto"].back()["subject"], "schedule");
  for (const auto& step : json["auto"]) EXPECT_GE(step["compared"].size(), 1u) << step;

  const auto listed = json_of(thallo(
      {"explain", "choices", "tiny", "--schedule", "auto", "--device-spec", "h200", "--json"}));
  const double chosen = listed["predicted"]["seconds"];
  EXPECT_EQ(chosen, json["predicted"]["seconds"]);
  for (const auto& site : listed["sites"]) {
    EXPECT_EQ(site["alternatives"][site["chosen"].get<std::size_t>()]["seconds"], chosen);
    for (const auto& alternative : site["alternatives"]) {
      EXPECT_EQ(alternative.contains("seconds"), alternative["legal"] == true);
      // Nothing that is decided alone promises much more.
      if (alternative["legal"] == true) {
        EXPECT_GT(alternative["seconds"], 0.99 * chosen) << alternative["text"];
      }
    }
  }
  const ScopedEnv no_spec("THALLO_DEVICE_SPEC", nullptr);
  EXPECT_FALSE(json_of(thallo({"explain", "choices", "tiny", "--schedule", "default", "--json"}))
                   .contains("predicted"));
}

TEST_F(CliSchedule, ExplainListsWhatAMemoryLimitLeaves) {
  const ScopedEnv no_spec("THALLO_DEVICE_SPEC", nullptr);
  EXPECT_THAT(succeeded(thallo({"explain", "choices", "tiny", "--schedule", "default",
                                "--memory-limit", "1"}))
                  .out,
              HasSubstr("    - r.fit:strategy(\"Jt[Jp]\")\n"
                        "        12 bytes would be stored (Jp.fit of it 12 bytes), the "
                        "memory limit is 1 bytes\n"));
}

TEST_F(CliSchedule, PrintsAScheduleInNormalFormAndWhatItDecides) {
  EXPECT_EQ(thallo({"print", "schedule", "tiny", "--schedule", "default"}).out, "-- default\n");
  EXPECT_EQ(with("r.fit.Jp:materialize() r.fit.JtF:compute_at_output(false)",
                 {"print", "schedule", "tiny"})
                .out,
            "r.fit:strategy(\"Jt[Jp]\")\n");
  EXPECT_EQ(thallo({"print", "schedule", "tiny", "--schedule", "opt"}).out,
            "r.fit.JtF:compute_at_output(true)\nr.fit.JtJp:compute_at_output(true)\n");
  EXPECT_THAT(thallo({"print", "plan", "tiny", "--schedule", "default"}).out,
              AllOf(StartsWith("part fit\n"), HasSubstr("JtF          scattered at the residual"),
                    HasSubstr("strategy     JtJp")));
  EXPECT_THAT(
      with("r.fit:strategy('[JtJ]p') r.fit.JtF:compute_at_output()", {"print", "plan", "tiny"}).out,
      AllOf(HasSubstr("strategy     [JtJ]p"), HasSubstr("JtF          gathered")));
  EXPECT_THAT(
      with("r.fit:materializeJ() r.fit.J:storage('dense')", {"print", "plan", "tiny"}).out,
      AllOf(HasSubstr("J            dense"), HasSubstr("Jt           multiplied by a library")));
}

TEST_F(CliSchedule, AScheduleThatIsWrongOrTooLargeIsAnswered) {
  const auto solved = refused(with("r.fit:strategy('[JtJ]p') r.fit.JtJ:storage('dense')",
                                   {"solve", "tiny", "--entries", "1000", "--memory-limit",
                                    "1000000", "--backend", "interpreter"}));
  EXPECT_THAT(solved.err, HasSubstr("JtJ of it"));
  EXPECT_THAT(solved.err, HasSubstr("the memory limit is 977 KiB"));
  EXPECT_THAT(refused(thallo({"print", "plan", "tiny", "--schedule", "optt"})).err,
              AllOf(HasSubstr("no schedule 'optt'"), HasSubstr("opt")));
  const auto illegal = refused(with("\nr.fit:strategy('JtJq')", {"explain", "tiny"}));
  EXPECT_THAT(illegal.err, AllOf(HasSubstr("test.sched:2"), HasSubstr("JtJq"), HasSubstr("JtJp")));
  EXPECT_THAT(illegal.out, IsEmpty());
}

}  // namespace
}  // namespace thallo::test
