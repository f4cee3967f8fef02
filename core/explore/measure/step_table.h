#pragma once

// The times of steps on one device, and the times of schedules composed from them. Schedules share
// most of their steps, so each step is timed only once.

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/explore/store/store_records.h"
#include "core/explore/worker/answers.h"

namespace thallo {

class StepTable {
 public:
  // `counts` are the iterations that schedules are composed for. The device contributes the costs
  // besides the steps: of the loop and of the host.
  StepTable(IterationCounts counts, DeviceSpec device)
      : counts_(counts), device_(std::move(device)) {}
  StepTable() = default;

  void add(const StepSamples& samples);
  // True if the step has a time, or a reason why it has none.
  bool knows(const std::string& key) const;

  // Returns how often a phase runs in a nonlinear iteration.
  double runs(Phase phase) const;

  // Composes the time of a nonlinear iteration, without what happens once per solve. If a step has
  // no time, whether for a known reason or because it was not measured, the result is NotRun. Slot
  // and origin are not set.
  ScheduleResult compose(const PreparedSchedule& prepared) const;

 private:
  struct Times {
    std::optional<double> hot, evicted;
    std::string reason;  // why the step has no time
  };
  IterationCounts counts_;
  DeviceSpec device_;
  std::map<std::string, Times> times_;
};

// Returns an identifier of the schedule's program. It is equal for schedules whose programs have
// the same steps in the same phases, that is, the same program.
std::string program_of(const PreparedSchedule& prepared);

// Returns the slots of a step's times, with hot caches and with evicted ones. Ignores the cache of
// `slot`.
std::vector<ResultSlot> slots_of(const StepSlot& slot);
// Returns the samples of a timed step as the store keeps them, with hot caches and with evicted
// ones. Only the problem and the device of `slot` are used; the step says on which very device it
// was timed.
std::vector<StepSamples> samples_of(const TimedStep& step, const StepSlot& slot,
                                    const Origin& origin);

}  // namespace thallo
