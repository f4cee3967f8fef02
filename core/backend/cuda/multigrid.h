#pragma once

// The multigrid preconditioner on a device (core/kernel/multigrid.h): each pass is one launch of as
// many blocks as run at once, which wait for each other (kernels/multigrid.cu). So nothing else may
// keep them from running at once for long.

#include "core/backend/cuda/device.h"
#include "core/backend/cuda/launch.h"
#include "core/backend/cuda/memory.h"
#include "core/backend/cuda/storage.h"

namespace thallo::cuda {

class MultigridKernels {
 public:
  // `module` is compiled from multigrid_source(). Fails if the device is out of memory.
  static Expected<std::unique_ptr<MultigridKernels>> make(Module module, const Device& device);

  // Prepares launches for other sizes; none may be running. Fails if the grid has too many levels.
  Expected<void> resize(const Stream& stream, const KernelProgram& program,
                        const ProgramSizes& sizes);
  BoundLaunch bind(const KernelProgram& program, const Storage& storage,
                   const RunMultigrid& step) const;

 private:
  explicit MultigridKernels(Module module);

  Module module_;
  CUfunction build_, cycle_;
  unsigned int most_blocks_ = 0;  // that run at once
  unsigned int num_blocks_ = 0;
  DeviceBuffer arrivals_;
};

}  // namespace thallo::cuda
