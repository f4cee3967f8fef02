// The files of our own source tree, as the lint tests read them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace thallo::test {

struct SourceFile {
  std::string path;  // from the repository root: "core/ir/graph.h"
  std::string content;

  bool is_header() const { return path.ends_with(".h"); }
};

struct Include {
  std::string target;  // "core/ir/graph.h" or "fmt/format.h"
  bool quoted = false;
  int line = 0;
};

// All .h and .cpp files below the named top-level folders, sorted by path; folders may be absent.
std::vector<SourceFile> read_sources(const std::vector<std::string>& folders);
// All .md files of the tree: of these folders, of docs and of the root.
std::vector<SourceFile> read_pages(const std::vector<std::string>& folders);
// The content of one file; empty when there is none.
std::string read_file_at(const std::string& path);

std::vector<Include> find_includes(std::string_view content);

// Whether the source tree is still where it was when this test was built.
bool has_source_tree();
std::string source_root();

}  // namespace thallo::test
