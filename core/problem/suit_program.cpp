#include "core/problem/suit_program.h"

#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/suggest.h"
#include "core/energy/unknown_spaces.h"
#include "core/kernel/elimination.h"

namespace thallo {
namespace {

Expected<FieldId> named_unknown(const Energy& energy, const std::string& name) {
  if (const FieldId unknown = energy.find_unknown(name); unknown.valid()) return unknown;
  return fail(
      unknown_name(fmt::format("solver option eliminate: '{}' has no unknown", energy.name()), name,
                   energy.unknown_names()));
}

Expected<FieldId> largest_space(const Energy& energy, const Binding& binding,
                                const Elimination& elimination, std::string_view solver) {
  const std::vector<FieldId> spaces = elimination.spaces();
  if (spaces.empty()) {
    std::vector<std::string> reasons;
    for (const std::vector<FieldId>& space : unknown_spaces(energy))
      reasons.push_back(elimination.check(space.front()).error().message());
    return fail("linear_solver {} finds no unknowns to eliminate: {}; use linear_solver pcg",
                solver, fmt::join(reasons, "; "));
  }
  FieldId largest = spaces.front();
  for (const FieldId space : spaces) {
    if (size_of_space(energy, binding, space) > size_of_space(energy, binding, largest))
      largest = space;
  }
  return largest;
}

// Of the members of a batch, each is solved by itself: by conjugate gradients, or by a kernel that
// factors its JtJ.
Expected<void> check_members(const Energy& energy, const ProgramOptions& program) {
  const std::string& batch = energy.dim(energy.members()).name;
  const LinearSolver* solver = program.linear_solver;
  if (solver->name() != pcg_solver()->name() && solver->name() != dense_solver()->name()) {
    return fail(
        "linear_solver {} solves all unknowns together, and those of the batch {} are solved "
        "member by member; use linear_solver pcg or dense",
        solver->name(), batch);
  }
  if (program.preconditioner->form() == InverseForm::Steps) {
    return fail(
        "preconditioner {} is made for all unknowns together, and those of the batch {} are solved "
        "member by member; use another preconditioner",
        program.preconditioner->name(), batch);
  }
  if (!solver->is_direct()) return {};
  int num_scalars = 0;
  for (const FieldId unknown : energy.unknowns()) {
    const Field& field = energy.field(unknown);
    num_scalars += field.tangent_channels();
    if (field.dims.size() == 1 && num_scalars <= max_block_channels) continue;
    return fail(
        "linear_solver dense solves members of the batch {} that have at most {} unknown scalars, "
        "all over ({}); '{}' is over ({}){}; use linear_solver pcg",
        batch, max_block_channels, batch, field.name, fmt::join(energy.dim_names(field.dims), ", "),
        field.dims.size() == 1 ? fmt::format(", and with it there are {}", num_scalars) : "");
  }
  return {};
}

// What a solver that factors the Schur complement can keep.
Expected<void> check_kept(const Energy& energy, const Binding& binding,
                          const Elimination& elimination, FieldId eliminated,
                          const LinearSolver& solver) {
  const std::string other = "use linear_solver schur_pcg or sparse_cholesky";
  if (auto legal = elimination.check_kept(eliminated); !legal)
    return fail("linear_solver {}: {}; {}", solver.name(), legal.error().message(), other);
  const std::int64_t all = binding.num_unknowns(energy);
  const std::int64_t kept = all - size_of_space(energy, binding, eliminated);
  if (kept <= solver.max_unknowns()) return {};
  return fail(
      "linear_solver {} is for at most {} unknowns that are kept, and {} of the {} of '{}' are "
      "when "
      "those over the dims of '{}' are eliminated; {}",
      solver.name(), solver.max_unknowns(), kept, all, energy.name(), energy.field(eliminated).name,
      other);
}

}  // namespace

std::int64_t size_of_space(const Energy& energy, const Binding& binding, FieldId unknown) {
  std::int64_t size = 0;
  for (const FieldId other : energy.unknowns()) {
    const Field& field = energy.field(other);
    if (field.dims != energy.field(unknown).dims) continue;
    std::int64_t elements = field.tangent_channels();
    for (const DimId dim : field.dims) elements *= binding.extent(dim);
    size += elements;
  }
  return size;
}

Expected<void> check_eliminate(const Energy& energy, const SolverOptions& options) {
  if (options.eliminate == AutoEliminated) return {};
  THALLO_CHECK(named_unknown(energy, options.eliminate));
  return {};
}

Expected<void> suit_program(const Energy& energy, const Binding& binding,
                            const SolverOptions& options, ProgramOptions& program) {
  if (auto legal = check_eliminate(energy, options); !legal) return legal;
  program.eliminated = {};
  const LinearSolver& solver = *program.linear_solver;
  if (auto legal = program.preconditioner->check_solver(solver); !legal) return legal;
  if (auto legal = program.preconditioner->check_energy(energy); !legal) return legal;
  if (energy.members().valid()) return check_members(energy, program);
  if (!solver.eliminates()) return {};
  const Elimination elimination(energy);
  THALLO_TRY(const auto chosen, options.eliminate == AutoEliminated
                                    ? largest_space(energy, binding, elimination, solver.name())
                                    : named_unknown(energy, options.eliminate));
  if (auto legal = elimination.check(chosen); !legal) return legal;
  if (solver.is_direct()) {
    THALLO_CHECK(check_kept(energy, binding, elimination, chosen, solver));
  }
  program.eliminated = chosen;
  return {};
}

}  // namespace thallo
