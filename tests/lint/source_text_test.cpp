// Habits that can be seen in the text of a file.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <regex>
#include <sstream>

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

// Files that pass flags to other programs.
constexpr std::string_view PassFlags[] = {
    "core/backend/cpu/host_compiler.cpp",    // to the C compiler
    "core/backend/cuda/compile.cpp",         // to NVRTC
    "gui/problem/local_devices.cpp",         // to `thallo devices`
    "gui/problem/view/new_files_dialog.cpp"  // to `thallo new`
};

// "--sample" in a string literal; comments are not looked at.
std::optional<std::string> find_flag(std::string_view line) {
  static const std::regex flag("\"(?:[^\"\\\\]|\\\\.)*?(--[a-z][a-z-]*)");
  const std::string code(line.substr(0, line.find("// ")));
  std::smatch match;
  if (!std::regex_search(code, match, flag)) return std::nullopt;
  return match[1].str();
}

// The library serves more programs than `thallo`: its messages say option_text(), which each
// program spells (core/base/option_text.h).
TEST_F(SourceText, OnlyProgramsNameFlags) {
  EXPECT_EQ(find_flag("fail(\"needs --sample, how many\");"), "--sample");
  EXPECT_EQ(find_flag("--count;  // \"--sample\""), std::nullopt);
  for (const SourceFile& file : read_sources({"core", "plugins", "problems", "gui"})) {
    const bool is_program = file.path.starts_with("core/cli/") || file.path.starts_with("gui/app/");
    if (is_program || std::ranges::find(PassFlags, file.path) != std::end(PassFlags)) continue;
    std::istringstream lines(file.content);
    int number = 1;
    for (std::string line; std::getline(lines, line); ++number) {
      if (const auto flag = find_flag(line))
        ADD_FAILURE() << file.path << ':' << number << ": " << *flag
                      << " in a message of the library; say option_text(...)";
    }
  }
}

// Constructs are plugins: the app shows also those that it never heard of.
TEST_F(SourceText, TheAppNamesNoConstruct) {
  for (const SourceFile& file : read_sources({"gui"})) {
    for (const char* word :
         {"aggregate", "block", "compute_at_output", "layout", "materialize", "precision",
          "reorder", "split_merge", "storage", "strategy", "parallelize", "team"}) {
      const std::size_t at = file.content.find('"' + std::string(word) + '"');
      if (at == std::string::npos) continue;
      ADD_FAILURE() << file.path << ':' << line_of(file.content, at) << ": \"" << word
                    << "\" is a construct; the app asks the registry";
    }
  }
}

// True if the line has a comment that goes beyond the columns that clang-format keeps code to.
// Columns are characters, of which UTF-8 has one to four bytes each. URLs have no blank after "//".
bool has_long_comment(std::string_view line) {
  constexpr std::ptrdiff_t MaxColumns = 100;
  const auto columns = std::ranges::count_if(
      line, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; });
  if (columns <= MaxColumns) return false;
  return line.find("// ") != line.npos || line.find("/* ") != line.npos;
}

// clang-format leaves comments as they are (ReflowComments in .clang-format says why).
TEST_F(SourceText, CommentsKeepToTheColumnsOfCode) {
  const std::string at_limit = "  // " + std::string(95, 'x');
  EXPECT_FALSE(has_long_comment(at_limit));
  EXPECT_TRUE(has_long_comment(at_limit + "x"));
  EXPECT_TRUE(has_long_comment("int n;" + at_limit));
  EXPECT_FALSE(has_long_comment("  // \u03c1" + std::string(94, 'x'))) << "two bytes, one column";
  EXPECT_FALSE(has_long_comment(std::string(90, 'x') + "\"https://thallo\""));
  for (const SourceFile& file : read_sources({"core", "plugins", "problems", "gui", "tests"})) {
    std::istringstream lines(file.content);
    int number = 1;
    for (std::string line; std::getline(lines, line); ++number) {
      EXPECT_FALSE(has_long_comment(line))
          << file.path << ':' << number << ": a comment of more than 100 columns; wrap it:\n"
          << line;
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
