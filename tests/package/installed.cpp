#include "tests/package/installed.h"

#include <gtest/gtest.h>

#include <chrono>

#include "tests/support/subprocess.h"
#include "tests/support/temp_dir.h"

namespace thallo::test {
namespace {

std::string run_checked(const std::vector<std::string>& arguments) {
  const auto result = run_process(arguments, {"THALLO_LOG=warn"}, std::chrono::seconds(120));
  EXPECT_EQ(result.exit_code, 0) << testing::PrintToString(arguments) << "\n"
                                 << result.out << result.err;
  return result.out;
}

}  // namespace

InstalledThallo::InstalledThallo(std::filesystem::path prefix) : prefix_(prefix.string()) {
  run_cmake({"--install", THALLO_BUILD_DIR, "--prefix", prefix_});
}

const InstalledThallo& InstalledThallo::shared() {
  static const TempDir folder;
  static const InstalledThallo thallo(folder.path() / "installed");
  return thallo;
}

std::string InstalledThallo::run(std::vector<std::string> arguments) const {
  arguments.insert(arguments.begin(), prefix_ + "/bin/thallo");
  return run_checked(arguments);
}

std::string InstalledThallo::build(const std::filesystem::path& source) const {
  const std::string folder = (source / "build").string();
  run_cmake({"-G", "Ninja", "-S", source.string(), "-B", folder, "-DCMAKE_PREFIX_PATH=" + prefix_,
             "-DCMAKE_BUILD_TYPE=Debug", "-DCMAKE_CXX_COMPILER=" THALLO_COMPILER_PATH,
             "-DCMAKE_CXX_FLAGS=-Wall -Wextra -Werror"});
  if (!testing::Test::HasFailure()) run_cmake({"--build", folder});
  return folder;
}

std::string InstalledThallo::run_cmake(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), THALLO_CMAKE);
  return run_checked(arguments);
}

}  // namespace thallo::test
