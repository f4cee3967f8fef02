#include "core/backend/backend.h"

namespace thallo {

void Executable::run_linear_loop(const LinearLoop& loop) {
  for (int iteration = 1; iteration <= loop.max_iterations; ++iteration) {
    run(Phase::Direction);
    run(Phase::Apply);
    run(Phase::Update);
    if (loop.reset_period > 0 && iteration % loop.reset_period == 0) {
      run(Phase::ResetDirection);
      run(Phase::ResetApply);
      run(Phase::ResetUpdate);
    }
    if (at(read_state(), StateSlot::Stop) != 0) return;
  }
}

}  // namespace thallo
