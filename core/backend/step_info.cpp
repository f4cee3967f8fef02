#include "core/backend/step_info.h"

#include <variant>

#include <fmt/format.h>

#include "core/backend/backend.h"
#include "core/base/error.h"
#include "core/base/overloaded.h"
#include "core/kernel/memory_type.h"
#include "core/kernel/multigrid.h"

namespace thallo {
namespace {

std::int64_t num_points(const KernelCode& code, const ProgramSizes& sizes) {
  std::int64_t points = 0;
  for (const CodeBody& section : code.sections) points += sizes.num_points(section.extents);
  return points;
}

// Fills in a StepInfo from a step of each kind.
class StepDescriber {
 public:
  StepDescriber(const Executable& executable, Phase phase) : executable_(executable) {
    info_.phase = phase;
  }

  StepInfo describe(const Step& step) && {
    info_.is_launched = is_launched(executable_.generated(), sizes(), step);
    std::visit([this](const auto& s) { add(s); }, step);
    return std::move(info_);
  }

 private:
  const KernelProgram& program() const { return executable_.program(); }
  const ProgramSizes& sizes() const { return executable_.sizes(); }

  void add(const LaunchKernel& step) {
    const KernelCode& code = executable_.generated().codes[step.kernel];
    info_.kind = StepKind::Kernel;
    info_.label = code.label;
    info_.key = executable_.kernels()[step.kernel].key;
    info_.points = num_points(code, sizes());
  }
  void add(const ClearBuffer& step) {
    const BufferDecl& buffer = program().buffers[step.buffer];
    info_.kind = StepKind::Clear;
    info_.label = fmt::format("clear {}", buffer.name);
    info_.bytes = sizes().buffer_size(buffer) *
                  static_cast<std::int64_t>(size_of(executable_.buffer_type(step.buffer)));
  }
  void add(const MultiplyMatrix& step) {
    info_.kind = StepKind::Product;
    add_library_op(step, step.is_transposed);
  }
  void add(const AddGram& step) {
    info_.kind = StepKind::Gram;
    add_library_op(step, false);
  }
  void add(const SolveDirect& step) {
    const std::int64_t n = sizes().num_matrix_rows();
    const bool is_csr = step.solver->form() == MatrixForm::Csr;
    info_.kind = StepKind::DirectSolve;
    info_.label = fmt::format("{} solve", step.solver->name());
    info_.matrix = StepMatrix{
        .kind = is_csr ? MatrixKind::Csr : MatrixKind::Symmetric,
        .type = executable_.buffer_type(step.matrix),
        .shape = {
            .rows = n, .cols = n, .entries = sizes().buffer_size(program().buffers[step.matrix])}};
  }
  void add(const RunMultigrid& step) {
    info_.kind = StepKind::Multigrid;
    info_.label = label_of(step);
    info_.points = sizes().num_points(program().spaces.front().dims);
  }
  void add_library_op(const LibraryOp& op, bool is_transposed) {
    const StoredMatrix& matrix = program().matrices[matrix_of(op)];
    info_.label = label_of(program(), op);
    info_.matrix = StepMatrix{.kind = matrix.kind,
                              .type = executable_.buffer_type(matrix.values),
                              .is_transposed = is_transposed,
                              .shape = shape_of(program(), sizes(), matrix)};
  }

  const Executable& executable_;
  StepInfo info_;
};

}  // namespace

std::string_view to_string(StepKind kind) {
  switch (kind) {
    case StepKind::Kernel: return "kernel";
    case StepKind::Clear: return "clear";
    case StepKind::Product: return "product";
    case StepKind::Gram: return "gram";
    case StepKind::DirectSolve: return "direct_solve";
    case StepKind::Multigrid: return "multigrid";
  }
  THALLO_UNREACHABLE();
}

bool is_launched(const GeneratedProgram& generated, const ProgramSizes& sizes, const Step& step) {
  const KernelProgram& program = generated.program;
  const auto entries = [&](std::size_t matrix) {
    return shape_of(program, sizes, program.matrices[matrix]).entries;
  };
  return std::visit(
      Overloaded{
          [&](const LaunchKernel& launch) {
            const KernelCode& code = generated.codes[launch.kernel];
            return code.has_epilogue || num_points(code, sizes) > 0;
          },
          [&](const ClearBuffer& clear) {
            return sizes.buffer_size(program.buffers[clear.buffer]) > 0;
          },
          [&](const MultiplyMatrix& product) {
            const bool sets = !product.adds && sizes.buffer_size(program.buffers[product.y]) > 0;
            return sizes.num_unknowns() > 0 && (sets || entries(product.matrix) > 0);
          },
          [&](const AddGram& gram) { return sizes.num_unknowns() > 0 && entries(gram.matrix) > 0; },
          [&](const SolveDirect&) { return sizes.num_matrix_rows() > 0; },
          [&](const RunMultigrid&) { return sizes.num_unknowns() > 0; }},
      step);
}

std::vector<StepInfo> Executable::steps(Phase phase) const {
  std::vector<StepInfo> infos;
  for (const Step& step : program().steps(phase)) {
    infos.push_back(StepDescriber(*this, phase).describe(step));
  }
  return infos;
}

}  // namespace thallo
