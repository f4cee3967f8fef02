#include "tests/cli/explore_command.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace thallo::test {

ProcessResult ExploreCommand::explore(std::vector<std::string> arguments) const {
  arguments.insert(arguments.begin(), "explore");
  arguments.insert(arguments.end(), always_.begin(), always_.end());
  return thallo(arguments);
}

nlohmann::json ExploreCommand::explored(std::vector<std::string> arguments) const {
  arguments.emplace_back("--json");
  const ProcessResult result = explore(arguments);
  EXPECT_EQ(result.exit_code, Ok) << result.err;
  return json_of(result);
}

void ExploreCommand::expect_fault(const std::vector<std::string>& arguments,
                                  const std::string& message) const {
  const ProcessResult result = explore(arguments);
  EXPECT_EQ(result.exit_code, User) << result.err;
  EXPECT_THAT(result.err, testing::HasSubstr(message));
  EXPECT_EQ(result.out, "");
}

}  // namespace thallo::test
