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
  return json_of(succeeded(explore(arguments)));
}

void ExploreCommand::expect_fault(const std::vector<std::string>& arguments,
                                  const std::string& message) const {
  const ProcessResult result = refused(explore(arguments));
  EXPECT_THAT(result.err, testing::HasSubstr(message));
  EXPECT_EQ(result.out, "");
}

}  // namespace thallo::test
