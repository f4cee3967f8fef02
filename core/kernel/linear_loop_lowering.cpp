#include "core/kernel/linear_loop_lowering.h"

namespace thallo {

LinearLoopLowering::~LinearLoopLowering() = default;

void lower_linear_loop(const LinearSolver& solver, KernelProgram& program) {
  if (const auto* loop = dynamic_cast<const LinearLoopLowering*>(&solver)) loop->lower(program);
}

}  // namespace thallo
