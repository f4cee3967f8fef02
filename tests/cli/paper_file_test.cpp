// The files that describe the tables and figures of papers: what of them is refused, and where.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <utility>

#include "core/base/error.h"
#include "core/cli/reproduce/paper.h"
#include "tests/support/temp_dir.h"

namespace thallo::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class PaperFile : public testing::Test {
 protected:
  cli::Paper read(const std::string& text) const {
    return cli::read_paper(folder_.write("some.toml", text));
  }
  std::string message(const std::string& text) const {
    try {
      read(text);
    } catch (const UserError& error) {
      return error.what();
    }
    return "no error";
  }

  TempDir folder_;
};

const std::string Item = R"(title = "Some"
[[item]]
number = "Table 1"
method = "iteration_time"
quantities = [{key = "opt", title = "Opt"}, {key = "gain", title = "gain", ratio = ["opt", "auto"]}]
)";

TEST_F(PaperFile, HasItemsWithQuantitiesAndCases) {
  const cli::Paper paper = read(Item + R"([[item.case]]
name = "warping"
problem = "image_warping"
published = {opt = 2}
options = {size = 64, whole = true, fit_weight = 2.5, file = "a.png"}
files = {file = "images/cat.png"}
set = {nIterations = 3}
samples = 7
tiny = {options = {size = 8}}
)");
  EXPECT_EQ(paper.name, "some");
  const cli::PaperItem& item = paper.item("TABLE 1");
  EXPECT_EQ(item.quantities.at(1).ratio, (std::pair<std::string, std::string>("opt", "auto")));
  const cli::PaperCase& one = item.cases.at(0);
  EXPECT_EQ(one.published, (std::map<std::string, double>{{"opt", 2.0}}));
  EXPECT_EQ(one.input.options.text(), "file=a.png, fit_weight=2.5, size=64, whole=true");
  EXPECT_EQ(one.input.files.at(0).second, "images/cat.png");
  EXPECT_EQ(one.input.settings.at(0), (std::pair<std::string, std::string>("nIterations", "3")));
  EXPECT_EQ(one.input.samples, 7);
  ASSERT_TRUE(one.tiny);
  EXPECT_EQ(one.tiny->options.text(), "size=8");
}

TEST_F(PaperFile, NamesTheLineOfAFault) {
  EXPECT_THAT(message("title = \"a\"\nhardwear = \"b\"\n"),
              AllOf(HasSubstr("some.toml:2"),
                    HasSubstr("unknown key 'hardwear'; did you mean 'hardware'?")));
  EXPECT_THAT(message("title = 3\n"), HasSubstr("'title' must be a text"));
  EXPECT_THAT(message("item = 3\n"), HasSubstr("'item' must be a list of tables"));
  EXPECT_THAT(message("[[item]]\ntitle = \"a\"\n"), HasSubstr("an item has a number"));
  EXPECT_THAT(message("[[item]]\nnumber = \"Table 1\"\n"),
              HasSubstr("Table 1 has neither a method nor a why_not"));
  EXPECT_THAT(message("[[item]]\nnumber = \"Table 1\"\nmethod = \"guess\"\n"),
              AllOf(HasSubstr("some.toml:3"), HasSubstr("no method 'guess'"),
                    HasSubstr("iteration_time, throughput")));
  EXPECT_THAT(message(Item + "[[item.case]]\npublished = {opd = 1}\n"),
              AllOf(HasSubstr("some.toml:7"),
                    HasSubstr("unknown key 'opd'; did you mean 'opt'? (legal: opt, gain)")));
  EXPECT_THAT(message(Item + "[[item.case]]\npublished = {opt = \"fast\"}\n"),
              HasSubstr("expected a number"));
  EXPECT_THAT(message(Item + "[[item.case]]\ntiny = {size = 3}\n"),
              HasSubstr("unknown key 'size'"));
  EXPECT_THAT(message("[[item]]\nnumber = \"Table 1\"\nwhy_not = \"b\"\n"
                      "quantities = [{key = \"a\", ratio = [\"b\"]}]\n"),
              HasSubstr("'ratio' must be a list of two keys"));
  const auto of_quantity = [this](const std::string& quantity) {
    return message("[[item]]\nnumber = \"Table 1\"\nmethod = \"iteration_time\"\nquantities = [{" +
                   quantity + "}]\n");
  };
  EXPECT_THAT(of_quantity("key = \"a\", passes = \"-bound\""),
              AllOf(HasSubstr("some.toml:4"), HasSubstr("no pass 'bound'"), HasSubstr("simd")));
  EXPECT_THAT(of_quantity("key = \"a\", search = \"beam\""),
              HasSubstr("what a search finds has a figure"));
  EXPECT_THAT(message(Item + "[[item.case]]\nmean = 3\n"),
              HasSubstr("'mean' is true or not there"));
}

TEST_F(PaperFile, OfEveryShippedPaperHasSources) {
  for (const cli::Paper& paper : cli::shipped_papers()) {
    EXPECT_FALSE(paper.hardware.empty()) << paper.name;
    std::set<std::string> numbers;
    for (const cli::PaperItem& item : paper.items) {
      EXPECT_TRUE(numbers.insert(item.number).second) << paper.name << " " << item.number;
      EXPECT_FALSE(item.title.empty()) << paper.name << " " << item.number;
      if (item.method.empty()) continue;
      EXPECT_FALSE(item.published_numbers.empty()) << paper.name << " " << item.number;
      EXPECT_FALSE(item.differs.empty()) << paper.name << " " << item.number;
      std::set<std::string> cases;
      for (const cli::PaperCase& one : item.cases)
        EXPECT_TRUE(cases.insert(one.name).second) << item.number << " " << one.name;
    }
  }
}

}  // namespace
}  // namespace thallo::test
