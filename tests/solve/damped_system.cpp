#include "tests/solve/damped_system.h"

#include <algorithm>
#include <cstdint>

#include "core/energy/evaluate/evaluator.h"
#include "core/energy/evaluate/linearization.h"

namespace thallo::test {

DampedSystem damped_system(Executable& executable, const Energy& energy, const Binding& binding,
                           SolverKind solver) {
  EnergyEvaluator evaluator(energy, binding);
  const Linearization linearization = evaluator.linearize();
  const std::vector<std::uint8_t> excluded = evaluator.excluded();
  const auto n = std::ssize(excluded);
  DampedSystem system{.a = Eigen::MatrixXd::Zero(n, n), .kept = {}, .gone = {}};
  const SparseMatrix jtj = *linearization.jtj(1'000'000);
  for (std::size_t row = 0; row < excluded.size(); ++row) {
    for (std::size_t k = jtj.offsets[row]; k < jtj.offsets[row + 1]; ++k)
      system.a(static_cast<Eigen::Index>(row), jtj.columns[k]) = jtj.values[k];
  }
  const KernelProgram& program = executable.program();
  if (solver == SolverKind::LevenbergMarquardt) {
    system.a.diagonal() += eigen_of(executable.read_buffer(program.vector(SolverVector::Damping)));
  }
  for (Eigen::Index column = 0; column < n; ++column) {
    if (excluded[static_cast<std::size_t>(column)] != 0) continue;
    const FieldId unknown = linearization.layout().entry(column).unknown;
    const bool is_gone = std::ranges::any_of(program.spaces, [&](const UnknownSpace& space) {
      return space.is_eliminated &&
             std::ranges::find(space.unknowns, unknown) != space.unknowns.end();
    });
    (is_gone ? system.gone : system.kept).push_back(column);
  }
  return system;
}

}  // namespace thallo::test
