#include "tests/support/processes.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace thallo::test {
namespace {

// The state and the parent of a process; of one that is not there an empty state.
struct ProcessState {
  char state = 0;
  int parent = 0;
};
ProcessState state_of(int process) {
  std::ifstream file(fmt::format("/proc/{}/stat", process));
  std::string text;
  std::getline(file, text);
  ProcessState result;
  // The name before, in parentheses, may have spaces.
  if (const auto end = text.rfind(')'); end != std::string::npos)
    std::istringstream(text.substr(end + 1)) >> result.state >> result.parent;
  return result;
}

}  // namespace

bool is_running(int process) {
  const char state = state_of(process).state;
  return state != 0 && state != 'Z';
}

std::vector<int> children_of(int process) {
  std::vector<int> children;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const std::string name = entry.path().filename();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    const int child = std::stoi(name);
    if (state_of(child).parent == process && is_running(child)) children.push_back(child);
  }
  return children;
}

}  // namespace thallo::test
