#pragma once

// Describes library operations (MultiplyMatrix, AddGram) for backends and reports: the size of
// their matrix, their names, and their work, counted like that of kernels.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/kernel/bind/sizes.h"
#include "core/kernel/features.h"
#include "core/kernel/program.h"
#include "core/schedule/precision.h"

namespace thallo {

using LibraryOp = std::variant<MultiplyMatrix, AddGram>;

// Returns the step as a library operation; empty for other steps.
std::optional<LibraryOp> library_op(const Step& step);
// Returns the library operations of all phases, in the order of phases and steps.
std::vector<LibraryOp> library_ops(const KernelProgram& program);
std::size_t matrix_of(const LibraryOp& op);  // index into KernelProgram::matrices

std::string_view to_string(MatrixKind kind);  // "csr", "dense", "symmetric"

struct MatrixShape {
  std::int64_t rows = 0;
  std::int64_t cols = 0;     // N
  std::int64_t entries = 0;  // in memory
};
MatrixShape shape_of(const KernelProgram& program, const ProgramSizes& sizes,
                     const StoredMatrix& matrix);
// Fails if a library cannot handle the matrix, which the message names: its rows, its columns or,
// in CSR, its entries are 2^31 or more.
Expected<void> check_shape(const KernelProgram& program, const ProgramSizes& sizes,
                           const StoredMatrix& matrix);

// Returns for example "spmv J.fit", "gemv transposed J.fit", "symv JtJ" or "syrk J.fit": the
// operation of the library and the buffer of its matrix.
std::string label_of(const KernelProgram& program, const LibraryOp& op);

KernelFeatures count_features(const KernelProgram& program, const LibraryOp& op,
                              const ProgramSizes& sizes, Precision precision);

}  // namespace thallo
