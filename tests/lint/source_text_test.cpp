// Habits that can be seen in the text of a file.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/lint/source_tree.h"

namespace thallo::test {
namespace {

class SourceText : public testing::Test {
 protected:
  void SetUp() override {
    if (!has_source_tree()) GTEST_SKIP() << "no source tree at " << source_root();
  }
};

int line_of(const std::string& content, std::size_t at) {
  return 1 + static_cast<int>(std::count(content.begin(),
                                         content.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
}

TEST_F(SourceText, EveryHeaderIsIncludedOnce) {
  for (const SourceFile& file : read_sources({"core", "plugins", "problems", "gui", "tests"})) {
    if (!file.is_header()) continue;
    EXPECT_NE(file.content.find("#pragma once"), std::string::npos)
        << file.path << " has no #pragma once";
  }
}

TEST_F(SourceText, OnlyTheCommandLinePrintsToStdout) {
  for (const SourceFile& file : read_sources({"core", "plugins", "problems"})) {
    if (file.path.starts_with("core/cli/")) continue;
    for (const char* word : {"std::cout", "std::printf(", "fmt::print(", "fmt::println("}) {
      const std::size_t at = file.content.find(word);
      if (at == std::string::npos) continue;
      ADD_FAILURE() << file.path << ':' << line_of(file.content, at) << ": " << word
                    << " in library code; return results, log with logger()";
    }
  }
}

// Constructs are plugins: the app shows also those that it never heard of.
TEST_F(SourceText, TheAppNamesNoConstruct) {
  for (const SourceFile& file : read_sources({"gui"})) {
    for (const char* word :
         {"aggregate", "block", "compute_at_output", "layout", "materialize", "precision",
          "reorder", "split_merge", "storage", "strategy", "parallelize"}) {
      const std::size_t at = file.content.find('"' + std::string(word) + '"');
      if (at == std::string::npos) continue;
      ADD_FAILURE() << file.path << ':' << line_of(file.content, at) << ": \"" << word
                    << "\" is a construct; the app asks the registry";
    }
  }
}

TEST_F(SourceText, NoFileIsLong) {
  constexpr std::ptrdiff_t MaxLines = 450;
  for (const SourceFile& file : read_sources({"core", "plugins", "problems", "gui"})) {
    const auto lines = std::count(file.content.begin(), file.content.end(), '\n');
    EXPECT_LE(lines, MaxLines) << file.path << " is more than one thing; split it";
  }
}

}  // namespace
}  // namespace thallo::test
