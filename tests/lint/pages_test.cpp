// The pages that lead through the tree, and the files that pages and comments cite.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <regex>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tests/lint/include_rules.h"
#include "tests/lint/source_tree.h"

namespace thallo::test {
namespace {

namespace fs = std::filesystem;

const std::vector<std::string> Folders = {"core", "plugins", "problems", "gui", "tests"};

class Pages : public testing::Test {
 protected:
  void SetUp() override {
    if (!has_source_tree()) GTEST_SKIP() << "no source tree at " << source_root();
  }
};

bool is_in_tree(const fs::path& path) { return fs::exists(fs::path(source_root()) / path); }

// Where each of `words` stands in the text, in backquotes or as it is.
std::vector<std::size_t> places_of(const std::string& text, std::span<const std::string_view> words,
                                   const char* before, const char* after) {
  std::vector<std::size_t> places;
  for (const std::string_view word : words)
    places.push_back(text.find(before + std::string(word) + after));
  return places;
}

TEST_F(Pages, HaveTheLayersInTheOrderOfTheIncludeRules) {
  const auto page = places_of(read_file_at("docs/architecture.md"), layers(), "| `", "` |");
  for (std::size_t i = 0; i < page.size(); ++i)
    EXPECT_NE(page[i], std::string::npos) << "docs/architecture.md lacks layer " << layers()[i];
  EXPECT_TRUE(std::ranges::is_sorted(page)) << "docs/architecture.md has them in another order";
  auto build = places_of(read_file_at("core/CMakeLists.txt"), layers(), "add_subdirectory(", ")");
  std::erase(build, std::string::npos);  // a layer without files
  EXPECT_TRUE(std::ranges::is_sorted(build))
      << "core/CMakeLists.txt has the layers in another order";
}

TEST_F(Pages, EveryFolderHasAShortReadme) {
  std::set<fs::path> folders = {"core", "gui", "plugins", "problems", "tests"};
  for (const SourceFile& file : read_sources({"core", "gui"}))
    folders.insert(fs::path(file.path).parent_path());
  constexpr std::ptrdiff_t MaxLines = 12;
  for (const fs::path& folder : folders) {
    const std::string page = read_file_at((folder / "README.md").generic_string());
    EXPECT_FALSE(page.empty()) << folder << " has no README.md: what is in it, the way in, what it "
                               << "must not know";
    EXPECT_LE(std::count(page.begin(), page.end(), '\n'), MaxLines) << folder / "README.md";
  }
}

TEST_F(Pages, LinkToFilesThatExist) {
  const std::regex link(R"(\]\(([^)#\s]+)(#[^)]*)?\))");
  for (const SourceFile& page : read_pages(Folders)) {
    for (auto it = std::sregex_iterator(page.content.begin(), page.content.end(), link);
         it != std::sregex_iterator(); ++it) {
      const std::string target = (*it)[1];
      if (target.find("://") != std::string::npos) continue;
      EXPECT_TRUE(is_in_tree(fs::path(page.path).parent_path() / target))
          << page.path << " links to " << target << ", which is not there";
    }
  }
}

// The files of the tree by all ends of their paths: "graph.h", "ir/graph.h", "core/ir/graph.h".
std::set<std::string> citable_names() {
  std::set<std::string> ends;
  const auto add = [&](const std::string& path) {
    for (std::size_t at = 0; at != std::string::npos;) {
      ends.insert(path.substr(at));
      at = path.find('/', at);
      if (at != std::string::npos) ++at;
    }
  };
  for (const SourceFile& file : read_sources(Folders)) add(file.path);
  for (const SourceFile& page : read_pages(Folders)) add(page.path);
  // A generated header, and those of libraries.
  for (const char* name : {"build_id.h", "cuda.h", "cuda_fp16.h", "fmt/format.h", "xxhash.h"})
    ends.insert(name);
  return ends;
}

// The names of files in `text` that no file of the tree has. NAME stands for any name.
std::vector<std::string> names_of_no_file(const std::string& text,
                                          const std::set<std::string>& names) {
  static const std::regex pattern(R"([A-Za-z0-9_][A-Za-z0-9_./]*\.(h|cpp|md)\b)");
  std::vector<std::string> missing;
  for (auto it = std::sregex_iterator(text.begin(), text.end(), pattern);
       it != std::sregex_iterator(); ++it) {
    const std::string name = it->str();
    const bool is_placeholder = name.find("NAME") != std::string::npos;
    if (!is_placeholder && !names.contains(name)) missing.push_back(name);
  }
  return missing;
}

TEST_F(Pages, CiteFilesThatExistAlsoInComments) {
  const std::set<std::string> names = citable_names();
  for (const SourceFile& file : read_sources(Folders)) {
    for (std::size_t at = file.content.find("//"); at != std::string::npos;) {
      const std::string comment = file.content.substr(at, file.content.find('\n', at) - at);
      at = file.content.find("//", at + comment.size());
      // The expression takes long to find nothing.
      if (comment.find('.') == std::string::npos) continue;
      for (const std::string& name : names_of_no_file(comment, names))
        ADD_FAILURE() << file.path << " cites " << name << ", which is not there";
    }
  }
  for (const char* page :
       {"README.md", "CONTRIBUTING.md", "docs/architecture.md", "docs/algorithms.md"}) {
    for (const std::string& name : names_of_no_file(read_file_at(page), names))
      ADD_FAILURE() << page << " cites " << name << ", which is not there";
  }
}

}  // namespace
}  // namespace thallo::test
