// thallo reproduce: which tables and figures there are, five of them made on tiny inputs, how a
// reproduction goes on, and what is refused.
#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <string>

#include <nlohmann/json.hpp>

#include "tests/cli/thallo_process.h"

namespace thallo::test {
namespace {

using testing::AllOf, testing::HasSubstr, testing::Not;

class CliReproduce : public testing::Test {
 protected:
  static ProcessResult reproduce(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "reproduce");
    return thallo(std::move(arguments), {"THALLO_DATA_DIR=/no/such/folder"});
  }
  // The one table or figure, on tiny inputs; expects that no case failed.
  static nlohmann::json tiny(const std::string& paper, const std::string& item,
                             std::vector<std::string> flags = {},
                             const std::string& backend = "cpu") {
    std::vector<std::string> arguments = {paper, item, "--tiny", "--backend", backend, "--json"};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    const auto result = reproduce(std::move(arguments));
    EXPECT_EQ(result.exit_code, Ok) << result.out << result.err;
    const nlohmann::json all = json_of(result);
    EXPECT_EQ(all.size(), 1);
    return all.at(0);
  }
  static nlohmann::json case_of(const nlohmann::json& item, const std::string& name) {
    for (const nlohmann::json& one : item.at("cases"))
      if (one.at("case") == name) return one;
    ADD_FAILURE() << "no case " << name;
    return {};
  }
  std::string path(const std::string& name) const { return (folder_.path() / name).string(); }

  TempDir folder_;
};

std::string content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST_F(CliReproduce, ListsEveryTableAndFigureOfTheFourPapers) {
  const nlohmann::json papers = json_of(reproduce({"--list", "--json"}));
  std::map<std::string, std::size_t> num_items;
  for (const nlohmann::json& paper : papers) {
    std::set<std::string> numbers;
    for (const nlohmann::json& item : paper.at("items")) {
      numbers.insert(item.at("item"));
      EXPECT_FALSE(item.at("state").get<std::string>().empty()) << item;
    }
    num_items[paper.at("paper")] = numbers.size();
  }
  // Figures and tables: 12 and 5 and NIST; 15; 3; 8 and 5.
  EXPECT_EQ(num_items, (std::map<std::string, std::size_t>{
                           {"thallo", 18}, {"opt", 15}, {"caspar", 3}, {"anderson", 13}}));
  const auto text = reproduce({"--list"});
  EXPECT_THAT(
      text.out,
      AllOf(HasSubstr("lacks data: nist/Bennett5.dat, nist/BoxBOD.dat, nist/Chwirut1.dat and 24 "
                      "more"),
            HasSubstr("not made: it is an illustration")));
  EXPECT_THAT(reproduce({"opt", "--list", "--markdown"}).out,
              AllOf(HasSubstr("| Figure 12 |"), Not(HasSubstr("Caspar"))));
}

// Takes seconds: it alone finds that cases are priced for another device, by many runs of the
// program.
TEST_F(CliReproduce, PredictsTable5OfThalloOnThreeDevices) {
  const nlohmann::json table = tiny("thallo", "table 5");
  EXPECT_EQ(table.at("device"), "predicted");
  const nlohmann::json cot = case_of(table, "COT");
  EXPECT_EQ(
      cot.at("published"),
      (nlohmann::json{{"titan_x_pascal", 29.81}, {"tesla_k80", 1.09}, {"jetson_nano", 2.99}}));
  for (const char* device : {"titan_x_pascal", "tesla_k80", "jetson_nano"})
    EXPECT_GE(cot.at("ours").at(device).get<double>(), 0) << device;
}

TEST_F(CliReproduce, TimesTable1OfThalloUnderItsSchedules) {
  const nlohmann::json one = case_of(tiny("thallo", "Table 1", {}, "interpreter"), "BundleFusion");
  EXPECT_NEAR(one.at("published").at("gain").get<double>(), 106.3 / 2.96, 1e-9);
  const nlohmann::json& ours = one.at("ours");
  EXPECT_GT(ours.at("auto").get<double>(), 0);
  EXPECT_DOUBLE_EQ(ours.at("gain").get<double>(),
                   ours.at("published-default").get<double>() / ours.at("auto").get<double>());
  EXPECT_FALSE(ours.contains("ceres"));
}

TEST_F(CliReproduce, TimesTheProductsOfFigure14OfOpt) {
  const nlohmann::json figure = tiny("opt", "fig. 14", {}, "interpreter");
  EXPECT_EQ(case_of(figure, "stored J in two passes").at("published").at("gb_per_s"), 29.4);
  EXPECT_THAT(case_of(figure, "precomputed residuals and derivatives (Opt)")
                  .at("why_not")
                  .get<std::string>(),
              HasSubstr("no intermediates"));
  EXPECT_GT(case_of(figure, "stored JtJ").at("ours").at("time"), 0);
}

TEST_F(CliReproduce, DrawsTheErrorsOfFigure3OfCaspar) {
  const nlohmann::json figure = tiny("caspar", "figure 3", {"--svg", path("error.svg")});
  for (const nlohmann::json& one : figure.at("cases")) {
    EXPECT_TRUE(one.at("published").empty()) << "the figure prints no numbers";
    const nlohmann::json& curve = one.at("curve");
    ASSERT_GE(curve.size(), 2);
    EXPECT_LT(curve.front().at(0), curve.back().at(0));
    EXPECT_GT(curve.front().at(1), 1);
    EXPECT_DOUBLE_EQ(curve.back().at(1).get<double>(), 1);
  }
  EXPECT_THAT(content_of(path("error.svg")),
              AllOf(HasSubstr("<svg"), HasSubstr("Ladybug-49"), HasSubstr("seconds")));
}

TEST_F(CliReproduce, MeasuresTheDistributionOfFigure12OfThallo) {
  const nlohmann::json figure =
      tiny("thallo", "figure 12", {"--store", path("cases.jsonl"), "--svg", path("times.svg")},
           "interpreter");
  const nlohmann::json one = case_of(figure, "Procrustes Alignment");
  EXPECT_EQ(one.at("published"), (nlohmann::json{{"auto_off", 15}}));
  const nlohmann::json& ours = one.at("ours");
  EXPECT_GE(ours.at("schedules"), 4);  // drawn, and those with names
  EXPECT_LE(ours.at("best"), ours.at("median"));
  EXPECT_NEAR(ours.at("auto_off").get<double>(),
              100 * (ours.at("auto").get<double>() / ours.at("best").get<double>() - 1), 1e-9);
  EXPECT_EQ(one.at("curve").size(), ours.at("schedules"));
  EXPECT_TRUE(std::filesystem::exists(path("cases.jsonl.measured")));
  EXPECT_THAT(content_of(path("times.svg")), HasSubstr("share of the schedules"));
  EXPECT_EQ(tiny("thallo", "figure 12", {"--store", path("cases.jsonl")}, "interpreter"), figure);
}

TEST_F(CliReproduce, PutsPublishedAndOursSideBySide) {
  const auto text = succeeded(reproduce({"opt", "figure", "13", "--tiny", "--backend",
                                         "interpreter", "--svg", path("throughput.svg")}));
  EXPECT_THAT(text.out, AllOf(HasSubstr("opt, k/s, published"), HasSubstr("opt, k/s, ours"),
                              HasSubstr("Published: on a GeForce TITAN Black"),
                              HasSubstr("tiny inputs"), HasSubstr("What differs: ")));
  EXPECT_THAT(content_of(path("throughput.svg")), HasSubstr("mesh deformation"));
  const auto markdown = reproduce({"thallo", "table5", "--tiny", "--markdown"});
  EXPECT_THAT(markdown.out, AllOf(testing::StartsWith("## Thallo"), HasSubstr("| BundleFusion  ")));
}

TEST_F(CliReproduce, LeavesPassesOutOneByOneForFigure15OfOpt) {
  const nlohmann::json figure = tiny("opt", "figure 15", {}, "interpreter");
  ASSERT_EQ(figure.at("cases").size(), 3);
  for (const nlohmann::json& one : figure.at("cases")) {
    const nlohmann::json& ours = one.at("ours");
    for (const char* key : {"all", "no_factor_sums", "no_share_partials", "no_bounds",
                            "no_vector_access", "no_simd", "none"})
      EXPECT_GT(ours.at(key), 0) << key;
    EXPECT_DOUBLE_EQ(ours.at("gain").get<double>(),
                     ours.at("none").get<double>() / ours.at("all").get<double>());
  }
  EXPECT_EQ(case_of(figure, "shape from shading").at("published").at("gain"), 8);
}

TEST_F(CliReproduce, SwitchesSearchesForTables1And5OfAnderson) {
  const std::vector<std::string> store = {"--store", path("cases.jsonl")};
  const nlohmann::json states = tiny("anderson", "table 1", store);
  const nlohmann::json ours = case_of(states, "curve fit").at("ours");
  EXPECT_GT(ours.at("on_on"), 0);
  EXPECT_LE(ours.at("on_on"), ours.at("off_off"));
  EXPECT_DOUBLE_EQ(ours.at("share_on_on").get<double>(),
                   ours.at("on_on").get<double>() / ours.at("off_off").get<double>());
  const nlohmann::json mean = case_of(states, "geometric mean");
  EXPECT_EQ(mean.at("published").at("share_on_on"), 0.0519);
  EXPECT_THAT(mean.at("why_not").get<std::string>(), HasSubstr("it takes two cases"));

  // The one with everything on is a part of both tables.
  const auto num_parts = [this] {
    const std::string kept = content_of(path("cases.jsonl"));
    std::size_t count = 0;
    for (std::size_t at = 0; (at = kept.find("\"states priced\":", at)) != std::string::npos; ++at)
      ++count;
    return count;
  };
  EXPECT_EQ(num_parts(), 4);
  const nlohmann::json memory = tiny("anderson", "table 5", store);
  EXPECT_EQ(num_parts(), 7);
  const nlohmann::json its = case_of(memory, "curve fit").at("ours");
  EXPECT_GT(its.at("beam_on"), 0);
  EXPECT_EQ(its.at("beam_off"), 0);
}

// Finds modes of a search that are not switched; each mode searches.
TEST_F(CliReproduce, ComparesModesOfSearchesForFigure7OfAnderson) {
  const nlohmann::json figure = tiny("anderson", "figure 7", {}, "interpreter");
  const nlohmann::json ours = case_of(figure, "curve fit").at("ours");
  double best = 0;
  for (const char* which : {"on_on", "on_off", "off_on", "off_off"}) {
    const double first = ours.at(std::string("one_shot_") + which),
                 five = ours.at(std::string("top_5_") + which);
    EXPECT_GT(first, 0) << which;
    EXPECT_LE(first, five) << which;
    best = std::max(best, five);
  }
  EXPECT_DOUBLE_EQ(best, 1);
  EXPECT_EQ(case_of(figure, "geometric mean").at("published").at("top_5_gain"), 1.27);
}

// Takes seconds: its searches are learned from, and replayed by seeds.
TEST_F(CliReproduce, TimesModesOfSearchesForTable4OfAnderson) {
  const nlohmann::json table = tiny("anderson", "table 4", {}, "interpreter");
  const nlohmann::json ours = case_of(table, "curve fit").at("ours");
  for (const char* key : {"one_shot", "top_5", "autotuned", "greedy", "random"})
    EXPECT_GT(ours.at(key), 0) << key;
  EXPECT_FALSE(ours.contains("prior"));
}

// Finds a figure that predicts what its model has seen; it reads all shipped measurements for each
// problem.
TEST_F(CliReproduce, PredictsProblemsThatWereLeftOutForFigure8OfAnderson) {
  const nlohmann::json figure = tiny("anderson", "figure 8", {"--svg", path("scatter.svg")});
  const nlohmann::json one = case_of(figure, "curve fit");
  EXPECT_EQ(one.at("curve").size(), one.at("ours").at("steps").get<std::size_t>());
  EXPECT_GT(one.at("ours").at("rho"), 0.5);
  EXPECT_LT(one.at("ours").at("r2"), 1);
  EXPECT_THAT(one.at("conditions").get<std::string>(), HasSubstr("of the other 21 problems"));
  const nlohmann::json mean = case_of(figure, "geometric mean");
  EXPECT_EQ(mean.at("published"), (nlohmann::json{{"first", 1.48}, {"mean", 2.06}}));
  EXPECT_GE(mean.at("ours").at("first"), 1);
  EXPECT_THAT(content_of(path("scatter.svg")),
              AllOf(HasSubstr("face fitting"), HasSubstr("predicted, ms"), HasSubstr("R²")));
}

TEST_F(CliReproduce, MakesOnePageOfPapers) {
  const auto page = [this](std::vector<std::string> flags) {
    std::vector<std::string> arguments = {"caspar", "--tiny", "--store", path("cases.jsonl")};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    return succeeded(reproduce(arguments)).out;
  };
  EXPECT_THAT(page({"--backend", "interpreter", "--budget", "0"}),
              AllOf(HasSubstr("Left are 3 cases, of caspar Figure 3."),
                    HasSubstr("not made: it was not begun in time.")));
  EXPECT_THAT(page({"--backend", "interpreter", "--out", path("page.md")}),
              HasSubstr("Nothing is left."));
  const std::string markdown = content_of(path("page.md"));
  EXPECT_THAT(markdown,
              AllOf(testing::StartsWith("# Tables and figures made again\n\n- Made on 20"),
                    HasSubstr("Ours are of: interpreter (interpreter)"),
                    HasSubstr("(#caspar_figure_3): error over time"),
                    HasSubstr("<a id=\"caspar_figure_3\"></a>"),
                    HasSubstr("](page/caspar_figure_3.svg)"), HasSubstr("### Not made"),
                    HasSubstr("not made: it is an illustration"), HasSubstr("What differs: ")));
  EXPECT_THAT(content_of(path("page/caspar_figure_3.svg")), HasSubstr("<svg"));

  // What another device made is shown where there is no time, and said.
  const std::string other = page({"--backend", "cpu", "--budget", "0"});
  EXPECT_THAT(other, AllOf(HasSubstr("Left are 3 cases"),
                           HasSubstr("Ours are of: interpreter (interpreter)"),
                           HasSubstr("Ours: interpreter (interpreter), thallo"),
                           HasSubstr("Made earlier, on interpreter (interpreter) by thallo"),
                           HasSubstr("Some cases were made earlier, which their notes say")));
}

// Takes seconds: five cases are compiled for the cpu, as nothing else here is. It times the
// constructs one by one, and alone finds cases that are measured twice or lost.
TEST_F(CliReproduce, TimesTable3OfThalloAndGoesOnWhereItWasEnded) {
  const auto measured = [](const nlohmann::json& item) {
    return std::ranges::count_if(item.at("cases"),
                                 [](const nlohmann::json& c) { return !c.at("ours").empty(); });
  };
  const std::vector<std::string> store = {"--store", path("cases.jsonl")};
  std::vector<std::string> nothing = store;
  nothing.insert(nothing.end(), {"--budget", "0"});
  const nlohmann::json none = tiny("thallo", "table 3", nothing);
  EXPECT_EQ(none.at("left"), 5);
  EXPECT_EQ(measured(none), 0);
  const nlohmann::json all = tiny("thallo", "table 3", store);
  EXPECT_EQ(measured(all), 5);
  ASSERT_EQ(all.at("cases").size(), 5);
  for (const nlohmann::json& one : all.at("cases")) EXPECT_GT(one.at("ours").at("time"), 0) << one;
  EXPECT_EQ(all.at("cases").at(4).at("published").at("time"), 2.96);

  // Ended while it wrote the third: the first two are kept as they are. Each has a line that says
  // it was begun, and one with what was measured.
  const std::string kept = content_of(path("cases.jsonl"));
  ASSERT_EQ(std::ranges::count(kept, '\n'), 10);
  std::size_t second_end = 0;
  for (int line = 0; line < 4; ++line) second_end = kept.find('\n', second_end) + 1;
  folder_.write("cases.jsonl", kept.substr(0, second_end + 30));
  const nlohmann::json two = tiny("thallo", "table 3", nothing);
  EXPECT_EQ(two.at("left"), 3);
  for (int i : {0, 1}) EXPECT_EQ(two.at("cases").at(i), all.at("cases").at(i));
  const nlohmann::json again = tiny("thallo", "table 3", store);
  EXPECT_EQ(measured(again), 5);
  EXPECT_EQ(again.at("cases").at(1), all.at("cases").at(1));
  EXPECT_EQ(std::ranges::count(content_of(path("cases.jsonl")), '\n'), 10);

  folder_.write("cases.jsonl", "anything\n");
  EXPECT_THAT(
      refused(reproduce({"thallo", "table 3", "--tiny", "--store", path("cases.jsonl")})).err,
      HasSubstr("cases.jsonl:1: this is no line of thallo reproduce"));
}

TEST_F(CliReproduce, SaysWhatThereIs) {
  const auto why = [](std::vector<std::string> arguments) {
    return refused(reproduce(std::move(arguments))).err;
  };
  EXPECT_THAT(why({"thalo"}),
              HasSubstr("no paper 'thalo'; did you mean 'thallo'? (legal: anderson, caspar, opt, "
                        "thallo, all)"));
  EXPECT_THAT(why({"caspar", "table", "7"}),
              HasSubstr("caspar has no 'table 7' (legal: Figure 1, Figure 2, Figure 3)"));
  EXPECT_THAT(why({"all", "table", "1"}), HasSubstr("name the paper before it"));
  EXPECT_THAT(why({"opt", "figure", "9"}),
              HasSubstr("Figure 9 of opt cannot be made here: it is an illustration"));
  EXPECT_THAT(why({"thallo", "nist"}),
              AllOf(HasSubstr("THALLO_DATA_DIR"), HasSubstr("nist/Bennett5.dat")));
  EXPECT_THAT(why({"thallo", "nist", "--tiny"}), HasSubstr("NIST of thallo has no tiny input"));
  EXPECT_THAT(why({"thallo", "--tiny", "--svg", "x.svg"}),
              HasSubstr("--svg takes one table or figure"));
  EXPECT_THAT(why({"thallo", "table 5", "--tiny", "--json", "--markdown"}),
              HasSubstr("exclude each other"));
  EXPECT_THAT(why({"opt", "--tiny", "--json", "--out", "page.md"}),
              HasSubstr("--json and --out exclude each other"));
  EXPECT_THAT(why({"opt", "figure 15", "--tiny", "--out", "page.md"}),
              HasSubstr("--out takes the page of all tables and figures"));
  EXPECT_THAT(why({"opt", "--tiny", "--budget", "0", "--out", path("page")}),
              HasSubstr("name a file, e.g. page.md"));
  EXPECT_THAT(why({"thallo", "table 5", "--tiny", "--backend", "gpu"}),
              HasSubstr("no backend 'gpu'"));
  EXPECT_THAT(why({"thallo", "table 5", "--tiny", "--store", path("")}),
              HasSubstr("this is a folder, not a file"));
  EXPECT_THAT(why({"thallo", "table 5", "--tiny", "--store", "/dev/zero"}),
              HasSubstr("/dev/zero: this is a device, not a file"));
  // Before anything is measured.
  EXPECT_THAT(why({"thallo", "table 5", "--tiny", "--svg", path("none/x.svg")}),
              HasSubstr("none/x.svg: there is no folder " + path("none")));
  EXPECT_THAT(why({"thallo", "table 5", "--tiny", "--svg", path("")}),
              HasSubstr("it is a folder; name a file"));
  folder_.write("file", "");
  EXPECT_THAT(why({"opt", "--tiny", "--out", path("file/page.md")}),
              HasSubstr("file/page cannot be made: Not a directory"));
  for (const char* budget : {"-1", "soon"}) {
    EXPECT_THAT(why({"thallo", "table 5", "--tiny", "--budget", budget}),
                HasSubstr("write seconds, or 500ms, 90s, 10min, 2h"));
  }
}

}  // namespace
}  // namespace thallo::test
