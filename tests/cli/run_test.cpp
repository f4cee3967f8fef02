// thallo run: energies on files, and problems that are a .toml beside an energy.
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <regex>
#include <set>
#include <string>

#include "core/base/io/file.h"
#include "core/base/io/image.h"
#include "core/base/io/mesh.h"
#include "core/base/io/npy.h"
#include "tests/cli/denoise_folder.h"
#include "tests/cli/thallo_process.h"

namespace thallo::test {
namespace {

using testing::AllOf, testing::HasSubstr, testing::Not;

class CliRun : public DenoiseFolder {
 protected:
  ProcessResult run(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(),
                     {"run", path("denoise.lua"), "--backend", "interpreter", "-q"});
    return thallo(arguments);
  }
};

TEST_F(CliRun, WritesUnknownsToTheFilesThatAreAskedFor) {
  auto result =
      run({"--bind", "X=" + path("noisy.png"), "--bind", "A=" + path("noisy.png"), "--bind", "w=3",
           "--set", "residual_tolerance=1e-6", "--out", "X=" + path("clean.png")});
  ASSERT_EQ(result.exit_code, Ok) << result.err;
  const auto clean = read_image(folder_.path() / "clean.png");
  ASSERT_TRUE(clean) << clean.error().message();
  ASSERT_EQ(clean->width, 6);
  // Smoothed along x: closer to the mean than before.
  for (const float value : clean->data) EXPECT_NEAR(value, 0.5, 0.1);
  EXPECT_FALSE(std::filesystem::exists(folder_.path() / "metrics.json"));
  result = run({"-b", "A=" + path("noisy.png"), "-b", "w=1", "-o", "X=" + path("a.png"), "-o",
                "X=" + path("b.npy")});
  ASSERT_EQ(result.exit_code, Ok) << result.err;
  EXPECT_TRUE(read_image(path("a.png")));
  EXPECT_TRUE(parse_npy("b.npy", *read_file(path("b.npy"))));
  result = run({"-b", "A=" + path("noisy.png"), "-b", "w=1", "-o", path("out")});
  ASSERT_EQ(result.exit_code, Ok) << result.err;
  for (const char* file : {"X.png", "X_before.png", "X_after.png"})
    EXPECT_TRUE(std::filesystem::exists(folder_.path() / "out" / file)) << file;
  EXPECT_TRUE(std::filesystem::exists(folder_.path() / "out" / "metrics.json"));
  EXPECT_THAT(result.out, HasSubstr("X starting at zero"));
}

TEST_F(CliRun, RefusesBeforeTheSolveWhatCannotBeWritten) {
  folder_.write("two.lua",
                "local N = Dims('N')\n"
                "Inputs { X = Unknown(float, {N}), Y = Unknown(float, {N}) }\n"
                "local n = N()\nResiduals { r = X(n) - 1, s = Y(n) - 2 }\n");
  const auto fault = [&](const std::string& x, const std::string& y) {
    const auto result = thallo({"run", path("two.lua"), "--backend", "interpreter", "--bind", "N=2",
                                "--out", "X=" + path(x), "--out", "Y=" + path(y)});
    EXPECT_EQ(result.exit_code, User);
    EXPECT_EQ(result.out, "");
    return result.err;
  };
  EXPECT_THAT(fault("a.npy", "a.npy"), HasSubstr("a.npy: 'X' is written there already"));
  std::filesystem::create_directory(path("b.npy"));
  EXPECT_THAT(fault("a.npy", "b.npy"), HasSubstr("b.npy' is a folder"));
  EXPECT_THAT(fault("a.npy", "two.lua/b.npy"), HasSubstr("two.lua' is no folder"));
}

TEST_F(CliRun, SolvesAnEnergyThatNamesNoSolverUntilItConverges) {
  // Total variation, which undamped steps of Gauss-Newton make worse.
  folder_.write("tv.lua", R"(local W, H = Dims("W", "H")
Inputs { X = Unknown(float, {W, H}), A = Array(float, {W, H}) }
local x, y = W(), H()
local dx = Select(InBounds(x + 1, y), X(x + 1, y) - X(x, y), 0)
local dy = Select(InBounds(x, y + 1), X(x, y + 1) - X(x, y), 0)
Residuals { fit = X(x, y) - A(x, y), tv = 0.3 * (dx * dx + dy * dy + 1e-4)^0.25 }
)");
  const auto solve = [this](std::vector<std::string> flags) {
    flags.insert(flags.begin(),
                 {"run", path("tv.lua"), "--backend", "interpreter", "--json", "--bind",
                  "X=" + path("noisy.png"), "--bind", "A=" + path("noisy.png")});
    return json_of(thallo(flags));
  };
  const auto by_default = solve({});
  EXPECT_EQ(by_default["solver"], "lm");
  EXPECT_EQ(by_default["ending"], "converged");
  EXPECT_LT(by_default["final_cost"], 0.9 * by_default["initial_cost"].get<double>());
  const auto halved = solve({"--solver", "gn"});
  EXPECT_EQ(halved["ending"], "converged");
  EXPECT_NEAR(halved["final_cost"], by_default["final_cost"],
              0.01 * by_default["final_cost"].get<double>());
}

TEST_F(CliRun, SaysWhatIsMissingOrCannotBeMeant) {
  EXPECT_THAT(run({}).err,
              AllOf(HasSubstr("its inputs are not bound"),
                    HasSubstr("unknown  X: W x H, 1 channel"), HasSubstr("param    w")));
  EXPECT_THAT(run({"--bind", "A=" + path("noisy.png")}).err,
              HasSubstr("param 'w' is not bound; e.g. w=0.5"));
  EXPECT_THAT(run({"--bind", "A"}).err, HasSubstr("--bind A: write --bind NAME=VALUE"));
  const auto absent = thallo({"run", "absent.lua"});
  EXPECT_EQ(absent.exit_code, User);
  EXPECT_THAT(absent.err, HasSubstr("absent.lua: there is no such file"));
  const std::vector<std::string> bound = {"-b", "A=" + path("noisy.png"), "-b", "w=1"};
  const auto message_with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), bound.begin(), bound.end());
    const auto result = run(more);
    EXPECT_EQ(result.exit_code, User) << result.err;
    return result.err;
  };
  EXPECT_THAT(message_with({"-b", "w=2"}), HasSubstr("--bind w=2: 'w' is there twice"));
  EXPECT_THAT(message_with({"--set", "nIterations=1", "--set", "nIterations=2"}),
              HasSubstr("--set nIterations=2: 'nIterations' is there twice"));
  EXPECT_THAT(message_with({"--memory-limit", "-1"}), HasSubstr("'-1' is no size"));
  EXPECT_THAT(message_with({"--memory-limit", "-1gb"}),
              HasSubstr("--memory-limit: '-1gb' is no size: write bytes, or 512KiB, 100MiB, 8GiB"));
  EXPECT_THAT(message_with({"--memory-limit", "8 apples"}), HasSubstr("'8 apples' is no size"));
  EXPECT_THAT(message_with({"--memory-limit", "9999999TiB"}), HasSubstr("is no size"));
  EXPECT_THAT(message_with({"--out", path("noisy.png")}), HasSubstr("Not a directory"));
  // A file that is refused for another reason than its extents says nothing of these.
  const auto result = run({"-b", "A=" + path("noisy.png") + ":nothing", "-b", "w=1"});
  EXPECT_EQ(result.exit_code, User);
  EXPECT_THAT(result.err, AllOf(HasSubstr("nothing"), Not(HasSubstr("has no extent"))));
  folder_.write("huge.csv", "1,2\n3,1e39\n");
  const auto huge = run({"-b", "A=" + path("huge.csv"), "-b", "w=1"});
  EXPECT_EQ(huge.exit_code, User);
  EXPECT_THAT(huge.err, AllOf(HasSubstr("entry 3 is 1e+39, beyond the range of float"),
                              Not(HasSubstr("has no extent"))));
}

TEST_F(CliRun, NamesWhatIsNotFinite) {
  folder_.write("log.lua",
                "local N = Dims('N')\nInputs { X = Unknown(float, {N}, 0) }\n"
                "local i = N()\nResiduals { fit = log(X(i)) }\n");
  folder_.write("x.csv", "1\n2\n0\n3\n");
  for (const char* backend : {"interpreter", "cpu"}) {
    const auto result =
        thallo({"run", path("log.lua"), "--bind", "X=" + path("x.csv"), "--backend", backend});
    EXPECT_EQ(result.exit_code, User) << result.err;
    EXPECT_THAT(result.err, HasSubstr("the cost of 'log' at the start is inf"));
    EXPECT_THAT(result.err, HasSubstr("fit at (n) = (2) is -inf, since log(X(n)) is -inf, where "
                                      "X(2) is 0"));
  }
  folder_.write("root.lua",
                "local N = Dims('N')\nInputs { X = Unknown(float, {N}, 0) }\n"
                "local i = N()\nResiduals { fit = X(i) - 1, root = sqrt(X(i)) }\n");
  folder_.write("x.csv", "1\n2\n0\n3\n");
  for (const char* solver : {"gn", "lm"}) {
    const auto result = thallo({"run", path("root.lua"), "--bind", "X=" + path("x.csv"),
                                "--backend", "interpreter", "--solver", solver});
    EXPECT_EQ(result.exit_code, GoalMissed) << result.err;
    EXPECT_THAT(result.out,
                HasSubstr("root at (n) = (2) has the derivative inf by X(2), because of "));
  }
}

// As files of Opt are called.
TEST_F(CliRun, ATextMayEndInT) {
  std::filesystem::copy_file(path("denoise.lua"), path("opt.t"));
  const std::vector<std::string> bound = {
      "-b", "X=" + path("noisy.png"), "-b", "A=" + path("noisy.png"), "-b", "w=0.5"};
  for (std::vector<std::string> command :
       {std::vector<std::string>{"run", path("opt.t"), "--backend", "interpreter", "-q"},
        {"check", path("opt.t")},
        {"print", "energy", path("opt.t")},
        {"explain", path("opt.t"), "--schedule", "default"},
        {"bench", "steps", path("opt.t"), "--backend", "interpreter"}}) {
    command.insert(command.end(), bound.begin(), bound.end());
    const auto result = thallo(command);
    EXPECT_EQ(result.exit_code, Ok) << command.front() << ": " << result.err;
  }
}

TEST_F(CliRun, AClosedOrFullStreamIsNoBug) {
  // Both less and more than a buffer's worth of text.
  for (const char* arguments : {"--version", "problems --json", "print cuda image_warping"}) {
    const auto result =
        run_process({"/bin/sh", "-c",
                     std::string("exec ") + THALLO_PROGRAM + " " + arguments + " > /dev/full"});
    EXPECT_EQ(result.exit_code, User) << arguments;
    EXPECT_THAT(result.err, HasSubstr("cannot write to stdout")) << arguments;
  }
  const auto exit_code = [](const std::string& arguments) {
    const auto result =
        run_process({"/bin/sh", "-c", std::string("exec ") + THALLO_PROGRAM + " " + arguments});
    EXPECT_EQ(result.out, "") << arguments;
    return result.exit_code;
  };
  for (const char* end : {" 2> /dev/full", " 2>&-", " 2>&- <&-", " 2> /dev/full > /dev/full"}) {
    EXPECT_EQ(exit_code(std::string("solve nothere") + end), User) << end;
    EXPECT_EQ(exit_code(std::string("solv") + end), User) << end;
  }
  EXPECT_EQ(exit_code("--version >&-"), User);
  EXPECT_EQ(exit_code("--version >&- 2>&-"), User);
  // Else what is opened first, the output, would have the number of stderr and take its messages.
  const auto result = run_process(
      {"/bin/sh", "-c",
       std::string("THALLO_LOG=debug exec ") + THALLO_PROGRAM + " run " + path("denoise.lua") +
           " -b X=" + path("noisy.png") + " -b A=" + path("noisy.png") + " -b w=0.5 -q --backend " +
           "interpreter --set nIterations=2 --out X=" + path("closed.npy") + " 2>&-"});
  ASSERT_EQ(result.exit_code, Ok);
  EXPECT_TRUE(read_as<parse_npy>(path("closed.npy")));
}

TEST_F(CliRun, AFolderWithATomlIsAProblem) {
  folder_.write("denoise.toml",
                "title = \"Denoising\"\n[bind]\nX = \"noisy.png\"\nA = \"noisy.png\"\nw = 0.5\n"
                "[solver]\nnIterations = 3\n[out]\nX = \"clean.png\"\n");
  const std::string folder = folder_.path().string();
  EXPECT_THAT(thallo({"problems", "--plugin-path", folder}).out, HasSubstr("Denoising"));
  const auto solved = thallo({"solve", "denoise", "--plugin-path", folder, "--backend",
                              "interpreter", "-q", "--w", "2", "--out", path("out")});
  ASSERT_EQ(solved.exit_code, Ok) << solved.err;
  EXPECT_TRUE(std::filesystem::exists(folder_.path() / "out" / "clean.png"));
  EXPECT_EQ(thallo({"check", "denoise", "--plugin-path", folder}).exit_code, Ok);
  EXPECT_THAT(thallo({"print", "energy", "denoise", "--plugin-path", folder}).out,
              HasSubstr("reg"));
  EXPECT_EQ(run({"--out", path("again")}).exit_code, Ok) << "the .toml binds the inputs";
  EXPECT_TRUE(json_of(thallo({"problems", "denoise", "--plugin-path", folder, "--json"}))["picture"]
                  .is_null());
}

TEST_F(CliRun, ATomlWritesNowhereElse) {
  const std::string folder = folder_.path().string();
  const auto fault_of = [&](const std::string& file) {
    folder_.write("denoise.toml",
                  "[bind]\nX = \"noisy.png\"\nA = \"noisy.png\"\nw = 0.5\n[out]\n"
                  "X = \"" +
                      file + "\"\n");
    const auto result = run({"--out", path("out"), "--set", "nIterations=1"});
    EXPECT_EQ(result.exit_code, User) << file;
    return result.err;
  };
  EXPECT_THAT(fault_of("../clean.png"),
              HasSubstr("denoise.toml: output X=../clean.png leads out of the folder that results "
                        "are written to; write a path in it, e.g. clean.png"));
  EXPECT_THAT(fault_of("a/../../clean.png"), HasSubstr("leads out of the folder"));
  EXPECT_THAT(fault_of(path("clean.png")), HasSubstr("leads out of the folder"));
  EXPECT_FALSE(std::filesystem::exists(path("clean.png")));
}

TEST_F(CliRun, ATomlNamesAPictureBesideIt) {
  const std::string folder = folder_.path().string();
  folder_.write("denoise.toml", "picture = \"noisy.png\"\n");
  const auto json = json_of(thallo({"problems", "denoise", "--plugin-path", folder, "--json"}));
  EXPECT_EQ(json["picture"], path("noisy.png"));
}

TEST_F(CliRun, AFaultyTomlIsNamedWithItsLine) {
  const auto warning = [&](const std::string& content) {
    folder_.write("denoise.toml", content);
    return thallo({"problems", "--plugin-path", folder_.path().string()}).err;
  };
  EXPECT_THAT(warning("titel = \"x\"\n"),
              HasSubstr("denoise.toml:1: unknown key 'titel'; did you mean 'title'?"));
  EXPECT_THAT(warning("[bind]\nX = \n"), HasSubstr("denoise.toml:2: "));
  EXPECT_THAT(warning("[solver]\nnIteration = 3\n"), HasSubstr("nIterations"));
  EXPECT_THAT(warning("energy = \"none.lua\"\n"), HasSubstr("none.lua is not there"));
  EXPECT_THAT(warning("picture = \"none.png\"\n"), HasSubstr("none.png is not there"));
  EXPECT_THAT(warning("double = 3\n"), HasSubstr("'double' must be true or false"));
}

TEST_F(CliRun, NoInputOfATomlIsCalledLikeAFlag) {
  // All flags that the help of a command on a problem lists; the problem has options of its own.
  std::set<std::string> flags;
  const std::regex flag("--([a-z][a-z-]+)");
  const auto add_flags = [&](const std::string& text, bool adds) {
    for (auto it = std::sregex_iterator(text.begin(), text.end(), flag);
         it != std::sregex_iterator(); ++it) {
      if (adds) flags.insert((*it)[1]);
      if (!adds) flags.erase((*it)[1]);
    }
  };
  const std::vector<std::vector<std::string>> commands = {
      {"solve"},         {"check"},   {"print"},
      {"explain"},       {"explore"}, {"export"},
      {"report"},        {"verify"},  {"bench", "schedules"},
      {"bench", "moves"}};
  for (std::vector<std::string> command : commands) {
    command.insert(command.end(), {"tiny", "--help"});
    // The examples at the end show flags of problems.
    const std::string help = thallo(command).out;
    add_flags(help.substr(0, help.find("Examples:")), true);
  }
  add_flags(thallo({"problems", "tiny"}).out, false);
  std::erase_if(flags,
                [](const std::string& name) { return name.starts_with("no-"); });  // of bools
  ASSERT_TRUE(flags.contains("schedule") && flags.contains("check-points"));
  for (const std::string& name : flags) {
    std::string input = name;
    std::ranges::replace(input, '-', '_');
    folder_.write(name + ".toml", "energy = \"denoise.lua\"\n[bind]\n" + input + " = 1\n");
  }
  const std::string said = thallo({"problems", "--plugin-path", folder_.path().string()}).err;
  for (const std::string& name : flags)
    EXPECT_THAT(said, HasSubstr(name + ".toml: an input named "))
        << "its flag means something else";
}

}  // namespace
}  // namespace thallo::test
