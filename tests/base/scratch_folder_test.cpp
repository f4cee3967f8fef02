#include "core/base/scratch_folder.h"

#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>
#include <vector>

#include "tests/support/scoped_env.h"
#include "tests/support/temp_dir.h"

namespace thallo::test {
namespace {

namespace fs = std::filesystem;

void end_process(int) {
  abandon_scratch_folders();
  std::_Exit(0);
}

// Makes folders, writes into them and runs programs there, until the process ends. A program that a
// signal's handler has killed must not be seen to fail: the process would report it.
[[noreturn]] void use_folders() {
  while (true) {
    const auto folder = ScratchFolder::make();
    if (!folder) std::_Exit(1);
    std::ofstream(folder->path() / "a") << 'a';
    if (folder->run({"/bin/true"}, folder->path() / "output") != 0) std::_Exit(1);
  }
}

// The process that a signal ends while four of its threads use folders.
[[noreturn]] void run_until_signal(int ready) {
  std::signal(SIGTERM, end_process);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back(use_folders);
  [[maybe_unused]] const ssize_t written = write(ready, "r", 1);
  while (true) pause();
}

TEST(ScratchFolder, ASignalThatEndsTheProcessLeavesNoFolder) {
  const TempDir temporary;
  const ScopedEnv tmpdir("TMPDIR", temporary.path().c_str());
  for (int round = 0; round < 40; ++round) {
    std::array<int, 2> ready{};
    ASSERT_EQ(pipe(ready.data()), 0);
    const pid_t process = fork();
    if (process == 0) run_until_signal(ready[1]);
    char byte = 0;
    ASSERT_EQ(read(ready[0], &byte, 1), 1);
    usleep(static_cast<useconds_t>(500 * round));  // so that the signal finds the threads elsewhere
    kill(process, SIGTERM);
    int status = 0;
    ASSERT_EQ(waitpid(process, &status, 0), process);
    close(ready[0]);
    close(ready[1]);
    EXPECT_EQ(status, 0) << "round " << round;
    ASSERT_TRUE(fs::is_empty(temporary.path())) << "round " << round;
  }
}

}  // namespace
}  // namespace thallo::test
