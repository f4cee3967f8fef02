// Finds the GPU resources that the kernels of a schedule use, for `thallo explain --backend cuda`.
// The kernels are compiled and cached for this (core/backend/precompile.h); no device is needed.
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
  std::string why_none;                           // a sentence, if nothing could be compiled

  // Returns the registers per thread, the bytes of local memory per thread, and the bytes of shared
  // memory per block; "" for anything but a generated kernel.
  std::array<std::string, 3> cells(const std::string& label) const;
  // Adds these numbers to the JSON object of a kernel as "registers", "spill_bytes" and
  // "shared_bytes"; they are null for anything but a generated kernel.
  void add_to(nlohmann::ordered_json& kernel, const std::string& label) const;
};

KernelUsages usages_of(const Energy& energy, const Plan& plan, const ProgramOptions& program,
                       const CompileOptions& compile, const std::string& architecture);

// Throws UserError if the text is not the name of an architecture such as sm_90.
void check_architecture(const std::string& architecture);

}  // namespace thallo::cli
