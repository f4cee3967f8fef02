// The CUDA texts that schedules ask for, each once, and all of them through NVRTC.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/backend/cuda/compile.h"
#include "core/energy/energy.h"
#include "core/kernel/lower.h"
#include "core/schedule/plan.h"
#include "core/schedule/precision.h"

namespace thallo::test {

class DistinctKernels {
 public:
  // Those that are not there yet; `what` asked for them.
  void add(const std::string& what, const Energy& energy, const Plan& plan,
           const ProgramOptions& options, Precision precision);

  // Returns what asked for the first one whose text contains the word; "" if none does.
  std::string asked_with(std::string_view word) const;

  std::size_t size() const { return kernels_.size(); }
  // Compiles each kernel for one of the architectures, in turn, on all cores; expects that the
  // compiler says nothing. Prints how long all of them take.
  void expect_compile_silently(const std::vector<std::string>& targets) const;

 private:
  struct Asked {
    cuda::Source source;
    std::string what;
  };
  std::map<std::string, Asked> kernels_;  // by text
};

}  // namespace thallo::test
