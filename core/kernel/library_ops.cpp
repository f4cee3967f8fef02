#include "core/kernel/library_ops.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/kernel/arguments.h"
#include "core/kernel/memory_type.h"

namespace thallo {
namespace {

const std::string& name_of(const KernelProgram& program, std::size_t matrix) {
  return program.buffers[program.matrices[matrix].values].name;
}

double scalar_bytes(const KernelProgram& program, std::size_t buffer, Precision precision) {
  return static_cast<double>(
      size_of(memory_type(program, program.buffers[buffer].fields.front(), precision)));
}

std::string op_label(const KernelProgram& program, const MultiplyMatrix& step) {
  const auto operation = [&] {
    switch (program.matrices[step.matrix].kind) {
      case MatrixKind::Csr: return "spmv";
      case MatrixKind::Dense: return "gemv";
      case MatrixKind::Symmetric: return "symv";
    }
    THALLO_UNREACHABLE();
  };
  return fmt::format("{}{} {}", operation(), step.is_transposed ? " transposed" : "",
                     name_of(program, step.matrix));
}

std::string op_label(const KernelProgram& program, const AddGram& step) {
  return fmt::format("syrk {}", name_of(program, step.matrix));
}

KernelFeatures op_features(const KernelProgram& program, const MultiplyMatrix& step,
                           const ProgramSizes& sizes, Precision precision) {
  const StoredMatrix& matrix = program.matrices[step.matrix];
  const MatrixShape shape = shape_of(program, sizes, matrix);
  const double scalar = scalar_bytes(program, matrix.values, precision);
  const auto size = [&](std::size_t buffer) {
    return scalar * static_cast<double>(sizes.buffer_size(program.buffers[buffer]));
  };
  const auto entries = static_cast<double>(shape.entries);
  KernelFeatures f;
  f.points = step.is_transposed ? shape.cols : shape.rows;
  f.flops = {.adds = entries, .multiplies = entries, .fused = entries};
  // A symmetric matrix is read as one triangle, each entry of which is used twice.
  f.reads.coalesced =
      matrix.kind == MatrixKind::Symmetric
          ? scalar * static_cast<double>(shape.rows) * (static_cast<double>(shape.rows) + 1) / 2
          : scalar * entries;
  const double of_matrix = f.reads.coalesced;
  const auto column_access = [&](Access::Kind kind, std::size_t vector) {
    return Access{.kind = kind,
                  .motion = Motion::Jumps,
                  .map = matrix.columns,
                  .count = entries,
                  .bytes = scalar,
                  .element = scalar,
                  .table = size(vector)};
  };
  if (matrix.kind == MatrixKind::Csr)
    f.index_bytes = sizeof(std::int32_t) * (entries + static_cast<double>(shape.rows) + 1);
  if (matrix.kind == MatrixKind::Csr && step.is_transposed) {
    f.reads.coalesced += size(step.x);
    f.scatters.gathered = scalar * entries;
    f.atomics = entries;
    f.accesses.push_back(column_access(Access::Kind::Add, step.y));
  } else {
    (matrix.kind == MatrixKind::Csr ? f.reads.gathered : f.reads.coalesced) +=
        matrix.kind == MatrixKind::Csr ? scalar * entries : size(step.x);
    if (matrix.kind == MatrixKind::Csr)
      f.accesses.push_back(column_access(Access::Kind::Read, step.x));
    if (step.adds) f.reads.coalesced += size(step.y);
    f.writes.coalesced = size(step.y);
  }
  f.must_read = of_matrix + f.index_bytes + size(step.x) + (step.adds ? size(step.y) : 0);
  f.must_write = size(step.y);
  return f;
}

KernelFeatures op_features(const KernelProgram& program, const AddGram& step,
                           const ProgramSizes& sizes, Precision precision) {
  const StoredMatrix& matrix = program.matrices[step.matrix];
  const MatrixShape shape = shape_of(program, sizes, matrix);
  const double scalar = scalar_bytes(program, matrix.values, precision);
  const auto n = static_cast<double>(shape.cols);
  const double triangle = n * (n + 1) / 2;
  const double products = triangle * static_cast<double>(shape.rows);
  KernelFeatures f;
  f.points = static_cast<std::int64_t>(triangle);
  f.flops = {.adds = products, .multiplies = products, .fused = products};
  f.reads.coalesced = scalar * (static_cast<double>(shape.entries) + triangle);
  f.writes.coalesced = scalar * triangle;
  f.must_read = f.reads.coalesced;
  f.must_write = f.writes.coalesced;
  return f;
}

}  // namespace

std::string_view to_string(MatrixKind kind) {
  switch (kind) {
    case MatrixKind::Csr: return "csr";
    case MatrixKind::Dense: return "dense";
    case MatrixKind::Symmetric: return "symmetric";
  }
  THALLO_UNREACHABLE();
}

MatrixShape shape_of(const KernelProgram& program, const ProgramSizes& sizes,
                     const StoredMatrix& matrix) {
  const std::int64_t entries = sizes.buffer_size(program.buffers[matrix.values]);
  const std::int64_t cols = sizes.num_unknowns();
  switch (matrix.kind) {
    case MatrixKind::Csr: return {sizes.num_entries(matrix.offsets) - 1, cols, entries};
    case MatrixKind::Dense: return {cols == 0 ? 0 : entries / cols, cols, entries};
    case MatrixKind::Symmetric: return {cols, cols, entries};
  }
  THALLO_UNREACHABLE();
}

Expected<void> check_shape(const KernelProgram& program, const ProgramSizes& sizes,
                           const StoredMatrix& matrix) {
  const MatrixShape shape = shape_of(program, sizes, matrix);
  constexpr std::int64_t limit = std::numeric_limits<std::int32_t>::max();
  const std::int64_t indexed =
      matrix.kind == MatrixKind::Csr ? shape.entries : std::max(shape.rows, shape.cols);
  if (std::max({indexed, shape.rows, shape.cols}) <= limit) return {};
  return fail("'{}', {} x {} with {} entries, is too large for a library with 32-bit indices",
              program.buffers[matrix.values].name, shape.rows, shape.cols, shape.entries);
}

std::optional<LibraryOp> library_op(const Step& step) {
  if (const auto* product = std::get_if<MultiplyMatrix>(&step)) return *product;
  if (const auto* gram = std::get_if<AddGram>(&step)) return *gram;
  return {};
}

std::vector<LibraryOp> library_ops(const KernelProgram& program) {
  std::vector<LibraryOp> ops;
  for (const auto& [phase, steps] : program.phases) {
    for (const Step& step : steps) {
      if (const auto op = library_op(step)) ops.push_back(*op);
    }
  }
  return ops;
}

std::size_t matrix_of(const LibraryOp& op) {
  return std::visit([](const auto& o) { return o.matrix; }, op);
}

std::string label_of(const KernelProgram& program, const LibraryOp& op) {
  return std::visit([&](const auto& o) { return op_label(program, o); }, op);
}

KernelFeatures count_features(const KernelProgram& program, const LibraryOp& op,
                              const ProgramSizes& sizes, Precision precision) {
  return std::visit([&](const auto& o) { return op_features(program, o, sizes, precision); }, op);
}

}  // namespace thallo
