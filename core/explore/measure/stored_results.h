#pragma once

// The results that a store has of a problem's schedules when an exploration begins.

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/explore/measure/candidate.h"
#include "core/explore/store/store.h"

namespace thallo {

// Returns the texts of the schedules that have a time on any device, the fastest first.
Expected<std::vector<std::string>> timed_schedules(const MeasurementStore& store,
                                                   const std::string& problem);

// The stored results on one device.
class StoredResults {
 public:
  static Expected<StoredResults> read(const MeasurementStore& store,
                                      const StoreSelection& selection);

  // Copies the stored end-to-end result to the candidate, and the stored reason if a worker did not
  // survive the schedule. Other composed results are computed anew, because what could not be
  // prepared before may succeed now.
  void give(Candidate& candidate) const;

  // True if the schedule was measured or had failed before this time, in seconds since 1970.
  bool had(const std::string& hash, std::int64_t before) const;
  // Null if there is none.
  const ScheduleResult* find(const std::string& hash, ResultKind kind) const;

 private:
  std::map<std::pair<std::string, ResultKind>, ScheduleResult> results_;
};

}  // namespace thallo
