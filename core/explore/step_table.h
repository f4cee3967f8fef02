#pragma once

// The times of steps on one device, and what the times of schedules are when they are composed of
// them: a schedule shares most of its steps with others, so that each is timed once.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/explore/store_records.h"
#include "core/explore/work/worker_answers.h"

namespace thallo {

class StepTable {
 public:
  // The iterations that schedules are composed for. Of the device the costs beside those of steps
  // count, of the loop and of the host.
  StepTable(IterationCounts counts, DeviceSpec device)
      : counts_(counts), device_(std::move(device)) {}
  StepTable() = default;

  void add(const StepSamples& samples);
  // Is the time known, or why there is none?
  bool knows(const std::string& key) const;

  // How often a phase runs in a nonlinear iteration.
  double runs(Phase phase) const;

  // Composed is the time of a nonlinear iteration without what happens once in a solve. A step that
  // has no time for a reason makes the result NotRun, as does one that nothing is known of. Without
  // slot and origin.
  ScheduleResult compose(const PreparedSchedule& prepared) const;

 private:
  struct Times {
    std::optional<double> hot, evicted;
    std::string reason;  // why it has none
  };
  IterationCounts counts_;
  DeviceSpec device_;
  std::map<std::string, Times> times_;
};

// Equal for schedules whose programs have the same steps in the same phases, which then is one
// program.
std::string program_of(const PreparedSchedule& prepared);

// What was timed of a step as a store keeps it: with hot caches, and with evicted ones. Of the
// slot, the problem and the device are used.
std::vector<StepSamples> samples_of(const TimedStep& step, const StepSlot& slot,
                                    const Origin& origin);

}  // namespace thallo
