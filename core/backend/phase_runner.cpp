#include "core/backend/phase_runner.h"

#include <algorithm>
#include <numeric>

namespace thallo {

std::vector<std::size_t> PhaseRunner::all_states() const {
  std::vector<std::size_t> all(num_states());
  std::iota(all.begin(), all.end(), std::size_t{0});
  return all;
}

bool PhaseRunner::has_stopped() {
  std::vector<SolverState> states(num_states());
  read_states(states, all_states());
  return std::ranges::all_of(
      states, [](const SolverState& state) { return at(state, StateSlot::Stop) != 0; });
}

void run_loop(const LinearLoop& loop, const std::function<void(Phase)>& run,
              const std::function<bool()>& has_stopped) {
  for (int iteration = 1; iteration <= loop.max_iterations; ++iteration) {
    for (const Phase phase : {Phase::Direction, Phase::Apply, Phase::Update}) run(phase);
    if (loop.reset_period > 0 && iteration % loop.reset_period == 0) {
      for (const Phase phase : {Phase::ResetDirection, Phase::ResetApply, Phase::ResetUpdate})
        run(phase);
    }
    if (has_stopped()) return;
    if (loop.is_interrupted && loop.is_interrupted()) return;
  }
}

void PhaseRunner::run_linear_loop(const LinearLoop& loop) {
  run_loop(
      loop, [this](Phase phase) { run(phase); }, [this] { return has_stopped(); });
}

void PhaseRunner::run_batch(const Batch& batch, std::span<SolverState> states,
                            std::span<const std::size_t> which) {
  write_states(states, which);
  for (const Phase phase : batch.before) run(phase);
  if (batch.loop) run_linear_loop(*batch.loop);
  for (const Phase phase : batch.after) run(phase);
  read_states(states, which);
}

}  // namespace thallo
