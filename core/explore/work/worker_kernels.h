#pragma once

// The request "kernels" to a worker (worker.h): the kernels of a program as they are generated, and
// what a compiler makes of them.

#include <stop_token>

#include "core/backend/precompile.h"
#include "core/cost/work.h"
#include "core/explore/work/messages.h"
#include "core/kernel/bind/sizes.h"
#include "core/kernel/generate.h"

namespace thallo {

// What the texts are for.
struct KernelTarget {
  std::string backend;
  std::string architecture;
  CompileOptions compile;
  const Precompiler* precompiler = nullptr;  // null: nothing is compiled
};

// Sends a part for each kernel: in their order where nothing is compiled, else each as soon as it
// is compiled. Throws Refusal when a kernel does not compile, or when that was cancelled.
void send_kernels(const GeneratedProgram& program, const ProgramSizes& sizes,
                  const ProgramWork& work, const KernelTarget& target, MessageWriter& messages);

}  // namespace thallo
