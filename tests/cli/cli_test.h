// Runs the program `thallo` that was just built, with the test problem 'tiny' (tiny_problem.cpp).
#pragma once

#include <string>
#include <vector>

#include "tests/support/subprocess.h"
#include "tests/support/temp_dir.h"

namespace thallo::test {

enum Exit { Ok = 0, GoalMissed = 1, User = 2, Device = 3, Internal = 4 };

// Quiet unless told otherwise, and with a kernel cache of its own.
ProcessResult thallo(std::vector<std::string> arguments, std::vector<std::string> environment = {});

}  // namespace thallo::test
