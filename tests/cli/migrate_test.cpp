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
    const auto result =
        succeeded(thallo({"run", path(file), "--backend", "interpreter", "--json", "-q", "--bind",
                          "A=" + path("noisy.png"), "--bind", "w=3"}));
    return nlohmann::json::parse(result.out).at("final_cost").get<double>();
  }
};

TEST_F(CliMigrate, ATextOfOptIsATextLikeAnyOther) {
  succeeded(thallo({"check", path("opt.t"), "--bind", "A=" + path("noisy.png"), "--bind", "w=3"}));
  EXPECT_THAT(succeeded(thallo({"print", "energy", path("opt.t")})).out, HasSubstr("e1"));
  const auto schedule = [&](std::vector<std::string> chosen) {
    std::vector<std::string> arguments = {
        "print", "schedule", path("opt.t"), "--bind", "A=" + path("noisy.png"), "--bind", "w=3"};
    arguments.insert(arguments.end(), chosen.begin(), chosen.end());
    return succeeded(thallo(arguments)).out;
  };
  EXPECT_EQ(schedule({}), schedule({"--schedule", "opt"}));
  EXPECT_NE(schedule({}), schedule({"--schedule", "default"}));
}

TEST_F(CliMigrate, WritesATextOfTheSameEnergy) {
  const auto printed = succeeded(thallo({"migrate", path("opt.t")}));
  EXPECT_THAT(printed.out, StartsWith("-- Written by thallo migrate, from opt.t."));
  EXPECT_THAT(printed.out, HasSubstr("--schedule opt"));
  EXPECT_THAT(printed.out, HasSubstr("UsePreconditioner(true)"));
  EXPECT_THAT(printed.out, HasSubstr("A = Array(thallo_float, {W, H}, 1)"));
  succeeded(thallo({"migrate", path("opt.t"), "--out", path("own.lua")}));
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
  succeeded(thallo({"migrate", path("unread.t"), "--out", path("unread.lua")}));
  const std::string text = *read_file(path("unread.lua"));
  EXPECT_THAT(text, HasSubstr("A = Array(thallo_float2, {H}, 1)"));
  EXPECT_THAT(text, HasSubstr("w = Param(float, 2)"));
  EXPECT_THAT(text, HasSubstr("G_v0 = Sparse({G}, {W}, 4)"));
  EXPECT_EQ(thallo({"print", "energy", path("unread.lua")}).exit_code, Ok);
}

TEST_F(CliMigrate, OverwritesNothingAndNamesFaults) {
  const std::string before = *read_file(path("denoise.lua"));
  EXPECT_THAT(refused(thallo({"migrate", path("opt.t"), "--out", path("denoise.lua")})).err,
              HasSubstr("it is there already; nothing is overwritten"));
  EXPECT_EQ(*read_file(path("denoise.lua")), before);
  folder_.write("mixed.t",
                "local N = Dim('N', 0)\nInputs { X = Unknown(float, {N}, 0) }\nEnergy(X(0))");
  const auto mixed = refused(thallo({"migrate", path("mixed.t")}));
  EXPECT_THAT(mixed.err, HasSubstr("mixed.t:3: 'Energy' is of Opt's dialect"));
  EXPECT_EQ(thallo({"migrate", path("nothing.t")}).exit_code, User);
}

}  // namespace
}  // namespace thallo::test
