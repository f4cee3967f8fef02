#include "core/cli/kernel_usage.h"

#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/backend/precompile.h"
#include "core/base/error.h"
#include "core/kernel/generate.h"

namespace thallo::cli {

std::array<std::string, 3> KernelUsages::cells(const std::string& label) const {
  const auto found = kernels.find(label);
  if (found == kernels.end() || found->second.registers == 0) return {};
  const CompiledKernel& kernel = found->second;
  return {fmt::to_string(kernel.registers), fmt::to_string(kernel.spill_bytes),
          fmt::to_string(kernel.shared_bytes)};
}

void KernelUsages::add_to(nlohmann::ordered_json& json, const std::string& label) const {
  const auto found = kernels.find(label);
  const CompiledKernel* kernel =
      found == kernels.end() || found->second.registers == 0 ? nullptr : &found->second;
  const auto or_null = [&](int CompiledKernel::*member) {
    return kernel ? nlohmann::ordered_json(kernel->*member) : nlohmann::ordered_json();
  };
  json["registers"] = or_null(&CompiledKernel::registers);
  json["spill_bytes"] = or_null(&CompiledKernel::spill_bytes);
  json["shared_bytes"] = or_null(&CompiledKernel::shared_bytes);
}

KernelUsages usages_of(const Energy& energy, const Plan& plan, const ProgramOptions& program,
                       const CompileOptions& compile, const std::string& architecture) {
  KernelUsages usages{.architecture = architecture, .kernels = {}, .why_none = {}};
  const auto precompiler = make_precompiler("cuda", architecture);
  if (!precompiler) {
    usages.why_none = precompiler.error().what;
    return usages;
  }
  auto compiled = (*precompiler)->compile(generate(make_program(energy, plan, program)), compile);
  if (!compiled) {
    usages.why_none = compiled.error().message();
    return usages;
  }
  for (CompiledKernel& kernel : *compiled) usages.kernels.emplace(kernel.label, std::move(kernel));
  return usages;
}

void check_architecture(const std::string& architecture) {
  const std::string_view text = architecture;
  const std::string_view number = text.starts_with("sm_") ? text.substr(3) : std::string_view();
  if (number.empty() || number.find_first_not_of("0123456789af") != std::string_view::npos) {
    throw UserError(fmt::format(
        "--arch {}: write sm_ and the compute capability, e.g. sm_80 or sm_90", architecture));
  }
}

}  // namespace thallo::cli
