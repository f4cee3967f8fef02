#pragma once

// Iterations of the members of a batch without the host: a team of threads makes those of a member
// one after the other, with the decisions of core/solve on what each step has left in the state.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "core/backend/cuda/compile.h"
#include "core/backend/cuda/device.h"
#include "core/backend/cuda/launch.h"
#include "core/backend/cuda/memory.h"
#include "core/backend/phase_runner.h"
#include "core/kernel/generate.h"

namespace thallo::cuda {

class MemberLoop {
 public:
  // `module` is that of member_loop_source().
  explicit MemberLoop(Module module) : module_(std::move(module)) {}

  // Takes the arguments of the bound instance.
  void bind(const LaunchContext& context, const GeneratedProgram& generated,
            std::span<const LoadedKernel> kernels);

  // As PhaseRunner::iterate_members(); throws DeviceError.
  // `interrupting` is for what has to be told while `stream` runs.
  int run(const Stream& stream, const Stream& interrupting, const MemberIterations& asked,
          std::size_t num_members);

 private:
  void reserve(std::size_t bytes, std::size_t record_bytes);

  Module module_;
  std::vector<std::uint64_t> arguments_;
  CUdeviceptr states_ = 0;
  int team_ = 1;
  DeviceBuffer exchanged_, records_;
  std::unique_ptr<PinnedBuffer> pinned_;  // what is exchanged
  std::size_t pinned_bytes_ = 0;
};

}  // namespace thallo::cuda
