#pragma once

// Measures how long the phases take on the device without making the host wait: a pair of events is
// recorded around each run of a phase and read later, when both have long passed.

#include <cuda.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "core/backend/backend.h"

namespace thallo::cuda {

class PhaseTimer {
 public:
  PhaseTimer() = default;
  ~PhaseTimer();
  PhaseTimer(const PhaseTimer&) = delete;
  PhaseTimer& operator=(const PhaseTimer&) = delete;

  // Must be called before and after the work of a phase is enqueued; pairs do not nest. If the work
  // throws, end() is not needed and the run is not counted.
  void begin(CUstream stream, Phase phase);
  void end(CUstream stream, std::int64_t num_launches);

  // Counts a run that was timed in another way.
  void add(Phase phase, std::int64_t num_launches, double seconds);

  // Adds all pending runs to the totals; waits for the last of them.
  void collect();
  void reset();                             // collects, then sets the totals to zero
  std::vector<PhaseTiming> totals() const;  // phases that ran, in the order of Phase

 private:
  struct Run {
    Phase phase = Phase::Setup;
    std::int64_t num_launches = 0;
    CUevent start = nullptr;
    CUevent stop = nullptr;
  };
  Run take_events();
  void add(const Run& run);

  // This many runs may be pending before the host waits for the oldest.
  static constexpr std::size_t MaxPending = 1024;

  std::deque<Run> pending_;
  std::vector<Run> free_;  // events for reuse
  Run current_;
  std::array<PhaseTiming, NumPhases> totals_{};
};

}  // namespace thallo::cuda
