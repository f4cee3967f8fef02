#pragma once

// Library operations (MultiplyMatrix, AddGram) as every backend and every table needs them: how
// large their matrix is, what they are called and what they do, counted as kernels are.

#include <cstdint>
#include <string>

#include "core/kernel/features.h"
#include "core/kernel/program.h"
#include "core/kernel/sizes.h"

namespace thallo {

struct MatrixShape {
  std::int64_t rows = 0;
  std::int64_t cols = 0;     // N
  std::int64_t entries = 0;  // in memory
};
MatrixShape shape_of(const KernelProgram& program, const ProgramSizes& sizes,
                     const StoredMatrix& matrix);
// Fails when a library does not take it: rows, columns or entries are 2^31 or more. Names it.
Expected<void> check_shape(const KernelProgram& program, const ProgramSizes& sizes,
                           const StoredMatrix& matrix);

// "spmv J.fit", "gemv transposed J.fit", "symv JtJ", "syrk J.fit": the operation of the library and
// the buffer of its matrix.
std::string label_of(const KernelProgram& program, const MultiplyMatrix& step);
std::string label_of(const KernelProgram& program, const AddGram& step);

KernelFeatures count_features(const KernelProgram& program, const MultiplyMatrix& step,
                              const ProgramSizes& sizes, bool double_precision);
KernelFeatures count_features(const KernelProgram& program, const AddGram& step,
                              const ProgramSizes& sizes, bool double_precision);

}  // namespace thallo
