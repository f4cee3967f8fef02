// What users type wrong, and what they are answered.
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/cli/thallo_process.h"

namespace thallo::test {
namespace {

using testing::HasSubstr, testing::IsEmpty, testing::StartsWith;

struct Mistake {
  std::vector<std::string> arguments;
  std::string message;  // of stderr, its beginning
};

std::ostream& operator<<(std::ostream& out, const Mistake& mistake) {
  for (const std::string& argument : mistake.arguments) out << argument << ' ';
  return out;
}

class CliMistake : public testing::TestWithParam<Mistake> {};

TEST_P(CliMistake, IsAnsweredInOneLineWithExitCodeTwo) {
  const auto result = refused(thallo(GetParam().arguments));
  EXPECT_THAT(result.err, StartsWith("thallo: " + GetParam().message));
  EXPECT_THAT(result.out, IsEmpty());
}

const std::vector<std::string> SolveTiny = {"solve", "tiny", "--backend", "interpreter"};

std::vector<std::string> solve_tiny(std::vector<std::string> more) {
  more.insert(more.begin(), SolveTiny.begin(), SolveTiny.end());
  return more;
}

INSTANTIATE_TEST_SUITE_P(
    All, CliMistake,
    testing::Values(
        Mistake{{"solv", "tiny"}, "no command 'solv'; did you mean 'solve'?"},
        Mistake{{"solve"}, "PROBLEM is required (see thallo solve --help)"},
        Mistake{{"solve", "tinny"}, "no problem 'tinny'; did you mean 'tiny'? (loaded: "},
        Mistake{{"solve", "tinny", "--entries", "3"},
                "no problem 'tinny'; did you mean 'tiny'? (loaded: "},
        Mistake{{"solve", "tiny", "tiny"}, "thallo solve: too many arguments: 'tiny'"},
        Mistake{{"explain", "nex", "tiny"},
                "thallo explain: no subcommand 'nex'; did you mean 'next'? (see thallo explain "},
        Mistake{{"explain", "tiny", "nex"}, "thallo explain: too many arguments: 'nex'"},
        Mistake{{"explain", "tiny", "--what-if", "sizes"},
                "thallo explain: no option '--what-if'; it is a subcommand, see thallo explain "
                "what-if --help"},
        Mistake{solve_tiny({"--entires", "5"}),
                "thallo solve: no option '--entires'; did you mean '--entries'?"},
        Mistake{solve_tiny({"--entires=5"}),
                "thallo solve: no option '--entires'; did you mean '--entries'?"},
        Mistake{solve_tiny({"--entries"}), "--entries: 1 required INT missing"},
        Mistake{solve_tiny({"--threads", "-3"}),
                "--threads: '-3' is no integer from 0 to 1024 (see thallo solve --help)"},
        Mistake{solve_tiny({"--threads", "9999999"}), "--threads: '9999999' is no integer from 0"},
        Mistake{{"check", "tiny", "--check-points", "-1"},
                "--check-points: '-1' is no integer from 0 (see thallo check --help)"},
        Mistake{{"check", "tiny", "--check-seed", "x"}, "--check-seed: 'x' is no integer from 0"},
        Mistake{{"print", "ptx", "tiny", "--arch", "foo"},
                "--arch foo: write sm_ and the compute capability, e.g. sm_80 or sm_90"},
        Mistake{{"print", "ptx", "tiny", "--arch", "sm_"}, "--arch sm_: write sm_ and"},
        Mistake{solve_tiny({"--entries", "five"}),
                "option 'entries' is of type int, and 'five' is none"},
        Mistake{solve_tiny({"--entries", "2.5"}),
                "option 'entries' is of type int, and '2.5' is none"},
        Mistake{solve_tiny({"--entries", "0"}), "option 'entries' = 0 is out of range, at least 1"},
        Mistake{solve_tiny({"--target-value", "much"}),
                "option 'target_value' is of type double, and 'much' is none"},
        Mistake{solve_tiny({"--fault", "gaol"}),
                "option 'fault' cannot be 'gaol'; did you mean 'goal'? (legal: none, nan, "},
        Mistake{solve_tiny({"--set", "nIteration=3"}),
                "no solver option 'nIteration'; did you mean 'nIterations'?"},
        Mistake{solve_tiny({"--set", "nIterations"}),
                "--set nIterations: write --set NAME=VALUE, e.g. --set nIterations=20"},
        Mistake{solve_tiny({"--set", "nIterations", "20"}),
                "--set nIterations 20: a name and its value are one word, --set nIterations=20"},
        Mistake{{"run", "-b", "X", "photo.png", "denoise.lua"},
                "-b X photo.png: a name and its value are one word, -b X=photo.png"},
        Mistake{{"run", "denoise.lua", "--bind", "X", "photo.png"},
                "--bind X photo.png: a name and its value are one word, --bind X=photo.png"},
        Mistake{{"run", "line.lua", "-b", "t=t.csv", "Y=y.csv"},
                "-b t=t.csv Y=y.csv: each NAME=VALUE follows a flag of its own, -b t=t.csv -b "
                "Y=y.csv"},
        Mistake{solve_tiny({"--set", "nIterations=many"}),
                "solver option nIterations cannot be 'many' (legal: integer from 0 to 2147483647)"},
        Mistake{solve_tiny({"--set", "nIterations=-1"}),
                "solver option nIterations cannot be '-1' (legal: integer from 0 to 2147483647)"},
        Mistake{solve_tiny({"--solver", "newton"}),
                "solver option solver cannot be 'newton' (legal: gn, lm)"},
        Mistake{solve_tiny({"--passes", "-bound"}),
                "--passes: there is no pass 'bound'; did you mean 'bounds'? (legal: factor_sums, "},
        Mistake{solve_tiny({"--passes=bounds"}),
                "--passes: 'bounds' does not say whether the pass"},
        Mistake{solve_tiny({"--passes", "-bounds,none"}), "--passes: 'none' comes first in a list"},
        Mistake{{"explore", "tiny", "--passes", "-simd,+simd"},
                "--passes: pass 'simd' is set twice"},
        Mistake{solve_tiny({"--double", "--float"}), "--double and --float exclude each other"},
        Mistake{{"solve", "tiny", "--backend", "gpu"},
                "no backend 'gpu'; did you mean 'cpu'? (legal: auto, cuda, cpu, interpreter)"},
        Mistake{solve_tiny({"--out", "/proc/no/such/folder"}), "--out /proc/no/such/folder: "},
        Mistake{{"print", "enery", "tiny"},
                "nothing to print is called 'enery'; did you mean 'energy'? (legal: energy, "},
        Mistake{{"bench", "nits"},
                "no benchmark 'nits'; did you mean 'nist'? (legal: nist, bal, published, table, "
                "accuracy)"},
        Mistake{{"devices", "--calibrat"},
                "thallo devices: no option '--calibrat'; did you mean '--calibrate'?"},
        Mistake{{"devices", "--write", "spec.toml"},
                "--write writes what --spec shows or --calibrate measures; give one of them"},
        Mistake{{"devices", "--device", "-1"}, "--device: '-1' is no integer from 0"},
        Mistake{{"explain", "tiny", "--backend", "gpu"}, "no backend 'gpu'; did you mean 'cpu'?"},
        Mistake{{"print", "energy", "tiny", "--backend", "gpu"}, "no backend 'gpu'; did you mean"},
        Mistake{{"explain", "tiny", "--device-spec", "h20"},
                "no device spec 'h20'; did you mean 'h200'?"},
        Mistake{{"explain", "tiny", "--float", "--backend", "interpreter"},
                "the backend interpreter computes in double alone, and float is asked for"},
        Mistake{{"print", "c", "tiny", "--backend", "cuda"},
                "--backend cuda: it has no such text, which is that of backend cpu"},
        Mistake{{"print", "cuda", "tiny", "--backend", "interpreter"},
                "--backend interpreter: it has no such text, which is that of backend cuda"},
        Mistake{{"print", "c", "tiny", "--threads", "2"}, "thallo print: no option '--threads'"},
        Mistake{{"explain", "tiny", "--threads", "2"}, "thallo explain: no option '--threads'"},
        Mistake{{"verify", "tiny", "--solver", "gn"}, "thallo verify: no option '--solver'"},
        Mistake{{"verify", "tiny", "--set", "nonsense=3"}, "thallo verify: no option '--set'"},
        Mistake{{"verify", "tiny", "--sample", "0"}, "--sample: '0' is no integer from 1"},
        Mistake{{"verify", "tiny", "--schedule", ""},
                "--schedule: '' is no schedule (legal: default, "},
        Mistake{{"verify", "tiny", "--seed", "-5"}, "--seed: '-5' is no integer from 0"},
        Mistake{{"verify", "curve_fit", "--seed", "-5"}, "--seed: '-5' is no integer from 0"},
        Mistake{{"verify", "tiny", "--time-limit", "-1"},
                "--time-limit: '-1' is no number of seconds, at least 0"},
        Mistake{{"verify", "tiny", "--time-limit", "nan"},
                "--time-limit: 'nan' is no number of seconds, at least 0"},
        Mistake{{"verify", "tiny", "--float", "--backend", "interpreter"},
                "the backend interpreter computes in double alone, and float is asked for; use cpu "
                "or cuda"},
        Mistake{{"solve", "tiny", "--float", "--backend", "interpreter"},
                "the backend interpreter computes in double alone, and float is asked for; use cpu "
                "or cuda"},
        Mistake{solve_tiny({"--device-spec", "h20"}), "no device spec 'h20'; did you mean 'h200'?"},
        Mistake{solve_tiny({"--schedule", "default", "--device-spec", "h20"}),
                "no device spec 'h20'; did you mean 'h200'?"},
        Mistake{solve_tiny({"--device-spec", "nothere.toml"}), "nothere.toml: "},
        Mistake{{"verify", "tiny", "--device-spec", "h20"}, "no device spec 'h20'"},
        Mistake{{"bench", "steps", "tiny", "--device-spec", "h20"}, "no device spec 'h20'"},
        Mistake{solve_tiny({"--file", ""}),
                "--file: '' is no path of a file; write one, or leave the flag out"},
        Mistake{solve_tiny({"--out", ""}),
                "--out: '' is no path of a folder; write one, or leave the flag out"},
        Mistake{solve_tiny({"--device-spec", ""}), "--device-spec: '' is no path of a file"},
        Mistake{{"explore", "tiny", "--store", ""}, "--store: '' is no path of a file"},
        Mistake{{"devices", "--write", ""}, "--write: '' is no path of a file"},
        Mistake{{"verify", "tiny", "--all", "--sample", "3"},
                "--all and --sample exclude each other"},
        Mistake{{"verify", "tiny", "--schedule", "opt", "--all"},
                "--schedule and --all exclude each other"},
        Mistake{{"verify", "tiny", "--schedule", "opt", "--sample", "3"},
                "--schedule and --sample exclude each other"},
        Mistake{{"problems", "tinny"}, "no problem 'tinny'; did you mean 'tiny'?"}));

TEST(CliPython, IsAskedForWhereACommandNeedsIt) {
  EXPECT_THAT(refused(thallo({"bench", "nist"}, {"THALLO_PYTHON=/no/such/python"})).err,
              HasSubstr("thallo bench is written in Python, and /no/such/python cannot "
                        "be run (No such file or directory); install Python 3.9"));
}

// Whatever fails, and when.
TEST(CliJson, HasTheReasonOfAFailure) {
  const std::vector<std::vector<std::string>> commands = {
      {"run", "nowhere.lua"},
      {"solve", "tinny"},
      {"solve", "tiny", "--fault", "internal"},
      {"solve", "tiny", "--entires", "5"},
      {"check", "nowhere.lua"},
      {"explain", "nowhere.lua"},
      {"print", "dag", "nowhere.lua"},
      {"explore", "nowhere.lua"},
      {"report", "tiny", "--store", "nowhere.store"},
      {"verify", "nowhere.lua"},
      {"bench", "schedules", "nowhere.lua"},
      {"store", "info", "nowhere.store"},
      {"problems", "tinny"}};
  const auto fails_inside = [](const std::vector<std::string>& command) {
    return std::ranges::find(command, "internal") != command.end();
  };
  for (std::vector<std::string> command : commands) {
    command.emplace_back("--json");
    const auto result = thallo(command);
    EXPECT_EQ(result.exit_code, fails_inside(command) ? Internal : User);
    EXPECT_EQ("thallo: " + json_of(result)["error"].get<std::string>() + "\n", result.err);
  }
}

TEST(CliSpec, OfAnotherBackendIsRefused) {
  EXPECT_THAT(refused(thallo(solve_tiny({"--device-spec", "h200"}))).err,
              HasSubstr("this is a spec of backend cuda, and the backend is interpreter"));
  // The environment's may be for another program.
  EXPECT_EQ(thallo(solve_tiny({}), {"THALLO_DEVICE_SPEC=h200"}).exit_code, Ok);
  EXPECT_EQ(thallo(solve_tiny({}), {"THALLO_DEVICE_SPEC=h20"}).exit_code, User);
}

TEST(CliHelp, IsThatOfTheCommandAndItsProblem) {
  auto result = thallo({});
  EXPECT_EQ(result.exit_code, Ok);
  EXPECT_THAT(result.out, HasSubstr("First steps:"));
  EXPECT_EQ(thallo({"--help"}).out, result.out);
  result = thallo({"solve", "tiny", "--help"});
  EXPECT_EQ(result.exit_code, Ok);
  EXPECT_THAT(result.out, HasSubstr("Options of tiny:"));
  EXPECT_THAT(result.out, HasSubstr("--target-value NUMBER"));
  EXPECT_THAT(result.out, HasSubstr("Examples:"));
  EXPECT_THAT(result.out, HasSubstr("nIterations"));
  // A folder, or the value of an option, may be called as a problem is.
  const auto help = succeeded(thallo({"solve", "--out", "curve_fit", "tiny", "--help"}));
  EXPECT_THAT(help.out, HasSubstr("Options of tiny:"));
  EXPECT_THAT(thallo({"check", "--file", "curve_fit", "tiny", "--help"}).out,
              HasSubstr("Options of tiny:"));
  result = thallo({"--version"}, {"THALLO_LOG=inof"});
  EXPECT_EQ(result.exit_code, Ok);
  EXPECT_THAT(result.err, HasSubstr("THALLO_LOG=inof: no level 'inof'; did you mean 'info'?"));
  result = thallo({"--version"});
  EXPECT_EQ(result.exit_code, Ok);
  EXPECT_THAT(result.out, ContainsRegex("^thallo [0-9.]+\\+[0-9a-f]+ \\(.*\\)\n"));
  EXPECT_THAT(result.out, ContainsRegex("\n  cpu +(.* at /|is not available: )"));
}

}  // namespace
}  // namespace thallo::test
