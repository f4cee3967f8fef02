#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "core/base/log.h"
#include "core/language/names.h"
#include "tests/language/texts.h"
#include "tests/support/temp_dir.h"

namespace thallo {
namespace {

using test::load;
using test::message_of;
using test::value;
using test::values;
using testing::ElementsAre, testing::HasSubstr, testing::IsSupersetOf;

const std::string Text =
    "local N = Dims('N') Inputs { X = Unknown(float, {N}) } Residuals { r = X(N()) - 1 }\n";

TEST(Sandbox, SumsAndChainsThatGrowAreLimited) {
  EXPECT_EQ(message_of(Text + "for i = 1, 1000 do end", {.instructions = 1'000'000}), "");
  EXPECT_THAT(message_of(Text + "for i = 1, 1000000 do end", {.instructions = 100'000}),
              HasSubstr("test.lua:2: the text ran for more than 100000 instructions"));
  EXPECT_THAT(message_of(Text + "local s = ('x'):rep(5e6)", {.memory_bytes = 4 << 20}),
              HasSubstr("test.lua:2: the text used more than 4 MiB"));
  EXPECT_THAT(
      message_of(Text + "while true do end", {.instructions = 1'000'000'000, .seconds = 0.1}),
      HasSubstr("test.lua:2: the text ran for more than 0.1 seconds"));
  const std::string grow = "local s = 0 for i = 1, 200 do s = s + X(n + i) end";
  const std::string at_once =
      "local t = {} for i = 1, 200 do t[i] = X(n + i) end local s = Vector(t):sum()";
  const LoadLimits few = {.operands = 5'000};
  EXPECT_THAT(message_of(Text + "local n = N() " + grow, few),
              HasSubstr("test.lua:2: the text built sums and products of more than 5000 operands"));
  EXPECT_EQ(message_of(Text + "local n = N() " + at_once, few), "");
  EXPECT_EQ(message_of(Text + "local n = N() " + grow), "");
  // Lua's compiler cannot be stopped.
  const auto chain = [](int num_branches) {
    std::string text = Text + "local v = 5 if v == 0 then\n";
    for (int i = 0; i < num_branches; ++i) text += "elseif v == 1 then\n";
    return text + "end";
  };
  EXPECT_EQ(message_of(chain(1'000)), "");
  EXPECT_THAT(message_of(chain(20'001)),
              HasSubstr("test.lua:20003: a text has at most 20000 of elseif, break and goto"));
}

TEST(Sandbox, GarbageDoesNotCountAndPairsVisitsKeysInOrder) {
  const LoadLimits limits = {.memory_bytes = 4 << 20};
  EXPECT_EQ(message_of(Text + "for i = 1, 2000 do local s = ('x'):rep(1e5) end", limits), "");
  EXPECT_EQ(message_of(Text + "local v = Vector({1, 2, 3, 4, 5, 6, 7, 8, 9, 10})\n"
                              "for i = 1, 8 do v = Vector(v, v) end\n"
                              "for i = 1, 4000 do local w = v:slice(0, 2000) end",
                       limits),
            "");
  EXPECT_THAT(values("order",
                     "local order = {}\n"
                     "for _, v in pairs {b = 4, [2] = 2, a = 3, [1] = 1, c = 5} do\n"
                     "  order[#order + 1] = v\n"
                     "end"),
              ElementsAre(1, 2, 3, 4, 5));
}

TEST(Sandbox, TheSameTextGivesTheSameEnergy) {
  const auto hash = [] {
    const Energy energy = test::load(R"(
      local N = Dims("N")
      Inputs { X = Unknown(float, {N}), A = Array(float, {N}), w = Param(float) }
      local n, weights, sum = N(), {fit = 2, reg = 3, smooth = 5}, 0
      for name, weight in pairs(weights) do sum = sum * X(n) + weight * A(n) end
      Residuals { r = w * sum })");
    return energy.graph().hash(energy.groups()[0].residuals[0]);
  };
  const auto first = hash();
  for (int i = 0; i < 10; ++i) EXPECT_EQ(hash(), first);
}

TEST(Sandbox, OffersPlainLuaAndStringPatternsThatEnd) {
  EXPECT_EQ(value("#string.format('%d-%s', 12, 'ab'):upper() + math.floor(2.7) + tonumber('3')"),
            10);
  EXPECT_THAT(values("unpack(t)", "local t = {3, 1, 2} table.sort(t) table.insert(t, 4)"),
              ElementsAre(1, 2, 3, 4));
  EXPECT_EQ(value("f(4)", "local function f(n) return n > 1 and n * f(n - 1) or 1 end"), 24);
  EXPECT_THAT(values("unpack(t)",
                     "local t = {}\n"
                     "for _, v in ('a=1, b=2'):gmatch('(%a)=(%d)') do t[#t + 1] = tonumber(v) end\n"
                     "t[3] = ('a.c'):find('.', 1, true)\n"
                     "t[4] = tonumber(string.match('width 12', '%d+'))\n"
                     "t[5] = #(('aXbX'):gsub('X', ''))"),
              ElementsAre(1, 2, 2, 12, 2));
  for (const char* text : {"('a'):rep(200)", "('\\0' .. ('a'):rep(200))"}) {
    EXPECT_THAT(message_of(Text + "local s = " + text + ":find('a*a*a*a*b')"),
                HasSubstr("test.lua:2: find: matching a pattern of 9 characters in a text of 20"));
  }
  EXPECT_EQ(message_of(Text + "local s = ('a'):rep(200):find('[*-?%]*]a*a')"), "")
      << "what is in a set is no repetition";
}

TEST(Sandbox, PrintsToTheLogAndMayHideANameOfTheLanguage) {
  EXPECT_EQ(value("length(3)", "function length(v) return 2 * v end"), 6);
  EXPECT_EQ(value("normalize(Vector(3, 4))(1)", "function sqrt(v) return 1 end"), 0.8)
      << "but not for the language itself";
  set_log_levels("info");
  LogCapture log;
  EXPECT_EQ(message_of(Text + "print('weight', 3, Vector(1, 2))"), "");
  set_log_levels("warn");
  ASSERT_EQ(log.records().size(), 1u);
  EXPECT_EQ(log.records()[0].text, "test.lua:2: weight\tthe number 3\ta vector of 2");
}

TEST(Sandbox, WarnsOfAnInputThatHidesAName) {
  LogCapture log;
  load(
      "local N = Dims('N') Inputs { X = Unknown(float, {N}), L_1 = Param(float) }\n"
      "Residuals { r = L_1 * X(N()) }");
  ASSERT_EQ(log.records().size(), 1u);
  EXPECT_THAT(log.records()[0].text, HasSubstr("the input 'L_1' hides"));
}

TEST(Sandbox, TheNamesOfTheLanguageAreListed) {
  const std::vector<std::string> names = language_names();
  EXPECT_THAT(names, IsSupersetOf({"Dims", "L_p", "huber", "inf", "math.pow", "unpack",
                                   "schedule name:loss", "vector:slice", "index:asvalue"}));
  for (const std::string& name : names) {
    const bool is_hidden = name.find("__") != std::string::npos || name.starts_with("host");
    EXPECT_FALSE(is_hidden) << name;
  }
}

TEST(Sandbox, WarnsOfASumOverNothing) {
  LogCapture log;
  EXPECT_EQ(value("Sum({N()}, a)"), 0.7);
  ASSERT_EQ(log.records().size(), 1u);
  EXPECT_THAT(log.records()[0].text, HasSubstr("Sum over 'n2'"));
}

TEST(EnergyFile, NamesTheFileThatIsMissingOrNoText) {
  const auto file = load_energy("/nowhere/warp.lua");
  ASSERT_FALSE(file);
  EXPECT_EQ(file.error().message(), "/nowhere/warp.lua: there is no such file");
  const test::TempDir dir;
  EXPECT_THAT(load_energy(dir.path()).error().message(), HasSubstr("this is a folder"));
  const auto large = dir.write("large.lua", std::string(5 << 20, ' '));
  EXPECT_THAT(load_energy(large).error().message(), HasSubstr("5242880 bytes are too many"));
  const std::string nul(1, '\0');
  EXPECT_EQ(message_of(Text + "-- a" + nul + "b\n"),
            "test.lua:2: the line holds a NUL byte; an energy is written as text, which has none");
  EXPECT_THAT(message_of("local N = Dim('N', 0)\nlocal X = Unknown('X', opt_float, {N}, 0)\n" +
                         nul + "Energy(X(0))"),
              HasSubstr("test.lua:3: the line holds a NUL byte"));
  const auto path =
      dir.write("a_very_long_name_of_an_energy_file_that_lua_would_cut_off_somewhere.lua",
                "Residuals { r = nowhere }");
  EXPECT_THAT(load_energy(path).error().message(), HasSubstr(path.string() + ":1: unknown name"));
}

TEST(EnergyFile, AByteOrderMarkIsSkippedAndOtherEncodingsAreNamed) {
  const test::TempDir dir;
  const std::string text =
      "local N = Dims(\"N\")\nInputs { X = Unknown(float, {N}, 0) }\nResiduals { r = X(N()) }\n";
  EXPECT_TRUE(load_energy(dir.write("marked.lua", "\xef\xbb\xbf" + text)));
  std::string wide = "\xff\xfe";
  for (const char c : text) wide += {c, '\0'};
  EXPECT_THAT(load_energy(dir.write("wide.lua", wide)).error().message(),
              HasSubstr("is UTF-16; an energy text is UTF-8"));
}

}  // namespace
}  // namespace thallo
