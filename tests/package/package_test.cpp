// The way of somebody who writes a problem outside of the tree: install Thallo, let it write the
// problem, build that against the installed package, and solve it with the installed program.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/support/subprocess.h"
#include "tests/support/temp_dir.h"

namespace thallo::test {
namespace {

using testing::HasSubstr;
using testing::Not;

// Its output where it fails.
std::string run(const std::vector<std::string>& arguments) {
  const auto result = run_process(arguments, {"THALLO_LOG=warn"}, std::chrono::seconds(120));
  EXPECT_EQ(result.exit_code, 0) << testing::PrintToString(arguments) << "\n"
                                 << result.out << result.err;
  return result.out;
}

TEST(Package, ANewProblemBuildsAgainstTheInstalledThallo) {
  const TempDir folder;
  const std::string prefix = (folder.path() / "installed").string();
  const std::string problem = (folder.path() / "tv_denoise").string();
  const std::string build = problem + "/build";
  const std::string thallo = prefix + "/bin/thallo";

  run({THALLO_CMAKE, "--install", THALLO_BUILD_DIR, "--prefix", prefix});
  run({thallo, "new", "problem", "tv_denoise", "--dir", folder.path().string()});
  run({THALLO_CMAKE, "-G", "Ninja", "-S", problem, "-B", build, "-DCMAKE_PREFIX_PATH=" + prefix,
       "-DCMAKE_BUILD_TYPE=Debug", "-DCMAKE_CXX_COMPILER=" THALLO_COMPILER_PATH,
       "-DCMAKE_CXX_FLAGS=-Wall -Wextra -Werror"});
  ASSERT_FALSE(HasFailure());
  run({THALLO_CMAKE, "--build", build});
  ASSERT_FALSE(HasFailure());

  const std::string plugins = build + "/lib/thallo/problems";
  EXPECT_THAT(run({thallo, "--plugin-path", plugins, "problems"}), HasSubstr("\ntv_denoise\n"));
  EXPECT_THAT(run({thallo, "--plugin-path", plugins, "solve", "tv_denoise", "--backend",
                   "interpreter", "--size", "16"}),
              HasSubstr("RMS error after"));
  run({THALLO_CMAKE, "-E", "chdir", build, THALLO_CMAKE_TEST, "--output-on-failure"});

  EXPECT_THAT(run({thallo, "problems"}), Not(HasSubstr("tv_denoise")));
  run({THALLO_CMAKE, "--install", build, "--prefix", prefix});
  EXPECT_THAT(run({thallo, "problems"}), HasSubstr("\ntv_denoise\n"));
}

}  // namespace
}  // namespace thallo::test
