#pragma once

// How long the phases take on the device, without making the host wait: a pair of events is
// recorded round each run and read when it has long passed.

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

  // Round the work of a phase; not nested. Work that threw is not ended, and not counted.
  void begin(CUstream stream, Phase phase);
  void end(CUstream stream, std::int64_t num_launches);

  // Adds up every run that has ended, waiting for the last.
  void collect();
  void reset();                             // collects, then starts from zero
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

  // So many runs may be under way before the host waits for the oldest.
  static constexpr std::size_t MaxPending = 1024;
  static constexpr std::size_t NumPhases = static_cast<std::size_t>(Phase::Accept) + 1;

  std::deque<Run> pending_;
  std::vector<Run> free_;  // events for reuse
  Run current_;
  std::array<PhaseTiming, NumPhases> totals_{};
};

}  // namespace thallo::cuda
