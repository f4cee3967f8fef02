#include "core/explore/worker/worker_kernels.h"

#include <algorithm>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "core/backend/step_info.h"
#include "core/explore/worker/answers.h"
#include "core/explore/worker/refusal.h"
#include "core/kernel/code_print.h"
#include "core/kernel/emit.h"

namespace thallo {
namespace {

// Returns the steps that launch each kernel.
std::vector<std::vector<KernelLaunch>> launches_of(const GeneratedProgram& program,
                                                   const ProgramSizes& sizes,
                                                   const ProgramWork& work) {
  std::vector<std::vector<KernelLaunch>> launches(program.codes.size());
  std::size_t next = 0;
  for (const auto& [phase, steps] : program.program.phases) {
    for (const Step& step : steps) {
      const StepWork& of_step = work.steps[next++];
      const auto* launch = std::get_if<LaunchKernel>(&step);
      if (launch == nullptr || !is_launched(program, sizes, step)) continue;
      launches[launch->kernel].push_back({.phase = phase,
                                          .label = of_step.label,
                                          .flops = of_step.features.flops.total(),
                                          .must_move = of_step.features.must_move(),
                                          .atomics = of_step.features.atomics});
    }
  }
  return launches;
}

EmitOptions emit_options(const KernelTarget& target) {
  return {.dialect = target.backend == "cuda" ? Dialect::Cuda : Dialect::C,
          .precision = target.compile.precision,
          .block_size = target.compile.block_size};
}

std::string key_of(const KernelProgram& program, const KernelCode& code,
                   const KernelTarget& target) {
  return canonical_key(compiled_text(program, code, target), target.architecture).hex();
}

void add_text(const KernelProgram& program, const KernelCode& code, const KernelTarget& target,
              KernelText& part) {
  if (target.backend == "interpreter") {
    part.text = to_string(program, code);
    return;
  }
  ReadableText text = readable_text(program, code, emit_options(target));
  part.preamble = std::move(text.preamble);
  part.text = std::move(text.functions);
  part.lines_of = std::move(text.lines_of);
  for (const auto& [name, meaning] : text.slots)
    part.slots.push_back(fmt::format("{} = {}", name, meaning));
}

}  // namespace

std::string compiled_text(const KernelProgram& program, const KernelCode& code,
                          const KernelTarget& target) {
  return target.backend == "interpreter" ? to_string(program, code)
                                         : emit(program, code, emit_options(target));
}

bool spills_registers(const CompiledKernel& kernel, int block_threads) {
  constexpr int PerBlock = 65536, PerThread = 255, Granularity = 8;
  const int share = PerBlock / block_threads / Granularity * Granularity;
  return kernel.spill_bytes > 0 && kernel.registers >= std::min(PerThread, share);
}

void send_kernels(const GeneratedProgram& program, const ProgramSizes& sizes,
                  const ProgramWork& work, const KernelTarget& target, MessageWriter& messages) {
  const auto launches = launches_of(program, sizes, work);
  const auto send = [&](std::size_t kernel, const CompiledKernel* record) {
    const KernelCode& code = program.codes[kernel];
    KernelText part{.kernel = kernel,
                    .role = code.role,
                    .label = code.label,
                    .key = record != nullptr ? record->key : key_of(program.program, code, target),
                    .launches = launches[kernel]};
    add_text(program.program, code, target, part);
    if (target.backend == "cuda")
      part.block_threads = block_size_of(code, target.compile.block_size);
    if (record != nullptr) part.compiled = *record;
    messages.part(part);
  };
  if (target.precompiler == nullptr) {
    for (std::size_t k = 0; k < program.codes.size(); ++k) send(k, nullptr);
    return;
  }
  wanted_compiled(
      target.precompiler->compile(
          program, target.compile,
          [&](std::size_t kernel, const CompiledKernel& record) { send(kernel, &record); }),
      target.compile.stop);
}

}  // namespace thallo
