#pragma once

// A direct solve by the host: the matrix comes down, x goes up. Nothing else of an iteration waits
// for it but what follows on the stream.

#include <memory>

#include "core/backend/cuda/device.h"
#include "core/backend/cuda/storage.h"
#include "core/linear/direct_solve.h"

namespace thallo::cuda {

class HostSolve {
 public:
  // For the maps of `sizes`, which the solver looks at here; null if the host solves nothing. The
  // program must outlive it.
  static std::unique_ptr<HostSolve> make(const KernelProgram& program, const ProgramSizes& sizes);

  // Waits for the stream.
  void solve(const Stream& stream, const Storage& storage);

 private:
  HostSolve(const SolveDirect& step, const ProgramSizes& sizes);

  const SolveDirect& step_;
  DirectSolve solve_;
};

// Does the host solve it? cuda itself has the dense solver (dense.h).
bool is_solved_on_host(const SolveDirect& step);

}  // namespace thallo::cuda
