#pragma once

// The first and the last step of a batch, and those that time its phases: small kernels, which cost
// the host nothing where they are part of a graph. The first takes the state from page-locked
// memory of the host; the last writes state and times there and then sets a word, by which the host
// sees the end sooner than the driver would tell it.

#include <cuda.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "core/backend/cuda/device.h"
#include "core/backend/cuda/launch.h"
#include "core/backend/cuda/memory.h"
#include "core/kernel/program.h"
#include "core/kernel/state.h"

namespace thallo::cuda {

class BatchMarks {
 public:
  static Expected<std::unique_ptr<BatchMarks>> load(const Device& device);

  // Prepares the steps for a state at this address.
  void bind(CUdeviceptr state);
  const BoundStep& begin() const { return begin_; }
  const BoundStep& after(Phase phase) const { return after_[static_cast<std::size_t>(phase)]; }
  const BoundStep& end() const { return end_; }

  // Must be called before a batch is launched, and only after the batch before has ended.
  void start(const SolverState& state);
  // True if the last step of the batch has run. Only then the functions below may be called.
  bool has_ended() const;
  SolverState state() const;
  // Return times of the device in seconds from the begin of the batch.
  double end_seconds() const;
  // Returns end_seconds() for a phase without a step behind it.
  double seconds_after(Phase phase) const;

 private:
  using Word = std::uint64_t;
  static constexpr std::size_t NumTimes = 1 + NumPhases;  // of the begin, and after each phase

  // Page-locked. `ended` is the time of the end, 0 before.
  struct Exchange {
    SolverState from_host;
    SolverState to_host;
    std::array<Word, NumTimes> times;
    Word ended;
  };

  BatchMarks(Module module, DeviceBuffer times);
  Exchange& exchange() const { return *static_cast<Exchange*>(pinned_.data()); }
  double seconds_until(Word time) const;

  Module module_;
  DeviceBuffer times_;
  PinnedBuffer pinned_;
  CUdeviceptr bound_state_ = 0;
  BoundStep begin_, end_;
  std::array<BoundStep, NumPhases> after_;
};

}  // namespace thallo::cuda
