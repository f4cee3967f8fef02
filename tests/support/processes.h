// What the system says of processes.
#pragma once

#include <vector>

namespace thallo::test {

// Not those that have ended and wait for their parent.
std::vector<int> children_of(int process);
bool is_running(int process);

}  // namespace thallo::test
