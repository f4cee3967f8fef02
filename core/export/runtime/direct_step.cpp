#include "core/export/runtime/direct_step.h"

#include <algorithm>
#include <memory>
#include <span>
#include <vector>

#include "core/export/runtime/plain_cholesky.h"
#include "core/kernel/state.h"
#include "core/linear/direct_solve.h"

namespace thallo {

std::function<void()> direct_solve(const DirectStep& step) {
  const auto solver = std::make_shared<DirectSolve>(
      PlainCholesky(), MatrixPattern{.n = step.n, .offsets = {}, .columns = {}});
  return [step, solver] {
    const auto n = static_cast<std::size_t>(step.n);
    const auto damping =
        step.damping != nullptr ? std::span(step.damping, n) : std::span<const double>();
    const std::vector<double> x = solver->solve({.matrix = std::span(step.matrix, n * n),
                                                 .damping = damping,
                                                 .free = std::span(step.free, n),
                                                 .b = std::span(step.b, n)});
    std::ranges::copy(x, step.x);
    const auto slot = [&](StateSlot which) -> double& {
      return step.state[static_cast<std::size_t>(which)];
    };
    slot(StateSlot::DirectFailed) = solver->has_failed() ? 1 : 0;
    slot(StateSlot::LinearIteration) = static_cast<double>(solver->num_iterations());
  };
}

}  // namespace thallo
