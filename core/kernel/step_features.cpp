// The features of steps that are no kernels, and of phases.

#include <variant>

#include "core/kernel/features.h"
#include "core/kernel/library_ops.h"
#include "core/kernel/memory_type.h"

namespace thallo {
namespace {

double bytes_of(const KernelProgram& program, std::size_t buffer, const ProgramSizes& sizes,
                Precision precision) {
  const BufferDecl& decl = program.buffers[buffer];
  const ScalarType type = memory_type(program, decl.fields.front(), precision);
  return static_cast<double>(sizes.buffer_size(decl)) * static_cast<double>(size_of(type));
}

}  // namespace

KernelFeatures count_features(const KernelProgram& program, const ClearBuffer& clear,
                              const ProgramSizes& sizes, Precision precision) {
  KernelFeatures f;
  f.points = sizes.buffer_size(program.buffers[clear.buffer]);
  f.writes.coalesced = bytes_of(program, clear.buffer, sizes, precision);
  f.must_write = f.writes.coalesced;
  return f;
}

KernelFeatures count_features(const KernelProgram& program, const SolveDirect& solve,
                              const ProgramSizes& sizes, Precision precision) {
  KernelFeatures f;
  f.points = sizes.num_matrix_rows();
  // How much a sparse factorization computes follows from its pattern, which is not looked at here.
  if (solve.solver->form() == MatrixForm::Dense) {
    const auto n = static_cast<double>(f.points);
    f.flops.multiplies = n * n * n / 6 + n * n;
    f.flops.adds = f.flops.multiplies;
    f.flops.fused = f.flops.multiplies;
    f.flops.divisions = 2 * n;  // a root and a division for each column
  }
  for (const std::size_t read : {solve.matrix, solve.free, solve.b})
    f.reads.coalesced += bytes_of(program, read, sizes, precision);
  if (solve.damping) f.reads.coalesced += bytes_of(program, *solve.damping, sizes, precision);
  f.writes.coalesced = bytes_of(program, solve.x, sizes, precision);
  f.must_read = f.reads.coalesced;
  f.must_write = f.writes.coalesced;
  return f;
}

PhaseFeatures count_features(const KernelProgram& program, const std::vector<KernelCode>& codes,
                             Phase phase, const ProgramSizes& sizes, Precision precision) {
  PhaseFeatures total;
  const auto add = [&total](const KernelFeatures& kernel) {
    ++total.launches;
    total.must_move += kernel.must_move();
    total.flops += kernel.flops.total();
  };
  for (const Step& step : program.steps(phase)) {
    if (const auto* launch = std::get_if<LaunchKernel>(&step)) {
      add(count_features(program, codes[launch->kernel], sizes, precision));
    } else if (const auto* clear = std::get_if<ClearBuffer>(&step)) {
      add(count_features(program, *clear, sizes, precision));
    } else if (const auto* solve = std::get_if<SolveDirect>(&step)) {
      add(count_features(program, *solve, sizes, precision));
    } else if (const auto op = library_op(step)) {
      add(count_features(program, *op, sizes, precision));
    }
  }
  return total;
}

}  // namespace thallo
