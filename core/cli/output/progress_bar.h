// Shows the progress of long work as one line on stderr with a bar, the rate and the remaining
// time. The line is rewritten in place and wiped at the end, so it does not remain between the
// results. If stderr is not a terminal, nothing is shown.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace thallo::cli {

class ProgressBar {
 public:
  // `total` is the number of steps. If it is 0, the number is unknown: steps are counted without a
  // bar.
  ProgressBar(std::string label, std::int64_t total);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  // Redraws the line, at most ten times a second. `note` is shown at its end, for example the
  // current item.
  void update(std::int64_t done, std::string_view note = {});
  // Wipes the line so that something else can be printed; the next update redraws it.
  void clear();

 private:
  using Clock = std::chrono::steady_clock;
  std::string label_;
  std::int64_t total_;
  bool on_terminal_;
  bool is_drawn_ = false;
  Clock::time_point start_ = Clock::now();
  Clock::time_point drawn_;
};

// "[########------------]  40 %  12.3/s  1:05 left", as drawn behind the label.
std::string progress_text(std::int64_t done, std::int64_t total, double seconds);

}  // namespace thallo::cli
