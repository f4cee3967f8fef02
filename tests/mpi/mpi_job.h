// Runs `thallo explore` by mpirun, on the cpu with one thread.
#pragma once

#include <string>
#include <vector>

namespace thallo::test {

// Why there can be no job here; empty if there can.
std::string why_no_job();

// mpirun and its arguments, to explore by so many processes.
std::vector<std::string> job_command(int num_processes, const std::vector<std::string>& arguments);
// How thallo is started without mpirun, to explore the same.
std::vector<std::string> exploring(const std::vector<std::string>& arguments);

// A process that runs until it ends or is killed.
class RunningJob {
 public:
  // Standard output and errors go nowhere.
  explicit RunningJob(const std::vector<std::string>& command);
  RunningJob(const RunningJob&) = delete;
  RunningJob& operator=(const RunningJob&) = delete;
  ~RunningJob();  // kills it with its descendants

  // mpirun first, then ranks, then their workers, as far as they run.
  std::vector<int> processes() const;
  // Returns the exit code, or -1 if a signal has ended it.
  int wait();

 private:
  int pid_ = 0;
};

}  // namespace thallo::test
