#include "core/export/export.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <variant>

#include "core/export/parts.h"
#include "core/kernel/library_ops.h"
#include "core/kernel/memory_type.h"

namespace thallo {
namespace {

// Steps of phases that a solve runs; sums over groups are for reports.
template <class Visit>
void for_each_step(const KernelProgram& program, Visit visit) {
  for (const auto& [phase, steps] : program.phases)
    if (phase != Phase::GroupSums)
      for (const Step& step : steps) visit(step);
}

Expected<void> check_step(const KernelProgram& program, const Step& step) {
  const auto library = library_op(step);
  if (library) {
    return fail(
        "'{}' stores a matrix whose products a library computes ({}), which an export has not; "
        "legal are schedules that store no J or JtJ of a part",
        program.name, label_of(program, *library));
  }
  if (std::holds_alternative<RunMultigrid>(step)) {
    return fail(
        "preconditioner multigrid is steps of a backend, which an export has not (legal: jacobi, "
        "block_jacobi, none)");
  }
  const auto* direct = std::get_if<SolveDirect>(&step);
  if (direct != nullptr && direct->solver->form() != MatrixForm::Dense) {
    return fail(
        "linear_solver {} factors a sparse matrix, which an export cannot (legal: pcg, schur_pcg, "
        "dense, schur_cholesky)",
        direct->solver->name());
  }
  if (direct != nullptr && direct->solver->name() != dense_solver()->name() &&
      direct->solver->name() != schur_cholesky_solver()->name()) {
    return fail(
        "linear_solver {} belongs to a plugin, which an export cannot take along (legal: pcg, "
        "schur_pcg, dense, schur_cholesky)",
        direct->solver->name());
  }
  return {};
}

Expected<void> check_tables(const KernelProgram& program) {
  if (!program.addition_orders.empty()) {
    return fail("deterministic sums go over tables, which an export does not make (legal: false)");
  }
  const bool has_products = std::ranges::any_of(program.patterns, &BlockPattern::has_products);
  if (!program.columns.empty() || !program.csr_rows.empty() || !program.mirrored_blocks.empty() ||
      has_products) {
    return fail(
        "'{}' stores a sparse matrix, whose places an export does not find (legal: schedules that "
        "store no J or JtJ of a part)",
        program.name);
  }
  return {};
}

// CUDA has less so far.
Expected<void> check_cuda(const GeneratedProgram& generated) {
  if (generated.program.solves_directly()) {
    return fail(
        "a linear solver that takes a matrix is not exported to CUDA (legal: pcg, schur_pcg)");
  }
  if (generated.program.is_deterministic) {
    return fail(
        "sums in a fixed order, which batches have too, are not exported to CUDA (legal: cpu)");
  }
  if (!generated.program.patterns.empty()) {
    return fail("stored blocks are not exported to CUDA (legal: schedules that store no JtJ)");
  }
  for (const KernelCode& code : generated.codes) {
    if (code.shape.tile_width > 0) {
      return fail(
          "kernel '{}' computes tiles, which are not exported to CUDA (legal: schedules without "
          "block and width)",
          code.label);
    }
  }
  return {};
}

}  // namespace

Expected<void> check_export(const GeneratedProgram& generated, Precision precision,
                            Dialect dialect) {
  const KernelProgram& program = generated.program;
  Expected<void> checked;
  for_each_step(program, [&](const Step& step) {
    if (checked) checked = check_step(program, step);
  });
  if (checked) checked = check_tables(program);
  if (!checked) return checked;
  if (dialect == Dialect::Cuda) return check_cuda(generated);
  if (program.solves_directly() && precision != Precision::Double) {
    return fail("a linear solver that takes a matrix is exported in double alone (legal: double)");
  }
  return {};
}

Expected<std::vector<ExportedFile>> export_solver(const ExportRequest& request) {
  const ExportNames names(request.generated, request.precision);
  std::set<std::size_t> kernels;
  for_each_step(request.generated.program, [&](const Step& step) {
    if (const auto* launch = std::get_if<LaunchKernel>(&step)) kernels.insert(launch->kernel);
  });
  std::vector<ExportedFile> sources = kernel_files(request, names, kernels);
  sources.push_back({"src/" + names.solver() + ".cpp", solver_source(request, names)});
  std::ranges::move(runtime_files(names.solver(), request.generated.program, request.dialect),
                    std::back_inserter(sources));
  std::vector<ExportedFile> files = project_files(request, names, sources);
  files.push_back({"include/" + names.solver() + ".h", c_header(request, names)});
  files.push_back({"include/" + names.solver() + ".hpp", cpp_header(names)});
  std::ranges::move(sources, std::back_inserter(files));
  return files;
}

}  // namespace thallo
