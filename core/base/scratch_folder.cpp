#include "core/base/scratch_folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string_view>
#include <utility>

#include "core/base/stop_scope.h"

extern char** environ;

namespace thallo {
namespace {

namespace fs = std::filesystem;

// What a signal handler can see of the folders: no locks, and no memory that moves.
struct FolderEntry {
  std::atomic<bool> is_taken = false;
  std::atomic<bool> is_complete = false;  // `path` may be read
  std::atomic<pid_t> group = 0;           // process group of the program that runs; 0: none
  std::atomic<int> alive = -1;            // see AliveFile
  std::array<char, 256> path = {};
};
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<pid_t>::is_always_lock_free);
std::array<FolderEntry, 512> folders;

std::atomic<bool> is_ending = false;  // no folder is made and no program is started any more
// How many threads are making a folder or starting a program, which the table does not show yet.
std::atomic<int> num_changing = 0;

// While the process ends, a thread that needs a folder stops here: what it would do next, such as
// reporting that a compiler was killed, is not wanted any more.
[[noreturn]] void wait_for_end() {
  while (true) pause();
}

// While one is alive, its thread changes the table: signals whose handlers may end the process
// wait, so that no handler interrupts the change and then waits for it, and handlers on other
// threads wait until it is done.
class TableChange {
 public:
  TableChange() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
    ++num_changing;
    if (!is_ending) return;
    end();
    wait_for_end();
  }
  ~TableChange() { end(); }
  TableChange(const TableChange&) = delete;
  TableChange& operator=(const TableChange&) = delete;

  // The signals that were blocked before.
  const sigset_t& signals_before() const { return before_; }

 private:
  void end() {
    --num_changing;
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }

  sigset_t before_;
};

// Absent when the table is full or the path too long; then a signal's handler leaves the folder.
std::optional<std::size_t> add_entry(const std::string& path) {
  for (std::size_t i = 0; i < folders.size() && path.size() < folders[i].path.size(); ++i) {
    if (folders[i].is_taken.exchange(true)) continue;
    std::strcpy(folders[i].path.data(), path.c_str());
    folders[i].is_complete = true;
    return i;
  }
  return std::nullopt;
}

void sleep_a_millisecond() {
  const timespec pause{.tv_sec = 0, .tv_nsec = 1'000'000};
  nanosleep(&pause, nullptr);
}

// A program and all that it starts have the end of a pipe as this file. Its other end says when
// they have all ended, also where nobody asks the system for the ends of orphans.
constexpr int AliveFile = 3;

// Returns true once all have ended, or false after some time.
bool have_ended(int alive, int milliseconds) {
  pollfd end{.fd = alive, .events = POLLIN, .revents = 0};
  return poll(&end, 1, milliseconds) > 0;
}

// A killed process can live on for a moment, in which it might write into its folder.
constexpr int MaxWaits = 1000;

// Removes the files of a folder by system calls alone, as a signal handler must.
void remove_files(const char* path) {
  const int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return;
  alignas(dirent64) std::array<char, 4096> buffer;
  for (long size = 0; (size = syscall(SYS_getdents64, folder, buffer.data(), buffer.size())) > 0;) {
    for (long at = 0; at < size;) {
      const auto* entry = reinterpret_cast<const dirent64*>(buffer.data() + at);
      unlinkat(folder, entry->d_name, 0);  // fails for "." and ".."
      at += entry->d_reclen;
    }
  }
  close(folder);
}

// Removes a folder of files. Another thread may be about to write a file into it.
void remove_folder(const char* path) {
  for (int i = 0; i < MaxWaits; ++i) {
    remove_files(path);
    if (rmdir(path) == 0 || errno != ENOTEMPTY) return;
    sleep_a_millisecond();
  }
}

// This process's environment with another TMPDIR, and in no language but English.
class ChildEnvironment {
 public:
  explicit ChildEnvironment(const fs::path& temporary) : tmpdir_("TMPDIR=" + temporary.string()) {
    for (char** entry = environ; *entry != nullptr; ++entry) {
      const std::string_view text = *entry;
      if (!text.starts_with("TMPDIR=") && !text.starts_with("LC_ALL=")) pointers_.push_back(*entry);
    }
    pointers_.push_back(tmpdir_.data());
    pointers_.push_back(english_.data());
    pointers_.push_back(nullptr);
  }
  char** data() { return pointers_.data(); }

 private:
  std::string tmpdir_;
  std::string english_ = "LC_ALL=C";
  std::vector<char*> pointers_;
};

// Starts a program in a process group of its own, with these signals blocked; 0 when it could
// not be started.
pid_t start(const std::vector<std::string>& arguments, const fs::path& output, int alive,
            char** environment, const sigset_t& blocked) {
  std::vector<char*> argv;
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output.c_str(),
                                   O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  posix_spawn_file_actions_adddup2(&actions, alive, AliveFile);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
  posix_spawnattr_setsigmask(&attributes, &blocked);
  pid_t child = 0;
  const int failed = posix_spawn(&child, argv[0], &actions, &attributes, argv.data(), environment);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return failed == 0 ? child : 0;
}

// Leaves its number to it, so that it is not given to another process.
bool has_ended(pid_t child) {
  siginfo_t ended{};
  const int asked = waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOWAIT | WNOHANG);
  return asked != 0 ? errno != EINTR : ended.si_pid == child;
}

}  // namespace

Expected<ScratchFolder> ScratchFolder::make() {
  std::error_code error;
  const fs::path parent = fs::temp_directory_path(error);
  std::string name = (parent / "thallo-XXXXXX").string();
  const TableChange change;
  if (!error && mkdtemp(name.data()) != nullptr) return ScratchFolder(name);
  const char* chosen = std::getenv("TMPDIR");
  return fail("no temporary folder can be made in {}: {}; TMPDIR names another place",
              error && chosen != nullptr ? chosen : parent.string(),
              error ? error.message() : std::strerror(errno));
}

ScratchFolder::ScratchFolder(fs::path path)
    : path_(std::move(path)), entry_(add_entry(path_.string())) {}

ScratchFolder::ScratchFolder(ScratchFolder&& other) noexcept
    : path_(std::exchange(other.path_, {})), entry_(std::exchange(other.entry_, std::nullopt)) {}

ScratchFolder::~ScratchFolder() {
  if (path_.empty()) return;  // moved from
  if (is_ending) wait_for_end();
  std::error_code ignored;
  fs::remove_all(path_, ignored);
  if (!entry_) return;
  folders[*entry_].is_complete = false;
  folders[*entry_].is_taken = false;
}

int ScratchFolder::run(const std::vector<std::string>& arguments, const fs::path& output,
                       const std::stop_token& stop) const {
  constexpr int PollMilliseconds = 50;
  constexpr int NotStarted = 127;
  ChildEnvironment environment(path_);
  std::array<int, 2> alive{};
  if (pipe2(alive.data(), O_CLOEXEC) != 0) return NotStarted;
  pid_t child = 0;
  {
    const TableChange change;
    child = start(arguments, output, alive[1], environment.data(), change.signals_before());
    set_running(child, alive[0]);
  }
  close(alive[1]);
  bool is_killed = false;
  while (child != 0 && !has_ended(child)) {
    // What has closed its file may still run.
    if (have_ended(alive[0], PollMilliseconds)) sleep_a_millisecond();
    if (is_killed || !(stop.stop_requested() || StopScope::is_stop_requested())) continue;
    kill(-child, SIGKILL);
    is_killed = true;
  }
  if (is_ending) wait_for_end();  // the handler waits for the program
  set_running(0, -1);
  int status = 0;
  while (child != 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  if (is_killed) have_ended(alive[0], MaxWaits);
  close(alive[0]);
  if (is_killed) check_stop();
  if (child == 0) return NotStarted;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

void ScratchFolder::set_running(pid_t group, int alive) const {
  if (!entry_) return;
  folders[*entry_].group = group;
  folders[*entry_].alive = alive;
}

void abandon_scratch_folders() {
  is_ending = true;
  while (num_changing > 0) sleep_a_millisecond();
  std::array<pid_t, folders.size()> groups = {};  // a thread may still note that its program ended
  for (std::size_t i = 0; i < folders.size(); ++i) {
    groups[i] = folders[i].group;
    if (groups[i] > 0) kill(-groups[i], SIGKILL);
  }
  for (std::size_t i = 0; i < folders.size(); ++i) {
    if (!folders[i].is_complete) continue;
    if (groups[i] > 0) {
      waitpid(groups[i], nullptr, 0);
      have_ended(folders[i].alive, MaxWaits);
    }
    remove_folder(folders[i].path.data());
  }
}

}  // namespace thallo
