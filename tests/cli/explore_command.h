// `thallo explore` in tests, with a folder of each test's own.
#pragma once

#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json_fwd.hpp>

#include "tests/cli/thallo_process.h"
#include "tests/support/temp_dir.h"

namespace thallo::test {

class ExploreCommand : public testing::Test {
 protected:
  std::string path(const std::string& name) const { return (folder_.path() / name).string(); }
  // Runs it with these arguments and those of always_.
  ProcessResult explore(std::vector<std::string> arguments) const;
  // Expects that it succeeds; returns what it prints with --json.
  nlohmann::json explored(std::vector<std::string> arguments) const;
  // Expects that it prints this message of a user's fault, and nothing else.
  void expect_fault(const std::vector<std::string>& arguments, const std::string& message) const;

  TempDir folder_;
  std::vector<std::string> always_;
};

}  // namespace thallo::test
