// README.md shows some of the numbers of docs/measurements.md, and no others.
#include <gtest/gtest.h>

#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/lint/source_tree.h"

namespace thallo::test {
namespace {

std::vector<std::string> lines_in(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

// Every match of a regular expression.
std::set<std::string> numbers_of(const std::string& text, const std::regex& form) {
  std::set<std::string> numbers;
  for (auto it = std::sregex_iterator(text.begin(), text.end(), form); it != std::sregex_iterator();
       ++it)
    numbers.insert(it->str());
  return numbers;
}

class ReadmeNumbers : public testing::Test {
 protected:
  void SetUp() override {
    if (!has_source_tree()) GTEST_SKIP() << "no source tree at " << source_root();
    const std::string readme = read_file_at("README.md");
    const std::size_t begin = readme.find("## How fast it is\n");
    ASSERT_NE(begin, std::string::npos);
    section_ = readme.substr(begin, readme.find("\n## ", begin) - begin);
    measurements_ = read_file_at("docs/measurements.md");
    ASSERT_FALSE(measurements_.empty());
  }

  // What docs/measurements.md says of a case: the rows that begin with it, with those of "the same"
  // below them, and the sentences that name its problem.
  std::string said_of(const std::string& name) const {
    const std::string problem = name.substr(0, name.find_first_of(" ,"));
    std::string said;
    bool is_same = false;
    for (const std::string& line : lines_in(measurements_)) {
      const bool is_row = line.starts_with("|");
      is_same = line.starts_with("| " + name) || (is_same && line.starts_with("| the same "));
      if (is_same || (!is_row && line.find(problem) != std::string::npos)) said += line + '\n';
    }
    return said;
  }

  std::string section_, measurements_;
};

TEST_F(ReadmeNumbers, OfTheTableAreThoseThatWereMeasuredOfTheCase) {
  const std::regex number(R"(\d+(\.\d+)?)");
  int num_rows = 0;
  for (const std::string& row : lines_in(section_)) {
    const std::size_t end = row.find(" | ");
    if (!row.starts_with("| ") || row.starts_with("| case") || end == std::string::npos) continue;
    ++num_rows;
    const std::string name = row.substr(2, end - 2);
    const std::set<std::string> known = numbers_of(said_of(name), number);
    for (const std::string& its : numbers_of(row.substr(end), number))
      EXPECT_TRUE(known.contains(its)) << name << ": docs/measurements.md has no " << its;
  }
  EXPECT_GE(num_rows, 5);
}

TEST_F(ReadmeNumbers, OfItsSentencesAreThoseThatWereMeasured) {
  const std::regex decimal(R"(\d+\.\d+)");
  const std::set<std::string> known = numbers_of(measurements_, decimal);
  for (const std::string& its : numbers_of(section_, decimal))
    EXPECT_TRUE(known.contains(its)) << "docs/measurements.md has no " << its;
}

}  // namespace
}  // namespace thallo::test
