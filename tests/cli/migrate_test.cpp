// Texts in Opt's dialect on the command line, and thallo migrate.
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <string>
#include <vector>

#include "core/base/io/file.h"
#include "tests/cli/denoise_folder.h"
#include "tests/cli/thallo_process.h"

namespace thallo::test {
namespace {

using testing::HasSubstr, testing::StartsWith;

class CliMigrate : public DenoiseFolder {
 protected:
  CliMigrate() {
    folder_.write("opt.t", R"(local W, H = Dim("W", 0), Dim("H", 1)
local X = Unknown("X", opt_float, {W, H}, 0)
local A = Array("A", opt_float, {W, H}, 1)
local w = Param("w", float, 2)
UsePreconditioner(true)
Energy(w * (X(0, 0) - A(0, 0)), X(0, 0) - X(1, 0))
)");
  }
  double final_cost(const std::string& file) const {
    const auto result = thallo({"run", path(file), "--backend", "interpreter", "--json", "-q",
                                "--bind", "A=" + path("noisy.png"), "--bind", "w=3"});
    EXPECT_EQ(result.exit_code, Ok) << result.err;
    return nlohmann::json::parse(result.out).at("final_cost").get<double>();
  }
};

TEST_F(CliMigrate, ATextOfOptIsATextLikeAnyOther) {
  const auto checked =
      thallo({"check", path("opt.t"), "--bind", "A=" + path("noisy.png"), "--bind", "w=3"});
  EXPECT_EQ(checked.exit_code, Ok) << checked.err;
  const auto printed = thallo({"print", "energy", path("opt.t")});
  EXPECT_EQ(printed.exit_code, Ok) << printed.err;
  EXPECT_THAT(printed.out, HasSubstr("e1"));
  const auto schedule = [&](std::vector<std::string> chosen) {
    std::vector<std::string> arguments = {
        "print", "schedule", path("opt.t"), "--bind", "A=" + path("noisy.png"), "--bind", "w=3"};
    arguments.insert(arguments.end(), chosen.begin(), chosen.end());
    const auto result = thallo(arguments);
    EXPECT_EQ(result.exit_code, Ok) << result.err;
    return result.out;
  };
  EXPECT_EQ(schedule({}), schedule({"--schedule", "opt"}));
  EXPECT_NE(schedule({}), schedule({"--schedule", "default"}));
}

TEST_F(CliMigrate, WritesATextOfTheSameEnergy) {
  const auto printed = thallo({"migrate", path("opt.t")});
  ASSERT_EQ(printed.exit_code, Ok) << printed.err;
  EXPECT_THAT(printed.out, StartsWith("-- Written by thallo migrate, from opt.t."));
  EXPECT_THAT(printed.out, HasSubstr("--schedule opt"));
  EXPECT_THAT(printed.out, HasSubstr("UsePreconditioner(true)"));
  EXPECT_THAT(printed.out, HasSubstr("A = Array(thallo_float, {W, H}, 1)"));
  const auto written = thallo({"migrate", path("opt.t"), "--out", path("own.lua")});
  ASSERT_EQ(written.exit_code, Ok) << written.err;
  EXPECT_EQ(*read_file(path("own.lua")), printed.out);
  EXPECT_NEAR(final_cost("own.lua"), final_cost("opt.t"), 1e-5 * final_cost("opt.t"));
}

// The instances of the text have them.
TEST_F(CliMigrate, KeepsInputsThatNothingReads) {
  folder_.write("unread.t", R"(local W, H = Dim("W", 0), Dim("H", 1)
local X = Unknown("X", opt_float, {W}, 0)
local A = Array("A", opt_float2, {H}, 1)
local w = Param("w", float, 2)
local G = Graph("G", 3, "v0", {W}, 4)
Energy(X(0))
)");
  const auto printed = thallo({"migrate", path("unread.t"), "--out", path("unread.lua")});
  ASSERT_EQ(printed.exit_code, Ok) << printed.err;
  const std::string text = *read_file(path("unread.lua"));
  EXPECT_THAT(text, HasSubstr("A = Array(thallo_float2, {H}, 1)"));
  EXPECT_THAT(text, HasSubstr("w = Param(float, 2)"));
  EXPECT_THAT(text, HasSubstr("G_v0 = Sparse({G}, {W}, 4)"));
  EXPECT_EQ(thallo({"print", "energy", path("unread.lua")}).exit_code, Ok);
}

TEST_F(CliMigrate, OverwritesNothingAndNamesFaults) {
  const std::string before = *read_file(path("denoise.lua"));
  const auto result = thallo({"migrate", path("opt.t"), "--out", path("denoise.lua")});
  EXPECT_EQ(result.exit_code, User);
  EXPECT_THAT(result.err, HasSubstr("it is there already; nothing is overwritten"));
  EXPECT_EQ(*read_file(path("denoise.lua")), before);
  folder_.write("mixed.t",
                "local N = Dim('N', 0)\nInputs { X = Unknown(float, {N}, 0) }\nEnergy(X(0))");
  const auto mixed = thallo({"migrate", path("mixed.t")});
  EXPECT_EQ(mixed.exit_code, User);
  EXPECT_THAT(mixed.err, HasSubstr("mixed.t:3: 'Energy' is of Opt's dialect"));
  EXPECT_EQ(thallo({"migrate", path("nothing.t")}).exit_code, User);
}

}  // namespace
}  // namespace thallo::test
