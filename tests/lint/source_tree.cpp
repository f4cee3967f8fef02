#include "tests/lint/source_tree.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace thallo::test {

namespace fs = std::filesystem;

std::string source_root() { return THALLO_SOURCE_DIR; }

bool has_source_tree() { return fs::is_directory(fs::path(source_root()) / "core"); }

std::vector<SourceFile> read_sources(const std::vector<std::string>& folders) {
  std::vector<SourceFile> files;
  for (const std::string& folder : folders) {
    const fs::path top = fs::path(source_root()) / folder;
    if (!fs::is_directory(top)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(top)) {
      const fs::path& path = entry.path();
      if (path.extension() != ".h" && path.extension() != ".cpp") continue;
      std::ostringstream content;
      content << std::ifstream(path).rdbuf();
      files.push_back({fs::relative(path, source_root()).generic_string(), content.str()});
    }
  }
  std::sort(files.begin(), files.end(),
            [](const SourceFile& a, const SourceFile& b) { return a.path < b.path; });
  return files;
}

std::vector<Include> find_includes(std::string_view content) {
  std::vector<Include> includes;
  int line = 0;
  while (!content.empty()) {
    ++line;
    const std::size_t end = std::min(content.find('\n'), content.size());
    std::string_view text = content.substr(0, end);
    content.remove_prefix(std::min(end + 1, content.size()));

    const auto skip_blanks = [&] {
      text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
    };
    const auto skip = [&](std::string_view word) {
      skip_blanks();
      if (!text.starts_with(word)) return false;
      text.remove_prefix(word.size());
      return true;
    };
    if (!skip("#") || !skip("include")) continue;
    skip_blanks();
    if (text.empty() || (text.front() != '"' && text.front() != '<')) continue;
    const bool quoted = text.front() == '"';
    text.remove_prefix(1);
    const std::size_t close = text.find(quoted ? '"' : '>');
    if (close == std::string_view::npos) continue;
    includes.push_back({std::string(text.substr(0, close)), quoted, line});
  }
  return includes;
}

}  // namespace thallo::test
