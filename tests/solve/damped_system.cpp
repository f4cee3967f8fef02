#include "tests/solve/damped_system.h"

#include <algorithm>
#include <cstdint>
#include <iterator>

#include "core/energy/evaluate/evaluator.h"
#include "core/energy/evaluate/linearization.h"

namespace thallo::test {

DampedSystem damped_system(Executable& executable, const Energy& energy, const Binding& binding,
                           SolverKind solver) {
  EnergyEvaluator evaluator(energy, binding);
  const Linearization linearization = evaluator.linearize();
  const std::vector<std::uint8_t> excluded = evaluator.excluded();
  const std::size_t n = excluded.size();
  DampedSystem system{.matrix = std::vector<double>(n * n)};
  const SparseMatrix jtj = *linearization.jtj(1'000'000);
  for (std::size_t row = 0; row < n; ++row) {
    for (std::size_t k = jtj.offsets[row]; k < jtj.offsets[row + 1]; ++k)
      system.matrix[row * n + static_cast<std::size_t>(jtj.columns[k])] = jtj.values[k];
  }
  const KernelProgram& program = executable.program();
  if (solver == SolverKind::LevenbergMarquardt) {
    const std::vector<double> damping =
        executable.read_buffer(program.vector(SolverVector::Damping));
    for (std::size_t i = 0; i < n; ++i) system.matrix[i * n + i] += damping[i];
  }
  for (std::ptrdiff_t column = 0; column < std::ssize(excluded); ++column) {
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
