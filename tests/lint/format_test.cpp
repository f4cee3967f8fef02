// All sources are as clang-format 14 leaves them (./dev format). Other versions differ in details,
// so the test is skipped with them.
#include <gtest/gtest.h>

#include <cstdio>
#include <memory>
#include <string>

#include <fmt/format.h>

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

TEST(Format, EveryFileIsFormatted) {
  if (!has_source_tree()) GTEST_SKIP() << "no source tree at " << source_root();
  const std::string version = output_of("clang-format --version 2>/dev/null");
  if (version.empty()) GTEST_SKIP() << "clang-format is not installed";
  if (version.find("version 14.") == std::string::npos)
    GTEST_SKIP() << "wanted is clang-format 14, found is " << version;

  std::string command = fmt::format("cd '{}' && clang-format --dry-run 2>&1", source_root());
  for (const SourceFile& file : read_sources({"core", "plugins", "problems", "gui", "tests"}))
    command += fmt::format(" '{}'", file.path);
  const std::string complaints = output_of(command);
  EXPECT_TRUE(complaints.empty()) << "run ./dev format:\n" << complaints.substr(0, 2000);
}

}  // namespace
}  // namespace thallo::test
