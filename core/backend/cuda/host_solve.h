#pragma once

// A direct solve by the host: the matrix is downloaded and x is uploaded. Of the device's work,
// only what follows on the stream waits for it.

#include <memory>

#include "core/backend/cuda/device.h"
#include "core/backend/cuda/storage.h"
#include "core/linear/direct_solve.h"

namespace thallo::cuda {

class HostSolve {
 public:
  // Makes the solve for the maps of `sizes`, which the solver analyzes here; null if the host
  // solves nothing. The program must outlive the result.
  static std::unique_ptr<HostSolve> make(const KernelProgram& program, const ProgramSizes& sizes);

  // Waits for the stream.
  void solve(const Stream& stream, const Storage& storage);

 private:
  HostSolve(const KernelProgram& program, const SolveDirect& step, const ProgramSizes& sizes);

  const KernelProgram& program_;
  const SolveDirect& step_;
  DirectSolve solve_;
};

// True if the host solves it, whatever its size. Full matrices are factored on the device
// (dense.h), unless they are large and there is no cuSOLVER.
bool is_solved_on_host(const SolveDirect& step);

}  // namespace thallo::cuda
