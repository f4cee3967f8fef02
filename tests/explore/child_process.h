// Runs work in a process of its own, as a second program on the same store would.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <functional>

namespace thallo::test {

// Runs `work` in a process of its own, which ends with what it returns.
inline pid_t start(const std::function<int()>& work) {
  const pid_t child = fork();
  if (child == 0) _exit(work());
  return child;
}

// The exit code; -1 if it was ended by a signal.
inline int wait_for(pid_t child) {
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace thallo::test
