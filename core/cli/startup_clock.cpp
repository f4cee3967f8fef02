#include "core/cli/startup_clock.h"

#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <sstream>

namespace thallo::cli {
namespace {

// Returns the seconds from the start of this process until now, as the kernel counts them (usually
// in ticks of 10 ms). Field 22 of /proc/self/stat is the start in ticks since boot. The name in
// field 2 may contain any characters, so fields are counted from its closing parenthesis. Returns 0
// if the file cannot be read.
double seconds_since_process_start() {
  std::ifstream stat("/proc/self/stat");
  std::string text;
  std::getline(stat, text);
  const std::size_t name_end = text.rfind(')');
  if (name_end == std::string::npos) return 0;
  std::istringstream fields(text.substr(name_end + 1));
  std::string skipped;
  for (int field = 3; field < 22; ++field) fields >> skipped;
  double start_ticks = 0;
  timespec now = {};
  if (!(fields >> start_ticks) || clock_gettime(CLOCK_BOOTTIME, &now) != 0) return 0;
  const double ticks_per_second = static_cast<double>(sysconf(_SC_CLK_TCK));
  const double now_seconds =
      static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
  return std::max(0.0, now_seconds - start_ticks / ticks_per_second);
}

}  // namespace

StartupClock::StartupClock() { phases_.push_back({"process", seconds_since_process_start()}); }

void StartupClock::mark(std::string_view phase) {
  const Clock::time_point now = Clock::now();
  const double seconds = std::chrono::duration<double>(now - last_).count();
  last_ = now;
  const auto known = std::find_if(phases_.begin(), phases_.end(),
                                  [&](const Phase& other) { return other.name == phase; });
  if (known != phases_.end()) {
    known->seconds += seconds;
  } else {
    phases_.push_back({std::string(phase), seconds});
  }
}

double StartupClock::total_without(std::string_view excepted) const {
  double total = 0;
  for (const Phase& phase : phases_) {
    if (phase.name != excepted) total += phase.seconds;
  }
  return total;
}

}  // namespace thallo::cli
