// Programs that are run in temporary folders, as the host compiler is. A process that a signal ends
// must leave neither compilers nor folders behind: abandon_scratch_folders() is for its handlers.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/diagnostic.h"

namespace thallo {

// A new temporary folder, removed with its contents.
class ScratchFolder {
 public:
  static Expected<ScratchFolder> make();
  ~ScratchFolder();
  ScratchFolder(ScratchFolder&& other) noexcept;
  ScratchFolder& operator=(ScratchFolder&&) = delete;

  const std::filesystem::path& path() const { return path_; }

  // Runs a program, whose own temporary files are in this folder, and writes its output and errors
  // to a file. Returns its exit status, or -1 when it could not be started or did not exit
  // normally. `stop` kills it with all that it has started.
  int run(const std::vector<std::string>& arguments, const std::filesystem::path& output,
          const std::stop_token& stop = {}) const;

 private:
  explicit ScratchFolder(std::filesystem::path path);
  void set_group(pid_t group) const;

  std::filesystem::path path_;
  std::optional<std::size_t> entry_;  // in the table that abandon_scratch_folders() reads
};

// Kills the programs that run in folders of this process, with what they have started, and removes
// the folders. May be called by a signal handler; the process must end then.
void abandon_scratch_folders();

}  // namespace thallo
