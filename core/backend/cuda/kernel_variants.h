#pragma once

// The kernels of a program on a device: compiled for 32-bit indices and with windows (tiles.h), and
// for 64-bit indices or without windows as soon as a bound instance needs that. With them come the
// dense solver's, multigrid's or those of a batch, if the program has those.

#include <compare>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "core/backend/backend.h"
#include "core/backend/cuda/compile.h"
#include "core/backend/cuda/dense.h"
#include "core/backend/cuda/device.h"
#include "core/backend/cuda/launch.h"
#include "core/backend/cuda/member_loop.h"
#include "core/backend/cuda/multigrid.h"
#include "core/kernel/generate.h"

namespace thallo::cuda {

class KernelVariants {
 public:
  // All arguments must outlive it.
  KernelVariants(const Device& device, const GeneratedProgram& generated,
                 const CompileOptions& options)
      : device_(device), generated_(generated), options_(options) {}

  // What the sizes of an instance decide.
  struct Variety {
    int index_bits = 0;
    bool has_windows = true;

    friend auto operator<=>(const Variety&, const Variety&) = default;
  };
  // Compiles what is not compiled yet for this variety, which is then the one in use.
  Expected<void> use(Variety variety);
  // Uses the variety that these sizes need, with 64-bit indices for all sizes if
  // THALLO_CUDA_INDEX_BITS=64, and prepares the kernels of solvers for them.
  Expected<void> resize(const Stream& stream, const ProgramSizes& sizes);
  // Returns the bytes that a dense solve takes for these sizes, beside what the program stores.
  std::int64_t workspace_bytes(const ProgramSizes& sizes) const {
    return dense_ != nullptr ? DenseSolver::bytes(sizes.num_matrix_rows()) : 0;
  }
  int index_bits() const { return used_.index_bits; }
  bool has_windows() const { return used_.has_windows; }
  // In the order of program.kernels.
  const std::vector<LoadedKernel>& kernels() const { return variants_.at(used_).kernels; }
  const std::vector<CompiledKernel>& records() const { return variants_.at(used_).records; }
  // Null if the program has no dense solve, or no multigrid.
  DenseSolver* dense() const { return dense_.get(); }
  MultigridKernels* multigrid() const { return multigrid_.get(); }
  // Null if the program is of no batch, or one that the host decides for.
  MemberLoop* member_loop() const { return variants_.at(used_).member_loop.get(); }

 private:
  struct Variant {
    std::vector<Module> modules;
    std::vector<LoadedKernel> kernels;
    std::vector<CompiledKernel> records;
    std::unique_ptr<MemberLoop> member_loop;
  };
  Expected<void> load_solver(const Source& source, CachedImage& image, Variant& variant);
  Expected<void> load_kernels(std::span<const Source> sources, std::span<CachedImage> images,
                              Variant& variant) const;

  const Device& device_;
  const GeneratedProgram& generated_;
  const CompileOptions& options_;
  std::map<Variety, Variant> variants_;
  Variety used_;
  std::unique_ptr<DenseSolver> dense_;
  std::unique_ptr<MultigridKernels> multigrid_;
};

}  // namespace thallo::cuda
