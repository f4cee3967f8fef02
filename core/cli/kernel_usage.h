// What the kernels of a schedule use of a GPU, as `thallo explain --backend cuda` shows it. The
// kernels are compiled for that, and kept (core/backend/precompile.h); no device is needed.
#pragma once

#include <array>
#include <map>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "core/backend/backend.h"
#include "core/kernel/lower.h"

namespace thallo::cli {

struct KernelUsages {
  std::string architecture;                       // "sm_90"
  std::map<std::string, CompiledKernel> kernels;  // by label
  std::string why_none;                           // when nothing could be compiled: a sentence

  // Registers of a thread, bytes of its local memory, bytes of a block's shared memory; "" for what
  // is no generated kernel.
  std::array<std::string, 3> cells(const std::string& label) const;
  // The same as "registers", "spill_bytes" and "shared_bytes"; null where there is nothing.
  void add_to(nlohmann::ordered_json& kernel, const std::string& label) const;
};

KernelUsages usages_of(const Energy& energy, const Plan& plan, const ProgramOptions& program,
                       const CompileOptions& compile, const std::string& architecture);

// UserError when it is no name of an architecture, such as sm_90.
void check_architecture(const std::string& architecture);

}  // namespace thallo::cli
