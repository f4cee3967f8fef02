// thallo report: of an exploration that was just made, and of stores that have nothing for it.
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "core/base/io/file.h"
#include "core/cost/device/spec_file.h"
#include "core/explore/store/sqlite/database.h"
#include "tests/cli/thallo_process.h"
#include "tests/cost/sample_spec.h"
#include "tests/explore/store_records.h"
#include "tests/support/scoped_env.h"
#include "tests/support/temp_dir.h"

namespace thallo::test {
namespace {

using testing::AllOf, testing::HasSubstr, testing::StartsWith;

class CliReport : public testing::Test {
 protected:
  std::string path(const std::string& name) const { return folder_.path() / name; }

  // Explores on the interpreter, which computes in double.
  static void SetUpTestSuite() {
    explored_ = std::make_unique<TempDir>();
    succeeded(thallo({"explore", "tiny", "--backend", "interpreter", "--store",
                      explored_->path() / "tiny.store", "--best", "2", "--jobs", "1"}));
  }
  static void TearDownTestSuite() { explored_.reset(); }
  // Returns a copy of the store of the exploration.
  std::string explored() const {
    std::filesystem::copy(explored_->path(), folder_.path());
    return path("tiny.store");
  }
  // Of the interpreter.
  std::string spec() const {
    DeviceSpec spec = sample_spec();
    spec.backend = "interpreter";
    const std::string file = path("spec.toml");
    EXPECT_TRUE(write_device_spec(spec, file));
    return file;
  }
  static ProcessResult report(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"report", "tiny", "--double"});
    return thallo(arguments);
  }
  static void expect_fault(const std::vector<std::string>& arguments, const std::string& message) {
    const ProcessResult result = refused(report(arguments));
    EXPECT_THAT(result.err, HasSubstr(message));
    EXPECT_EQ(result.out, "");
  }

  static inline std::unique_ptr<TempDir> explored_;
  TempDir folder_;
};

TEST_F(CliReport, ShowsWhatAnExplorationFound) {
  const std::string store = explored();
  EXPECT_THAT(succeeded(report({"--store", store})).out,
              AllOf(StartsWith("# tiny, "), HasSubstr("## Marks"), HasSubstr("published-default"),
                    HasSubstr("| best "), HasSubstr("## Cost models"),
                    HasSubstr("## The fastest 10"), HasSubstr("\n- kernels compiled for them: "),
                    HasSubstr("## Where the time goes"), HasSubstr("| direction ")));

  const auto json = json_of(report({"--store", store, "--json"}));
  EXPECT_EQ(json["problem"], "tiny");
  EXPECT_EQ(json["candidates"].size(), 42u);
  EXPECT_EQ(json["timed"], 42);
  double best = json["candidates"][0]["seconds"];
  for (const auto& candidate : json["candidates"]) {
    EXPECT_EQ(candidate["status"], "ok");
    EXPECT_TRUE(candidate["predicted"].contains("analytic"));
    best = std::min(best, candidate["seconds"].get<double>());
  }
  for (const auto& mark : json["marks"]) {
    const double off = 100 * (mark["seconds"].get<double>() / best - 1);
    EXPECT_NEAR(mark["percent_off"].get<double>(), off, 1e-9) << mark["name"];
  }
  EXPECT_GE(json["composition"]["compared"], 2);
  EXPECT_GT(json["kernels"]["compiled"], 0);
  EXPECT_TRUE(json["kernels"]["most_registers"].is_null()) << "the interpreter has none";
  ASSERT_FALSE(json["slowest_steps"]["steps"].empty());
  double slower = 1e9;
  for (const auto& step : json["slowest_steps"]["steps"]) {
    EXPECT_TRUE(step["registers"].is_null());
    EXPECT_GT(step["predicted"], 0) << step;
    const double seconds = step["runs"].get<double>() * step["hot"].get<double>();
    EXPECT_LE(seconds, slower) << step;
    slower = seconds;
  }

  std::istringstream csv(report({"--store", store, "--csv"}).out);
  std::string line;
  std::getline(csv, line);
  EXPECT_THAT(line, StartsWith("index,hash,seconds,composed,end_to_end,analytic,"));
  int num_lines = 0;
  while (std::getline(csv, line)) ++num_lines;
  EXPECT_EQ(num_lines, 42);
}

TEST_F(CliReport, WritesAFolderWithPicturesOrSaysWhyNot) {
  std::string out = path("report");
  const std::string store = explored();
  ProcessResult result = report({"--store", store, "--out", out});
  EXPECT_EQ(result.exit_code, Ok) << result.err;
  const std::string page = read_file(out + "/report.md").value();
  for (const char* name : {"distribution", "steps", "prediction", "composition", "convergence"}) {
    EXPECT_THAT(page, HasSubstr(std::string("](") + name + ".svg)"));
    EXPECT_THAT(read_file(out + "/" + name + ".svg").value(), StartsWith("<svg "));
  }
  EXPECT_TRUE(nlohmann::json::accept(read_file(out + "/report.json").value()));
  EXPECT_TRUE(std::filesystem::exists(out + "/candidates.csv"));
  out = folder_.write("notes.txt", "a file").string() + "/report";
  result = report({"--store", store, "--out", out});
  EXPECT_EQ(result.exit_code, User);
  EXPECT_EQ(result.err, "thallo: --out " + out + ": the folder cannot be made: Not a directory\n");
}

std::size_t occurrences(const std::string& text, const std::string& word) {
  std::size_t count = 0;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1))
    ++count;
  return count;
}

TEST_F(CliReport, WritesOneFileThatABrowserShowsWithoutANetwork) {
  const std::string store = explored(), file = path("report.html");
  EXPECT_THAT(report({"--store", store, "--html", file}).out, HasSubstr("wrote " + file));
  const std::string page = read_file(file).value();
  EXPECT_THAT(page, AllOf(StartsWith("<!DOCTYPE html>"), HasSubstr("<h2>Marks</h2>"),
                          HasSubstr("<td>published-default</td><td>"),
                          HasSubstr("<figcaption>Where the time goes</figcaption>"),
                          HasSubstr("<h2>The fastest schedule</h2>"),
                          HasSubstr("<summary>direction</summary>"),
                          HasSubstr("--html " + file + "</pre>")));
  for (const char* tag : {"table", "figure", "details", "svg", "pre", "p", "ul", "code"})
    EXPECT_EQ(occurrences(page, fmt::format("<{}", tag) + (tag[0] == 'p' ? ">" : "")),
              occurrences(page, fmt::format("</{}>", tag)))
        << tag;
  for (const char* from_elsewhere : {"src=", "<link", "@import", "<script"})
    EXPECT_THAT(page, Not(HasSubstr(from_elsewhere)));
  EXPECT_THAT(report({"--store", store, "--html", file, "--json"}).err,
              HasSubstr("--html excludes --json and --csv"));
}

TEST_F(CliReport, AddsOneDirectiveAfterTheOther) {
  const std::string schedule = folder_.write("best.sched", "r.fit:strategy(\"[JtJ]p\")\n");
  const auto json = json_of(report({"--store", explored(), "--steps", schedule, "--json"}));
  const auto& steps = json["schedule_steps"];
  ASSERT_GE(steps.size(), 2u);
  EXPECT_EQ(steps[0]["change"][0], "published-default");
  EXPECT_EQ(steps[0]["factor"], 1.0);
  const auto& last = steps[steps.size() - 1];
  EXPECT_NEAR(last["factor"].get<double>(),
              steps[0]["seconds"].get<double>() / last["seconds"].get<double>(), 1e-9);
  EXPECT_EQ(last["factor_is_measured"], true);
}

TEST_F(CliReport, SaysWhatAStoreHasAndWhatIsNone) {
  expect_fault({"--store", path("none.store")}, path("none.store") + ": there is no such store");
  ASSERT_TRUE(open_store(path("warp.store")).add(all_records(), Existing::Keep));
  expect_fault({"--store", path("warp.store")}, "image_warping (p0123456789ab size=64)");
  expect_fault({"--store", explored(), "--device", "H300"},
               "no result of this problem is of a "
               "device 'H300'");
  expect_fault({"--store", folder_.write("text.store", "not a database, but a longer text\n")},
               "text.store");
  const std::string file = path("later.store");
  open_store(file);
  {
    auto database = Database::open(file, Database::Access::Write);
    ASSERT_TRUE(database && database->run("PRAGMA user_version = 1000"));
  }
  expect_fault({"--store", file}, "1000");
  EXPECT_THAT(json_of(report({"--json", "--csv"}))["error"].get<std::string>(),
              HasSubstr("--json and --csv exclude each other"));
  expect_fault({"--dark"}, "--dark has no effect");
}

TEST_F(CliReport, TakesTheResultsOfABackend) {
  const std::string store = explored();
  EXPECT_EQ(report({"--store", store, "--backend", "auto", "--json"}).out,
            report({"--store", store, "--backend", "interpreter", "--json"}).out);
  expect_fault({"--store", store, "--backend", "cpu"},
               "no result of this problem is of any device of the backend cpu");
  expect_fault({"--store", store, "--backend", "cp"}, "cp");
}

}  // namespace
}  // namespace thallo::test
