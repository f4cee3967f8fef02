#include "tests/lint/source_tree.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <sstream>

namespace thallo::test {

namespace fs = std::filesystem;

std::string source_root() { return THALLO_SOURCE_DIR; }

bool has_source_tree() { return fs::is_directory(fs::path(source_root()) / "core"); }

namespace {

using Extensions = std::initializer_list<std::string_view>;

void read_folder(const fs::path& folder, Extensions extensions, std::vector<SourceFile>& files) {
  if (!fs::is_directory(folder)) return;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    const std::string extension = entry.path().extension().string();
    if (std::ranges::find(extensions, extension) == extensions.end()) continue;
    const std::string path = fs::relative(entry.path(), source_root()).generic_string();
    files.push_back({path, read_file_at(path)});
  }
}

}  // namespace

std::string read_file_at(const std::string& path) {
  std::ostringstream content;
  content << std::ifstream(fs::path(source_root()) / path).rdbuf();
  return content.str();
}

std::vector<SourceFile> read_sources(const std::vector<std::string>& folders) {
  std::vector<SourceFile> files;
  for (const std::string& folder : folders)
    read_folder(fs::path(source_root()) / folder, {".h", ".cpp"}, files);
  std::ranges::sort(files, {}, &SourceFile::path);
  return files;
}

std::vector<SourceFile> read_pages(const std::vector<std::string>& folders) {
  std::vector<SourceFile> files;
  read_folder(fs::path(source_root()) / "docs", {".md"}, files);
  for (const std::string& folder : folders)
    read_folder(fs::path(source_root()) / folder, {".md"}, files);
  for (const char* page : {"README.md", "CONTRIBUTING.md", "CHANGELOG.md"})
    files.push_back({page, read_file_at(page)});
  std::ranges::sort(files, {}, &SourceFile::path);
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
