#include "tests/cli/thallo_process.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace thallo::test {

ProcessResult thallo(std::vector<std::string> arguments, std::vector<std::string> environment) {
  arguments.insert(arguments.begin(), {THALLO_PROGRAM, "--plugin-path", THALLO_TINY_FOLDER});
  environment.insert(environment.begin(), {"THALLO_LOG=warn", "THALLO_PYTHON=" THALLO_PYTHON});
  return run_process(arguments, environment);
}

nlohmann::json json_of(const ProcessResult& result) {
  auto json = nlohmann::json::parse(result.out, nullptr, false);
  EXPECT_FALSE(json.is_discarded()) << "no JSON on stdout:\n" << result.out << result.err;
  return json;
}

}  // namespace thallo::test
