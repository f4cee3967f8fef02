#pragma once

// What a store has of the schedules of a problem on a device, as an exploration begins.

#include <map>
#include <string>
#include <utility>

#include "core/explore/candidate.h"
#include "core/explore/store.h"

namespace thallo {

class StoredResults {
 public:
  static Expected<StoredResults> read(MeasurementStore& store, const StoreSelection& selection);

  // Whole solves, and why a worker did not survive the schedule. Other sums are made anew: what could
  // not be prepared before, can be now.
  void give(Candidate& candidate) const;

 private:
  const ScheduleResult* find(const std::string& hash, ResultKind kind) const;

  std::map<std::pair<std::string, ResultKind>, ScheduleResult> results_;
};

}  // namespace thallo
