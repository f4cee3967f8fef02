#pragma once

// The leases that an exploration holds in a store (store.h) for what it measures just now, so that
// others who explore into the same store measure something else meanwhile.

#include <chrono>
#include <vector>

#include "core/explore/store.h"

namespace thallo {

class WorkLeases {
 public:
  // Leases are for so long, and are renewed before they end. The store must outlive the object.
  WorkLeases(MeasurementStore& store, std::chrono::milliseconds duration)
      : store_(store), duration_(duration) {}
  WorkLeases(const WorkLeases&) = delete;
  WorkLeases& operator=(const WorkLeases&) = delete;
  ~WorkLeases();

  // For all of the slots or none: Held when somebody else measures one of them, Done when the store
  // has all of them.
  Expected<Claim> claim(const std::vector<ResultSlot>& slots);
  // To be called at least every second while the work is under way.
  Expected<void> renew();
  // Gives up all that was claimed and has no result.
  Expected<void> release();

 private:
  MeasurementStore& store_;
  std::chrono::milliseconds duration_;
  std::vector<ResultSlot> held_;
  std::chrono::steady_clock::time_point renewed_;
};

}  // namespace thallo
