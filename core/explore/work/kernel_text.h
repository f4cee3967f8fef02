#pragma once

// Reads the answers of workers to the request "kernels" (worker.h) from JSON. The texts come from a
// worker of the same build, so a fault in them is our bug and is thrown.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/explore/work/step_features.h"
#include "core/kernel/program.h"

namespace thallo {

// A step that launches the kernel.
struct KernelLaunch {
  Phase phase = Phase::Setup;
  std::string label;      // "apply_jtjp [fit]"
  StepFeatures features;  // of one launch
};

// What is known about a kernel once it is compiled.
struct KernelResources {
  bool from_cache = false;
  double seconds = 0;  // compiling, or reading from the cache
  std::string warnings;
  int registers = 0;  // per thread; 0 if unknown
  int spill_bytes = 0;
  int shared_bytes = 0;  // per block
};

// One part of the answer.
struct KernelText {
  std::size_t kernel = 0;            // its position in the program
  std::string role;                  // the name of the function: "apply_jtjp"
  std::string label;                 // "apply_jtjp [fit]"
  std::string key;                   // canonical key (core/kernel/emit.h), hex
  std::string text;                  // CUDA or C; for the interpreter the loop nest
  std::vector<std::string> slots;    // what the arguments of the text stand for (slot_texts())
  std::optional<int> block_threads;  // CUDA
  std::vector<KernelLaunch> launches;
  std::optional<KernelResources> compiled;  // absent if compiling was not requested
};

// The final answer, sent after its parts.
struct KernelsAnswer {
  std::string schedule;  // as text
  std::string backend;
  std::string architecture;
  std::size_t num_kernels = 0;
};

KernelText read_kernel_text(const std::string& json);
KernelsAnswer read_kernels_answer(const std::string& json);

}  // namespace thallo
