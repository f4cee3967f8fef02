// Provides the linear solver 'steepest_descent', which iterates with products JtJ p: conjugate
// gradients whose direction is the preconditioned residual, without what the last direction was.
#include <memory>

#include "core/kernel/linear_loop_lowering.h"
#include "core/linear/linear_solver.h"
#include "core/plugin/abi.h"

namespace {

using namespace thallo;

class SteepestDescent final : public LinearSolver, public LinearLoopLowering {
 public:
  std::string_view name() const override { return "steepest_descent"; }
  std::string_view doc() const override { return "along the preconditioned residual"; }
  MatrixForm form() const override { return MatrixForm::None; }

  void lower(KernelProgram& program) const override {
    for (const Phase phase : {Phase::Update, Phase::ResetUpdate}) {
      for (const Step& step : program.steps(phase)) {
        const auto* launch = std::get_if<LaunchKernel>(&step);
        if (launch == nullptr) continue;
        for (Store& store : program.kernels[launch->kernel].epilogue) {
          if (store.field == program.state && store.channel == static_cast<int>(StateSlot::Beta))
            store.value = program.graph.constant(0);
        }
      }
    }
  }
};

Expected<void> register_into(Registrar& registrar) {
  return registrar.add<LinearSolver>("steepest_descent", std::make_unique<SteepestDescent>());
}

}  // namespace

THALLO_PLUGIN("steepest_descent", "1.0.0", "", register_into);
