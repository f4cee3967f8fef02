// README.md and pages of docs/: the files and commands of each page, in the order of the page, in
// an empty folder. Blocks are told apart by their language:
//
//   any, below a line `NAME`:   a file
//   sh                          commands; they must succeed
//   output                      lines of what the commands before it print, in this order; "..."
//                               stands for anything, within a line and for lines
//   console                     commands that install or build, or wait for a person; they are
//                               not run
//   text                        what was printed elsewhere
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "tests/package/page.h"
#include "tests/support/subprocess.h"
#include "tests/support/temp_dir.h"

namespace thallo::test {
namespace {

namespace fs = std::filesystem;

struct Block {
  std::string language;
  std::string file;  // "" where the block is none
  std::string text;
  int line = 0;
};

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

// "`page.lua`:" names a file.
std::string file_named_by(const std::string& line) {
  const bool is_name = line.size() > 3 && line.front() == '`' && line.ends_with("`:");
  return is_name ? line.substr(1, line.size() - 3) : "";
}

std::vector<Block> blocks_of(const std::vector<std::string>& lines) {
  constexpr std::string_view Fence = "```";
  std::vector<Block> blocks;
  std::string before;  // the last line that is not empty
  bool is_inside = false;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].starts_with(Fence)) {
      is_inside = !is_inside;
      if (is_inside)
        blocks.push_back(
            {lines[i].substr(Fence.size()), file_named_by(before), "", static_cast<int>(i) + 1});
    } else if (is_inside) {
      blocks.back().text += lines[i] + "\n";
    }
    if (!lines[i].empty()) before = lines[i];
  }
  return blocks;
}

// With single blanks, and none at the ends.
std::string without_spaces(const std::string& line) {
  std::istringstream stream(line);
  std::string result;
  for (std::string word; stream >> word;) result += (result.empty() ? "" : " ") + word;
  return result;
}

// Is it the line, in which "..." stands for anything?
bool is_like(const std::string& shown, const std::string& printed) {
  constexpr std::string_view Anything = "...";
  std::size_t at = 0;
  for (std::size_t begin = 0; begin <= shown.size();) {
    const std::size_t end = std::min(shown.find(Anything, begin), shown.size());
    const std::string piece = without_spaces(shown.substr(begin, end - begin));
    const std::size_t found = printed.find(piece, at);
    if (found == std::string::npos || (begin == 0 && found != 0)) return false;
    at = found + piece.size();
    begin = end + Anything.size();
  }
  return shown.ends_with(Anything) || at == printed.size();
}

// The first line that is shown and was not printed where it should; "" when all were.
std::string line_that_was_not_printed(const std::string& shown, const std::string& printed) {
  const std::vector<std::string> lines = lines_of(printed);
  std::size_t next = 0;
  for (const std::string& line : lines_of(shown)) {
    if (without_spaces(line).empty()) continue;
    while (next < lines.size() && !is_like(line, without_spaces(lines[next]))) ++next;
    if (next == lines.size()) return line;
    if (without_spaces(line) != "...") ++next;
  }
  return "";
}

bool is_installed(const std::string& program) {
  return run_process({"/bin/sh", "-c", "command -v " + program}).exit_code == 0;
}

class Page : public testing::Test {
 protected:
  Page() {
    fs::create_directory(work_);
    const char* path = std::getenv("PATH");
    const std::string home = folder_.path().string();
    environment_ = {"PATH=" THALLO_PROGRAM_FOLDER ":" THALLO_PYTHON_FOLDER ":" +
                        std::string(path != nullptr ? path : ""),
                    "PYTHONPATH=" THALLO_DOCS "/../core/python",
                    "PYTHONDONTWRITEBYTECODE=1",
                    "THALLO_LIBRARY=" THALLO_C_LIBRARY,
                    "THALLO_LOG=warn",
                    "THALLO_PLUGIN_PATH=",
                    "QT_QPA_PLATFORM=offscreen",
                    "XDG_CONFIG_HOME=" + home + "/config",
                    "XDG_DATA_HOME=" + home + "/data"};
    for (const char* program : {"dot", "python3", "thallo-explorer"}) {
      if (!is_installed(program) && !fs::exists(fs::path(THALLO_PROGRAM_FOLDER) / program))
        missing_.insert(program);
    }
  }

  // Writes the files of the page, runs its commands, and compares what they print.
  void run_page(const std::string& name) {
    const fs::path page = fs::path(THALLO_DOCS) / name;
    if (!fs::exists(page)) GTEST_SKIP() << "there is no " << page;
    std::string printed;
    for (const Block& block : blocks_of(lines_of(read_text(page)))) {
      SCOPED_TRACE(page.string() + ":" + std::to_string(block.line));
      if (!block.file.empty()) {
        std::ofstream(work_ / block.file) << block.text;
      } else if (block.language == "sh") {
        const std::string missing = missing_program(block.text);
        if (!missing.empty()) {
          std::printf("not run, since there is no %s:\n%s", missing.c_str(), block.text.c_str());
          continue;
        }
        const ProcessResult result = run(block.text);
        ASSERT_EQ(result.exit_code, 0) << block.text << result.out << result.err;
        printed = result.out;
        ++num_run_;
      } else if (block.language == "output") {
        EXPECT_EQ(line_that_was_not_printed(block.text, printed), "") << "printed:\n" << printed;
      } else {
        EXPECT_TRUE(block.language == "console" || block.language == "text") << block.language;
      }
    }
  }

  const TempDir folder_;
  const fs::path work_ = folder_.path() / "work";
  std::set<std::string> missing_;
  int num_run_ = 0;  // blocks of commands

 private:
  // Runs commands in the shell that the commands before left behind: what they exported is there.
  ProcessResult run(const std::string& commands) const {
    const std::string exported = (folder_.path() / "exported").string();
    const std::string script = "set -e -o pipefail; cd '" + work_.string() + "'; touch '" +
                               exported + "'; . '" + exported + "'\n" + commands + "export -p > '" +
                               exported + "'\n";
    return run_process({"/bin/bash", "-c", script}, environment_, std::chrono::seconds(250));
  }
  std::string missing_program(const std::string& commands) const {
    const auto found = std::ranges::find_if(missing_, [&](const std::string& program) {
      return commands.find(program + " ") != std::string::npos;
    });
    return found == missing_.end() ? "" : *found;
  }

  std::vector<std::string> environment_;
};

using Tutorial = Page;
using Recipes = Page;
using Exporting = Page;
using CommandLine = Page;
using Exploration = Page;

TEST_F(Tutorial, ItsCommandsDoWhatItSays) {
  run_page("tutorial.md");
  EXPECT_GE(num_run_, 15);
  for (const char* made : {"ink.png", "report/distribution.svg", "skip_zeros/skip_zeros.cpp"})
    EXPECT_TRUE(fs::exists(work_ / made)) << made;
}

// Takes 5 s of a processor, most of them to start 60 processes. It alone runs these 20 energies.
TEST_F(Recipes, FindWhatTheySay) {
  if (missing_.contains("python3")) GTEST_SKIP() << "there is no python3";
  run_page("recipes.md");
  EXPECT_EQ(num_run_, 20);
}

// Compiles an exported solver twice, as nothing else does, by CMake.
TEST_F(Exporting, WritesASolverThatBuildsAlone) {
  run_page("export.md");
  EXPECT_EQ(num_run_, 3);
}

// The page goes on with the files of README.md.
TEST_F(CommandLine, PrintsWhatItsPageShows) {
  run_page("../README.md");
  run_page("cli.md");
  run_page("install.md");
  EXPECT_GE(num_run_, 25);
}

TEST_F(Exploration, CountsWhatItsPageShows) {
  run_page("exploration.md");
  EXPECT_EQ(num_run_, 3);
}

TEST(PageOutput, IsComparedLineByLine) {
  const std::string printed = "cost 1.25 -> 0.5\n  a   b\nend of it\n";
  EXPECT_EQ(line_that_was_not_printed("cost 1.2... -> 0.5\na b\n...\nend ...\n", printed), "");
  EXPECT_EQ(line_that_was_not_printed("a b\ncost ...\n", printed), "cost ...");
  EXPECT_EQ(line_that_was_not_printed("cost 1.25 ->\n", printed), "cost 1.25 ->");
  EXPECT_EQ(line_that_was_not_printed("of it\n", printed), "of it");
}

}  // namespace
}  // namespace thallo::test
