#include "core/backend/cuda/sources.h"

#include <algorithm>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "core/backend/cuda/cubin.h"
#include "core/backend/cuda/host_solve.h"
#include "core/backend/cuda/member_loop_text.h"
#include "core/backend/cuda/multigrid_text.h"
#include "core/base/error.h"
#include "core/base/log.h"
#include "core/kernel/emit.h"
#include "core/kernel/memory_type.h"

namespace thallo::cuda {
namespace {

using NamedText = std::pair<std::string_view, std::string_view>;
constexpr NamedText OwnTexts[] = {
#include "core/backend/cuda/own_texts.inc"
};

std::string_view own_text(std::string_view name) {
  const std::string file = fmt::format("{}.cu", name);
  const auto* found = std::ranges::find(OwnTexts, file, &NamedText::first);
  THALLO_ASSERT(found != std::end(OwnTexts), "no text kernels/{}", file);
  return found->second;
}

// The solve that the device does, if there is one.
const SolveDirect* find_dense_solve(const KernelProgram& program) {
  for (const Step& step : program.steps(Phase::DirectSolve)) {
    const auto* solve = std::get_if<SolveDirect>(&step);
    if (solve != nullptr && !is_solved_on_host(*solve)) return solve;
  }
  return nullptr;
}

}  // namespace

Source own_source(const std::string& name, std::string_view definitions) {
  return {.name = name,
          .text = fmt::format("{}{}{}", definitions, own_text("wait"), own_text(name))};
}

Source dense_source(ScalarType real) {
  return own_source("dense_solve", fmt::format("typedef {} Real;\n", real_name(real)));
}

std::string_view real_name(ScalarType type) {
  THALLO_ASSERT(type == ScalarType::Float || type == ScalarType::Double);
  return type == ScalarType::Float ? "float" : "double";
}

std::vector<Source> program_sources(const GeneratedProgram& generated,
                                    const CompileOptions& options, int index_bits,
                                    bool has_windows) {
  const EmitOptions emit_options{.dialect = Dialect::Cuda,
                                 .precision = options.precision,
                                 .index_bits = index_bits,
                                 .block_size = options.block_size,
                                 .has_windows = has_windows};
  std::vector<Source> sources;
  for (const KernelCode& code : generated.codes) {
    sources.push_back(
        {.name = index_bits == 32 ? code.role : fmt::format("{}_{}bit", code.role, index_bits),
         .text = emit(generated.program, code, emit_options),
         .comment = fmt::format("// {}\n{}", code.label, describe_slots(generated.program, code))});
  }
  if (const SolveDirect* solve = find_dense_solve(generated.program)) {
    const FieldId matrix = generated.program.buffers[solve->matrix].fields.front();
    sources.push_back(dense_source(memory_type(generated.program, matrix, options.precision)));
  }
  if (generated.program.multigrid)
    sources.push_back(multigrid_source(generated.program, options.precision));
  if (auto loop = member_loop_source(generated, options.precision, index_bits))
    sources.push_back(*std::move(loop));
  return sources;
}

CompiledKernel record_of(const KernelCode& code, const Source& source, const CachedImage& image) {
  CompiledKernel record{.role = code.role,
                        .label = code.label,
                        .source = source.text,
                        .key = image.key,
                        .from_cache = image.from_cache,
                        .compile_seconds = image.seconds,
                        .warnings = image.warnings};
  if (const auto usage = read_kernel_usage(image.bytes, code.role)) {
    record.registers = usage->registers;
    record.spill_bytes = usage->local_bytes;
    record.shared_bytes = usage->shared_bytes;
  } else {
    logger("cuda").warn("what kernel '{}' uses is not known: {}", code.role, usage.error().what);
  }
  return record;
}

}  // namespace thallo::cuda
