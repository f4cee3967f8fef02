// The program of an exported solver on a host: its memory, its steps by phase, and its threads.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/backend/cpu/point_launch.h"
#include "core/backend/cpu/thread_pool.h"
#include "core/backend/phase_runner.h"
#include "core/base/aligned_bytes.h"
#include "core/kernel/phase.h"
#include "core/kernel/state.h"

namespace thallo {

// A step runs only while state[slot] == value.
struct StepGate {
  StateSlot slot = StateSlot::Stop;
  double value = 0;
};

class HostProgram final : public PhaseRunner {
 public:
  // `num_threads` of 0 are as many as the machine has.
  explicit HostProgram(int num_threads);

  // Forgets all steps; the memory stays, for those who ask for as much again.
  void begin();
  // Returns zeroed memory, aligned for vector instructions. Throws std::bad_alloc.
  template <class T>
  T* allocate(std::int64_t count) {
    return reinterpret_cast<T*>(bytes(static_cast<std::size_t>(count) * sizeof(T)));
  }
  // Keeps a table until the next begin().
  const std::int32_t* keep(std::vector<std::int32_t> table);
  // Allocates the states, of which there is one for each member of a batch.
  double* allocate_states(std::int64_t count);
  // Add steps to a phase, which runs them in this order.
  void add(Phase phase, std::optional<StepGate> gate, PointLaunch::Task task);
  void add_clear(Phase phase, void* memory, std::size_t bytes);
  void add_step(Phase phase, std::function<void()> step) {
    phases_[static_cast<std::size_t>(phase)].push_back(std::move(step));
  }
  // Must be called after the last step was added.
  void finish();
  void finish_solve() {}  // the arrays of the caller have the solution

  void run(Phase phase) override;
  bool has_stopped() override;
  void read_states(std::span<SolverState> states, std::span<const std::size_t> which) override;
  void write_states(std::span<const SolverState> states,
                    std::span<const std::size_t> which) override;
  std::size_t num_states() const override { return num_states_; }

 private:
  std::byte* bytes(std::size_t count);
  bool is_open(const std::optional<StepGate>& gate) const;

  ThreadPool pool_;
  PrivateCopies copies_;
  std::vector<AlignedBytes> memory_;
  std::size_t num_allocated_ = 0;
  std::vector<std::vector<std::int32_t>> tables_;
  double* states_ = nullptr;
  std::size_t num_states_ = 0;
  std::deque<PointLaunch> launches_;
  std::array<std::vector<std::function<void()>>, NumPhases> phases_;
};

}  // namespace thallo
