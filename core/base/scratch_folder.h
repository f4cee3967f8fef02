// Runs programs, such as the host compiler, in temporary folders. A process that is ended by a
// signal must leave neither compilers nor folders behind; its signal handlers call
// abandon_scratch_folders().
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/diagnostic.h"

namespace thallo {

// A new temporary folder, which is removed with its contents at destruction.
class ScratchFolder {
 public:
  static Expected<ScratchFolder> make();
  ~ScratchFolder();
  ScratchFolder(ScratchFolder&& other) noexcept;
  ScratchFolder& operator=(ScratchFolder&&) = delete;

  const std::filesystem::path& path() const { return path_; }

  // Runs a program and writes its output and errors to a file; the program's own temporary files go
  // to this folder, and its messages are in English. Returns its exit status, 127 if it could not
  // be started, or minus the number of the signal that ended it. A `stop` kills it together with
  // all processes that it has started. So does the stop of a StopScope of this thread, after which
  // Stopped is thrown.
  int run(const std::vector<std::string>& arguments, const std::filesystem::path& output,
          const std::stop_token& stop = {}) const;

 private:
  explicit ScratchFolder(std::filesystem::path path);
  void set_running(pid_t group, int alive) const;

  std::filesystem::path path_;
  std::optional<std::size_t> entry_;  // into the table that abandon_scratch_folders() reads
};

// Kills the programs that run in folders of this process, with all processes that they have
// started, and removes the folders. May be called by a signal handler; afterwards, the process must
// end.
void abandon_scratch_folders();

}  // namespace thallo
