#include "tests/cli/thallo_process.h"

#include <utility>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace thallo::test {
namespace {

ProcessResult ended(Exit how, ProcessResult result, std::source_location at) {
  if (result.exit_code != how) {
    ADD_FAILURE_AT(at.file_name(), static_cast<int>(at.line()))
        << "exit code " << result.exit_code << " instead of " << how << "\n"
        << result.out << result.err;
  }
  return result;
}

}  // namespace

ProcessResult thallo(std::vector<std::string> arguments, std::vector<std::string> environment) {
  arguments.insert(arguments.begin(), {THALLO_PROGRAM, "--plugin-path", THALLO_TINY_FOLDER});
  environment.insert(environment.begin(), {"THALLO_LOG=warn", "THALLO_PYTHON=" THALLO_PYTHON});
  return run_process(arguments, environment);
}

ProcessResult succeeded(ProcessResult result, std::source_location at) {
  return ended(Ok, std::move(result), at);
}

ProcessResult refused(ProcessResult result, std::source_location at) {
  return ended(User, std::move(result), at);
}

nlohmann::json json_of(const ProcessResult& result) {
  auto json = nlohmann::json::parse(result.out, nullptr, false);
  EXPECT_FALSE(json.is_discarded()) << "no JSON on stdout:\n" << result.out << result.err;
  return json;
}

}  // namespace thallo::test
