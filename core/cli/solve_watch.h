// Follows a run: prints the iteration table as it grows, keeps the startup clock, shows a progress
// line while kernels are compiled and whenever the table is not printed, and makes Ctrl-C cancel
// the run but keep its report (a second Ctrl-C ends the process).
#pragma once

#include <cstddef>
#include <optional>
#include <stop_token>

#include "core/cli/interrupt.h"
#include "core/cli/progress_bar.h"
#include "core/cli/startup_clock.h"
#include "core/problem/driver.h"

namespace thallo::cli {

class SolveWatch {
 public:
  // If `prints_table` is set, the iteration table goes to stdout.
  SolveWatch(StartupClock& clock, bool prints_table);
  SolveWatch(const SolveWatch&) = delete;
  SolveWatch& operator=(const SolveWatch&) = delete;

  // The progress callback and the stop token to use in the request.
  void operator()(const RunProgress& progress);
  void show_compiled(std::size_t done, std::size_t total);
  std::stop_token stop() const { return interrupt_.stop(); }

 private:
  void follow_startup(const RunProgress& progress);
  void print_iteration(const RunProgress& progress);

  StartupClock& clock_;
  InterruptWatch interrupt_;
  bool prints_table_;
  bool in_startup_ = true;
  RunStage stage_ = RunStage::Energy;
  std::int64_t num_iterations_ = 0;
  ProgressBar bar_{"solving", 0};
  std::optional<ProgressBar> compile_bar_;  // present while kernels are compiled
};

}  // namespace thallo::cli
