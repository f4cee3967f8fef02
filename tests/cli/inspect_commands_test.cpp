// The commands that show something: problems, plugins, devices, print.
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "core/base/io/file.h"
#include "tests/cli/thallo_process.h"

namespace thallo::test {
namespace {

using testing::HasSubstr, testing::IsEmpty;

nlohmann::json find(const nlohmann::json& list, const std::string& key, const std::string& value) {
  const auto found =
      std::find_if(list.begin(), list.end(), [&](const auto& item) { return item[key] == value; });
  return found == list.end() ? nlohmann::json() : *found;
}

TEST(CliProblems, ListsProblemsOrTheOptionsOfOne) {
  const auto json = json_of(thallo({"problems", "--json"}));
  ASSERT_TRUE(json.is_array());
  for (const char* name : {"bundle_adjustment", "curve_fit", "image_warping"}) {
    EXPECT_FALSE(find(json, "name", name).is_null()) << name;
  }
  const auto tiny = find(json, "name", "tiny");
  ASSERT_FALSE(tiny.is_null());
  EXPECT_EQ(tiny["title"], "A tiny problem");
  EXPECT_THAT(tiny["provenance"], HasSubstr("tiny.thallo.so (0.1.0)"));
  const auto entries = find(tiny["options"], "name", "entries");
  EXPECT_EQ(entries["type"], "int");
  EXPECT_EQ(entries["default"], 3);
  EXPECT_EQ(entries["maximum"], 1000.0);
  const auto result = succeeded(thallo({"problems", "tiny"}));
  EXPECT_THAT(result.out, HasSubstr("--target-value NUMBER"));
  EXPECT_THAT(result.out, HasSubstr("What they should become. [2]"));
  EXPECT_EQ(json_of(thallo({"problems", "tiny", "--json"}))["name"], "tiny");
}

TEST(CliPrint, ShowsWhatIsFoundAndWhatIsNoSite) {
  const auto found = succeeded(thallo({"print", "found", "shape_from_shading"}));
  EXPECT_THAT(found.out, HasSubstr("intermediate %"));
  EXPECT_THAT(found.out, HasSubstr("read at (w, h)\n"));
  const auto plan = thallo({"print", "plan", "image_warping"});
  EXPECT_THAT(plan.out, HasSubstr("intermediate %"));
  const auto none = thallo({"print", "plan", "image_warping", "--sites", "none"});
  EXPECT_EQ(none.out.find("intermediate %"), std::string::npos);
  refused(thallo({"print", "plan", "image_warping", "--sites", "many"}));
}

TEST(CliPrint, DrawsTheDagUnderASchedule) {
  const auto dot = succeeded(thallo({"print", "dag", "image_warping", "--schedule", "default"}));
  EXPECT_THAT(dot.out, HasSubstr("digraph \"image_warping\" {"));
  EXPECT_THAT(dot.out, HasSubstr("\"field:Mask\" -> \"part:fit\""));
  const auto json = json_of(thallo({"print", "dag", "image_warping", "--schedule", "default",
                                    "--json", "--expand", "part:fit", "--expand", "params"}));
  EXPECT_TRUE(find(json["nodes"], "id", "params").is_null());
  const auto part = find(json["nodes"], "id", "part:fit");
  EXPECT_EQ(part["is_expanded"], true);
  EXPECT_EQ(part["once_in_every"], "linear iteration");
  EXPECT_EQ(part["site"]["kind"], "part");
  EXPECT_GT(part["flops"], 0);
  EXPECT_EQ(find(json["edges"], "to", "residual:fit[1]")["is_cut"], false);
  EXPECT_THAT(refused(thallo({"print", "dag", "image_warping", "--expand", "part:fits"})).err,
              HasSubstr("'part:fits' is nothing that can be expanded"));
  EXPECT_EQ(thallo({"print", "plan", "image_warping", "--json"}).exit_code, User);
}

TEST(CliPlugins, ListsWhatWasLoadedAndWhatNot) {
  const TempDir folder;
  folder.write("text.thallo.so", "no library");
  auto result = thallo({"plugins", "--verbose", "--plugin-path", folder.path().string()});
  EXPECT_EQ(result.exit_code, GoalMissed);
  EXPECT_THAT(result.err, IsEmpty());
  EXPECT_THAT(result.out, HasSubstr(folder.path().string() + " (--plugin-path)"));
  EXPECT_THAT(result.out, HasSubstr("tiny.thallo.so"));
  EXPECT_THAT(result.out, HasSubstr("[descriptor] " + folder.path().string() +
                                    "/text.thallo.so: not a plugin (not an ELF file)"));

  const auto json = json_of(thallo({"plugins", "--json", "--plugin-path", folder.path().string()}));
  EXPECT_FALSE(find(json["loaded"], "name", "tiny").is_null());
  EXPECT_EQ(json["failures"][0]["stage"], "descriptor");
  result = thallo({"plugins", "--json"}, {"THALLO_PLUGIN_PATH=" + folder.path().string()});
  EXPECT_EQ(json_of(result)["failures"].size(), 1U);
  result = thallo(
      {"solve", "tiny", "--backend", "interpreter", "--plugin-path", folder.path().string()});
  EXPECT_EQ(result.exit_code, Ok);
  EXPECT_THAT(result.err, HasSubstr("warning plugin: "));
  EXPECT_THAT(result.err, HasSubstr("text.thallo.so: not a plugin"));
}

TEST(CliDevices, NamesEveryBackendOrWhyItIsNotThere) {
  const auto json = json_of(thallo({"devices", "--json"}));
  for (const char* backend : {"cuda", "cpu", "interpreter"}) {
    const auto row = find(json, "backend", backend);
    ASSERT_FALSE(row.is_null()) << backend;
    EXPECT_TRUE(row["available"] || !row["reason"].get<std::string>().empty()) << row;
  }
  EXPECT_TRUE(find(json, "backend", "interpreter")["available"]);
}

TEST(CliDevices, CalibrateWritesTheSpecThatItShows) {
  const TempDir folder;
  const std::string file = (folder.path() / "spec.toml").string();
  const std::string cache = "THALLO_CACHE_DIR=" + folder.path().string();
  const auto json = json_of(thallo(
      {"devices", "--backend", "interpreter", "--calibrate", "--json", "--write", file}, {cache}));
  ASSERT_EQ(json.size(), 1u);
  const auto& shown = json[0]["devices"][0]["spec"];
  EXPECT_EQ(shown["backend"], "interpreter");
  EXPECT_GT(shown["copy"].get<double>(), 0);
  EXPECT_EQ(shown["gather"][0].size(), 2u);
  EXPECT_THAT(read_file(file).value(),
              HasSubstr(fmt::format("\ncopy = {}\n", shown["copy"].get<double>())));

  const auto text = thallo({"devices", "--backend", "interpreter", "--calibrate"}, {cache});
  EXPECT_THAT(text.out, testing::ContainsRegex("\ncopy +[0-9.]+ [GM]B/s  read and written"));
  EXPECT_THAT(text.out, testing::ContainsRegex("\nlaunch +[0-9.]+ [nµ]+s  a kernel that"));
}

TEST(CliDevices, SpecsServeTheCommandsThatAreToldOfThem) {
  const TempDir folder;
  const std::string cache = "THALLO_CACHE_DIR=" + folder.path().string();
  const auto spec = [&](const std::string& flag, const std::string& file) {
    const std::string path = (folder.path() / file).string();
    EXPECT_EQ(
        thallo({"devices", "--backend", "interpreter", flag, "--write", path}, {cache}).exit_code,
        Ok);
    return read_file(path).value();
  };
  const std::string measured = spec("--spec", "first.toml");
  EXPECT_EQ(spec("--spec", "kept.toml"), measured);
  EXPECT_NE(spec("--calibrate", "again.toml"), measured);
  succeeded(thallo({"explain", "tiny", "--device-spec", "h200", "--backend", "cuda"}));
  EXPECT_THAT(
      refused(thallo({"explain", "tiny", "--backend", "cpu"}, {"THALLO_DEVICE_SPEC=h200"})).err,
      HasSubstr("this is a spec of backend cuda, and the backend is cpu"));
  const auto result = thallo({"solve", "tiny", "--backend", "interpreter", "--device", "3"});
  EXPECT_EQ(result.exit_code, Device);
  EXPECT_THAT(result.err, HasSubstr("interpreter has no device 3 (legal: 0 interpreter)"));
}

TEST(CliExplain, TheInterpreterComputesInDouble) {
  EXPECT_THAT(thallo({"explain", "tiny", "--backend", "interpreter"}).out, HasSubstr(", double\n"));
  EXPECT_EQ(thallo({"print", "c", "tiny", "--backend", "cpu"}).out,
            thallo({"print", "c", "tiny"}).out);
}

TEST(CliPrint, EachStageShowsTheEnergyInItsOwnWay) {
  EXPECT_THAT(thallo({"print", "energy", "tiny"}).out,
              HasSubstr("residual fit over (i)\n  r = x(i) - target(i)\n"));
  EXPECT_THAT(thallo({"print", "dag", "tiny"}).out, HasSubstr("digraph \"tiny\""));
  const auto program = thallo({"print", "program", "tiny", "--schedule", "default"});
  EXPECT_THAT(program.out, HasSubstr("phases\n"));
  EXPECT_THAT(program.out, HasSubstr("kernel apply_jtjp [fit]"));
  EXPECT_NE(thallo({"print", "c", "tiny", "--schedule", "default"}).out.find("void apply_jtjp("),
            std::string::npos);
  EXPECT_NE(thallo({"print", "cuda", "tiny"}).out.find("extern \"C\" __global__ void"),
            std::string::npos);
}

TEST(CliPrint, KernelsHaveTheNamesOfTheEnergyUnlessTheyAreRaw) {
  for (const char* language : {"c", "cuda"}) {
    const std::string shown = thallo({"print", language, "tiny"}).out;
    EXPECT_THAT(shown, HasSubstr("target["));
    EXPECT_THAT(shown, HasSubstr("\n// Ap_x = Ap.x over ("));
    EXPECT_THAT(shown, Not(HasSubstr("f0[")));
    EXPECT_THAT(shown, Not(HasSubstr("typedef")));
    EXPECT_THAT(shown, HasSubstr("--preamble prints them"));
    const std::string whole = thallo({"print", language, "tiny", "--preamble"}).out;
    EXPECT_THAT(whole, HasSubstr("} Args;"));
    EXPECT_THAT(whole, Not(HasSubstr("--preamble")));
    const std::string raw = thallo({"print", language, "tiny", "--raw"}).out;
    EXPECT_THAT(raw, HasSubstr("// f0 = "));
    EXPECT_THAT(raw, HasSubstr("} Args;"));
    EXPECT_THAT(raw, Not(HasSubstr("target[")));
  }
  EXPECT_THAT(thallo({"print", "plan", "tiny", "--raw"}).err,
              HasSubstr("--raw, --preamble and --lines are of `thallo print c` and `cuda`"));
  EXPECT_THAT(thallo({"print", "c", "tiny", "--raw", "--lines"}).err,
              HasSubstr("has no lines to name"));
  EXPECT_THAT(thallo({"print", "c", "tiny", "--raw", "--preamble"}).err,
              HasSubstr("has the preamble already"));
}

TEST(CliPrint, KernelsAreThoseOfThePassesAndThePrecision) {
  const auto text = [](const std::string& passes) {
    return succeeded(thallo({"print", "c", "image_warping", "--size", "16", "--passes", passes}))
        .out;
  };
  EXPECT_THAT(text("all"), HasSubstr("#pragma omp simd"));
  EXPECT_THAT(text("-simd"), testing::Not(HasSubstr("#pragma omp simd")));
  EXPECT_THAT(succeeded(thallo({"print", "c", "image_warping", "--passes", "help"})).out,
              HasSubstr("  factor_sums     takes factors that terms have in common"));
  EXPECT_NE(thallo({"print", "c", "tiny", "--float"}).out.find("const float"), std::string::npos);
  EXPECT_EQ(thallo({"print", "c", "tiny", "--double"}).out.find("float"), std::string::npos);
}

TEST(CliCheck, DerivativesBelongToTheFunctionButForWhatIsLeftOut) {
  const auto json = json_of(succeeded(thallo({"check", "tiny", "--json"})));
  EXPECT_EQ(json["problem"], "tiny");
  EXPECT_LT(json["worst_relative_error"], 1e-6);
  EXPECT_EQ(json["checked"], 3 + 3) << "at the start, and displaced";
  EXPECT_EQ(json["entry"]["unknown"], "x");
  EXPECT_THAT(thallo({"check", "tiny"}).out, HasSubstr("tiny, displaced: "));
  const auto sampled = succeeded(thallo({"check", "image_warping", "--size", "32"}));
  EXPECT_THAT(sampled.out, testing::ContainsRegex(" entries of [0-9]+ of [0-9]+ points checked"));
  EXPECT_THAT(sampled.out, HasSubstr("Points were drawn at random, seed 1; --full checks all.\n"));
  const auto full = succeeded(thallo({"check", "curve_fit", "--full"}));
  EXPECT_THAT(full.out, HasSubstr("2000 entries of 250 points checked"));
  EXPECT_THAT(full.out, testing::Not(HasSubstr("--full")));
  EXPECT_THAT(refused(thallo({"check", "tiny", "--full", "--check-points", "3"})).err,
              HasSubstr("--full and --check-points exclude each other"));
}

TEST(CliPrint, TheKernelsAreThoseOfTheSolverThatIsSet) {
  const auto gn = thallo({"print", "program", "tiny"});
  const auto lm = thallo({"print", "program", "tiny", "--solver", "lm"});
  EXPECT_EQ(gn.out.find("save_scale"), std::string::npos);
  EXPECT_NE(lm.out.find("save_scale"), std::string::npos);
}

}  // namespace
}  // namespace thallo::test
