// `thallo explore` in tests, with a folder of each test's own.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <string>
#include <utility>
#include <vector>

#include "tests/cli/thallo_process.h"
#include "tests/support/temp_dir.h"

namespace thallo::test {

class ExploreCommand : public testing::Test {
 protected:
  // `always` are arguments of every run.
  explicit ExploreCommand(std::vector<std::string> always = {}) : always_(std::move(always)) {}

  std::string path(const std::string& name) const { return (folder_.path() / name).string(); }
  ProcessResult explore(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), "explore");
    arguments.insert(arguments.end(), always_.begin(), always_.end());
    return thallo(arguments);
  }
  nlohmann::json explored(std::vector<std::string> arguments) const {
    arguments.emplace_back("--json");
    const ProcessResult result = explore(arguments);
    EXPECT_EQ(result.exit_code, Ok) << result.err;
    return json_of(result);
  }
  void expect_fault(const std::vector<std::string>& arguments, const std::string& message) const {
    const ProcessResult result = explore(arguments);
    EXPECT_EQ(result.exit_code, User) << result.err;
    EXPECT_THAT(result.err, testing::HasSubstr(message));
    EXPECT_EQ(result.out, "");
  }

  TempDir folder_;
  std::vector<std::string> always_;
};

}  // namespace thallo::test
