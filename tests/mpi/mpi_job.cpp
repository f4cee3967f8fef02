#include "tests/mpi/mpi_job.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

#include "tests/support/processes.h"

namespace thallo::test {
namespace {

constexpr const char* MpiRun = "/usr/bin/mpirun";

std::vector<std::string> joined(std::vector<std::string> one, const std::vector<std::string>& two) {
  one.insert(one.end(), two.begin(), two.end());
  return one;
}

}  // namespace

std::string why_no_job() {
  if (!std::filesystem::exists(MpiRun)) return "there is no /usr/bin/mpirun";
  if (!std::filesystem::exists(THALLO_MPI_PLUGIN)) return "Thallo was built without Open MPI";
  return "";
}

std::vector<std::string> exploring(const std::vector<std::string>& arguments) {
  return joined({THALLO_PROGRAM, "--plugin-path", THALLO_TINY_FOLDER, "explore"},
                joined(arguments, {"--backend", "cpu", "--threads", "1"}));
}

std::vector<std::string> job_command(int num_processes, const std::vector<std::string>& arguments) {
  return joined(
      {MpiRun, "--oversubscribe", "--allow-run-as-root", "-n", std::to_string(num_processes)},
      exploring(arguments));
}

RunningJob::RunningJob(const std::vector<std::string>& command) {
  std::vector<std::string> words = command;
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_ = fork();
  if (pid_ != 0) return;
  const int nowhere = open("/dev/null", O_RDWR);
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) dup2(nowhere, stream);
  execv(arguments[0], arguments.data());
  _exit(127);
}

RunningJob::~RunningJob() {
  if (pid_ == 0) return;
  for (const int process : processes()) kill(process, SIGKILL);
  wait();
}

std::vector<int> RunningJob::processes() const {
  std::vector<int> all = {pid_};
  for (std::size_t i = 0; i < all.size(); ++i)
    for (const int child : children_of(all[i])) all.push_back(child);
  return all;
}

int RunningJob::wait() {
  int status = 0;
  waitpid(pid_, &status, 0);
  pid_ = 0;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace thallo::test
