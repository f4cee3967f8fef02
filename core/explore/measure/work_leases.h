#pragma once

// The leases that an exploration holds in a store (store.h) on what it is measuring, so that other
// explorations of the same store measure something else meanwhile.

#include <chrono>
#include <set>
#include <vector>

#include "core/explore/store/store.h"

namespace thallo {

class WorkLeases {
 public:
  // Leases last for `duration` and are renewed before they expire. With Existing::Replace, work
  // that the store has results of is claimed, too. The store must outlive this object.
  WorkLeases(MeasurementStore& store, std::chrono::milliseconds duration, Existing existing)
      : store_(store), duration_(duration), existing_(existing) {}
  WorkLeases(const WorkLeases&) = delete;
  WorkLeases& operator=(const WorkLeases&) = delete;
  ~WorkLeases();

  // Claims all of the slots or none. Returns Held if another exploration is measuring one of them,
  // and Done if the store has all of them.
  Expected<Claim> claim(const std::vector<ResultSlot>& slots);
  // Must be called at least once a second while the work goes on.
  Expected<void> renew();
  // Gives up those of these claims that have no result yet.
  Expected<void> release(const std::vector<ResultSlot>& slots);
  // Gives up every claim that has no result yet.
  Expected<void> release_all();

 private:
  MeasurementStore& store_;
  std::chrono::milliseconds duration_;
  Existing existing_;
  std::set<ResultSlot> held_;
  std::chrono::steady_clock::time_point renewed_;
};

}  // namespace thallo
