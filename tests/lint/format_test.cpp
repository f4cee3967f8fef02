// All sources are as clang-format 14 leaves them (./dev format). Other versions differ in details,
// so the test is skipped with them.
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <memory>
#include <set>
#include <string>

#include <fmt/format.h>

#include "core/base/hash.h"
#include "tests/lint/source_tree.h"

namespace thallo::test {
namespace {

std::string output_of(const std::string& command) {
  struct Close {
    void operator()(FILE* pipe) const { pclose(pipe); }
  };
  const std::unique_ptr<FILE, Close> pipe(popen(command.c_str(), "r"));
  std::string output;
  char block[4096];
  while (pipe && fgets(block, sizeof(block), pipe.get())) output += block;
  return output;
}

std::set<std::string> hashes_in(const std::string& path) {
  std::ifstream file(path);
  std::set<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.insert(line);
  return lines;
}

TEST(Format, EveryFileIsFormatted) {
  if (!has_source_tree()) GTEST_SKIP() << "no source tree at " << source_root();
  const std::string version = output_of("clang-format --version 2>/dev/null");
  if (version.empty()) GTEST_SKIP() << "clang-format is not installed";
  if (version.find("version 14.") == std::string::npos)
    GTEST_SKIP() << "wanted is clang-format 14, found is " << version;

  // The build folder keeps the hashes of the files that were found formatted: it takes five seconds
  // to look at all, and few have changed.
  const std::set<std::string> known = hashes_in(THALLO_FORMATTED_FILES);
  const std::string rules = version + read_file_at(".clang-format");
  std::string formatted;
  std::string command = fmt::format("cd '{}' && clang-format --dry-run 2>&1", source_root());
  bool is_any_new = false;
  for (const SourceFile& file : read_sources({"core", "plugins", "problems", "gui", "tests"})) {
    const std::string hash =
        Hasher().update(rules).update(file.path).update(file.content).finish().hex();
    formatted += hash + '\n';
    if (known.contains(hash)) continue;
    is_any_new = true;
    command += fmt::format(" '{}'", file.path);
  }
  if (!is_any_new) return;
  const std::string complaints = output_of(command);
  EXPECT_TRUE(complaints.empty()) << "run ./dev format:\n" << complaints.substr(0, 2000);
  if (complaints.empty()) std::ofstream(THALLO_FORMATTED_FILES) << formatted;
}

}  // namespace
}  // namespace thallo::test
