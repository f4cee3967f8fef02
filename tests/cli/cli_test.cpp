#include "tests/cli/cli_test.h"

namespace thallo::test {

ProcessResult thallo(std::vector<std::string> arguments, std::vector<std::string> environment) {
  arguments.insert(arguments.begin(), {THALLO_PROGRAM, "--plugin-path", THALLO_TINY_FOLDER});
  environment.insert(environment.begin(), "THALLO_LOG=warn");
  return run_process(arguments, environment);
}

}  // namespace thallo::test
