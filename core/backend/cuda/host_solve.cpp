#include "core/backend/cuda/host_solve.h"

#include <utility>

#include "core/backend/cuda/dense.h"
#include "core/backend/cuda/driver.h"
#include "core/backend/cuda/memory.h"
#include "core/base/log.h"

namespace thallo::cuda {
namespace {

MatrixPattern pattern_of(const SolveDirect& step, const ProgramSizes& sizes) {
  MatrixPattern pattern{.n = sizes.num_matrix_rows()};
  if (step.solver->form() == MatrixForm::Csr) {
    pattern.offsets = sizes.tables().maps.at(step.offsets);
    pattern.columns = sizes.tables().maps.at(step.columns);
  }
  return pattern;
}

}  // namespace

std::unique_ptr<HostSolve> HostSolve::make(const KernelProgram& program,
                                           const ProgramSizes& sizes) {
  for (const Step& step : program.steps(Phase::DirectSolve)) {
    const auto* solve = std::get_if<SolveDirect>(&step);
    if (solve == nullptr) continue;
    if (!is_solved_on_host(*solve)) {
      if (DenseSolver::can_solve(sizes.num_matrix_rows())) continue;
      logger("cuda").warn("{}; the host factors a matrix of {} rows", find_cusolver().error().what,
                          sizes.num_matrix_rows());
    }
    return std::unique_ptr<HostSolve>(new HostSolve(program, *solve, sizes));
  }
  return nullptr;
}

HostSolve::HostSolve(const KernelProgram& program, const SolveDirect& step,
                     const ProgramSizes& sizes)
    : program_(program), step_(step), solve_(*step.solver, pattern_of(step, sizes)) {}

void HostSolve::solve(const Stream& stream, const Storage& storage) {
  const auto read = [&](std::size_t buffer) {
    return download(stream.get(), storage.buffer(buffer).pointer(), storage.buffer_type(buffer),
                    storage.buffer_size(buffer));
  };
  const std::vector<double> matrix = read(step_.matrix);
  const std::vector<double> damping = step_.damping ? read(*step_.damping) : std::vector<double>();
  const std::vector<double> free = read(step_.free);
  const std::vector<double> b = read(step_.b);
  const std::vector<double> x =
      solve_.solve({.matrix = matrix, .damping = damping, .free = free, .b = b});
  upload(stream.get(), storage.buffer(step_.x).pointer(), storage.buffer_type(step_.x),
         std::span<const double>(x));
  const auto set = [&](StateSlot slot, double value) {
    upload(stream.get(), storage.state_slot(slot), ScalarType::Double, std::span(&value, 1));
  };
  set(StateSlot::DirectFailed, solve_.has_failed() ? 1 : 0);
  set(StateSlot::LinearIteration, static_cast<double>(solve_.num_iterations()));
}

bool is_solved_on_host(const SolveDirect& step) {
  return step.solver->name() != dense_solver()->name() &&
         step.solver->name() != schur_cholesky_solver()->name();
}

}  // namespace thallo::cuda
