// Lowering: Energy + Plan -> KernelProgram. The plan decides what is stored and where products are
// accumulated; everything else (which kernels a phase has, how the solver's vectors are laid out
// and updated) is decided here, once, for all energies. The solver kernels (direction, update,
// damping, retraction ...) are written in the same loop-nest language as the energy's, so that
// every backend runs the one definition.
#pragma once

#include <vector>

#include "core/base/diagnostic.h"
#include "core/kernel/program.h"
#include "core/schedule/plan.h"

namespace thallo {

struct ProgramOptions {
  SolverKind solver = SolverKind::GaussNewton;
  PreconditionerKind preconditioner = PreconditionerKind::Jacobi;
  const LinearSolver* linear_solver = pcg_solver();  // never null
  // Is the step multiplied by StateSlot::Radius? GN's, where steps are halved.
  bool scales_steps = false;
  // Parts whose expressions have more nodes get several kernels of each kind (lowering/pieces.h).
  std::size_t max_kernel_nodes = 2000;
};

// Elements of an unknown space with more channels than this get the jacobi preconditioner instead
// of a dense block.
inline constexpr int max_block_channels = 16;
inline bool has_block(const UnknownSpace& space) { return space.channels <= max_block_channels; }
// The unknowns of spaces without blocks.
std::vector<FieldId> unknowns_without_block(const KernelProgram& program);

// Fails if there is no program for these options; the message says which option, or what in the
// schedule, to change.
Expected<void> check_program(const Plan& plan, const ProgramOptions& options);
// The program. `plan` and `options` must pass check_program(), else it is an InternalError.
KernelProgram make_program(const Energy& energy, const Plan& plan, const ProgramOptions& options);

}  // namespace thallo
