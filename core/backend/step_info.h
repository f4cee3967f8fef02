#pragma once

// The steps of a phase as they run for one bound instance. Measurements and cost models name a step
// by what its time depends on: a kernel by its canonical key, a library operation by its matrix, a
// clear by its bytes.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/kernel/bind/sizes.h"
#include "core/kernel/generate.h"
#include "core/kernel/library_ops.h"

namespace thallo {

enum class StepKind {
  Kernel,
  Clear,
  Product,  // MultiplyMatrix
  Gram,     // AddGram
  DirectSolve,
  Multigrid
};
// "kernel", "clear", "product", "gram", "direct_solve", "multigrid"
std::string_view to_string(StepKind kind);

// The matrix of a library operation or of a direct solve (N x N).
struct StepMatrix {
  MatrixKind kind = MatrixKind::Csr;
  ScalarType type = ScalarType::Float;  // of its entries in memory
  bool is_transposed = false;           // Product: true if it multiplies by the transpose
  MatrixShape shape;
};

struct StepInfo {
  Phase phase = Phase::Setup;
  StepKind kind = StepKind::Kernel;
  std::string label;                 // "apply_jtjp [fit]", "clear b", "spmv J.fit", "dense solve"
  bool is_launched = true;           // false if there is nothing to do for these sizes
  std::string key;                   // Kernel: CompiledKernel::key; empty if not compiled
  std::int64_t points = 0;           // Kernel: summed over its sections
  std::int64_t bytes = 0;            // Clear: the bytes set to zero
  std::optional<StepMatrix> matrix;  // Product, Gram, DirectSolve
};

// True if there is something to do for these sizes. False for a kernel without points and epilogue,
// the clear of an empty buffer, and an operation that leaves its result unchanged.
bool is_launched(const GeneratedProgram& generated, const ProgramSizes& sizes, const Step& step);

}  // namespace thallo
