#pragma once

// Carries out the request "kernels" of a worker (worker.h): generates the kernels of a program and,
// if asked to, compiles them.

#include <string>

#include "core/backend/precompile.h"
#include "core/cost/model/work.h"
#include "core/explore/worker/messages.h"
#include "core/kernel/bind/sizes.h"
#include "core/kernel/generate.h"

namespace thallo {

// Says what the texts of kernels are made for.
struct KernelTarget {
  std::string backend;
  std::string architecture;
  CompileOptions compile;
  const Precompiler* precompiler = nullptr;  // null: nothing is compiled
};

// Returns the text of a kernel that the backend compiles, or that the interpreter executes. Its
// canonical_key() is the kernel's key, except on the interpreter (KernelSignatures).
std::string compiled_text(const KernelProgram& program, const KernelCode& code,
                          const KernelTarget& target);

// True if the kernel has all registers that a thread of its block can have, and local memory.
// Memory alone is no sign of spilling: called functions, such as sine, have a stack of their own.
bool spills_registers(const CompiledKernel& kernel, int block_threads);

// Sends one part for each kernel: in order if nothing is compiled, otherwise as soon as each kernel
// is compiled. Throws Refusal if a kernel does not compile or the request is cancelled.
void send_kernels(const GeneratedProgram& program, const ProgramSizes& sizes,
                  const ProgramWork& work, const KernelTarget& target, MessageWriter& messages);

}  // namespace thallo
