// Runs a program as a user would, and keeps what it said.
#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace thallo::test {

struct ProcessResult {
  int exit_code = -1;  // -1: ended by a signal, or killed because it took too long
  std::string out;
  std::string err;
};

// `arguments[0]` is the program's path. `environment` are NAME=VALUE texts that are added to this
// process's own. stdin is empty. Throws std::system_error when the program cannot be started.
ProcessResult run_process(const std::vector<std::string>& arguments,
                          const std::vector<std::string>& environment = {},
                          std::chrono::seconds limit = std::chrono::seconds(50));

}  // namespace thallo::test
