// Runs the program `thallo` that was just built, with the test problem 'tiny' (tiny_problem.cpp).
#pragma once

#include <source_location>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "tests/support/subprocess.h"
#include "tests/support/temp_dir.h"

namespace thallo::test {

enum Exit { Ok = 0, GoalMissed = 1, User = 2, Device = 3, Internal = 4 };

// With THALLO_LOG=warn, whatever this process has, and with the Python that has numpy.
ProcessResult thallo(std::vector<std::string> arguments, std::vector<std::string> environment = {});

// Return the result, and expect that the program ended with Ok or User.
ProcessResult succeeded(ProcessResult result,
                        std::source_location at = std::source_location::current());
ProcessResult refused(ProcessResult result,
                      std::source_location at = std::source_location::current());

// Standard output as JSON; expects that it is.
nlohmann::json json_of(const ProcessResult& result);

}  // namespace thallo::test
