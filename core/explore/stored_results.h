#pragma once

// What a store has of the schedules of a problem as an exploration begins.

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/explore/candidate.h"
#include "core/explore/store.h"

namespace thallo {

// The texts of the schedules that have a time on any device, the fastest first.
Expected<std::vector<std::string>> timed_schedules(const MeasurementStore& store,
                                                   const std::string& problem);

// Results on one device.
class StoredResults {
 public:
  static Expected<StoredResults> read(const MeasurementStore& store,
                                      const StoreSelection& selection);

  // Whole solves, and why a worker did not survive the schedule. Other sums are made anew: what
  // could not be prepared before, can be now.
  void give(Candidate& candidate) const;

  // True if the schedule had a time, or a reason why it has none, before this time, in
  // seconds since 1970.
  bool had(const std::string& hash, std::int64_t before) const;

 private:
  const ScheduleResult* find(const std::string& hash, ResultKind kind) const;

  std::map<std::pair<std::string, ResultKind>, ScheduleResult> results_;
};

}  // namespace thallo
