#include "core/kernel/emit.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/error.h"
#include "core/kernel/emit/c.h"
#include "core/kernel/emit/cuda.h"
#include "core/kernel/emit/wrap_lines.h"

namespace thallo {
namespace {

// The version of the launch interface and of the meaning of Args' words, which the text does not
// show.
constexpr int EmitterVersion = 2;

}  // namespace

std::string emit(const KernelProgram& program, const KernelCode& code, const EmitOptions& options) {
  const auto is_word = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; };
  THALLO_ASSERT(!code.role.empty() && std::all_of(code.role.begin(), code.role.end(), is_word),
                "kernel role '{}' is no identifier", code.role);
  EmitContext context(program, code, options);
  return wrap_lines(options.dialect == Dialect::Cuda ? emit_cuda(context) : emit_c(context));
}

std::vector<std::string> slot_texts(const KernelProgram& program, const KernelCode& code) {
  const auto names = [&program](const std::vector<DimId>& dims) {
    std::vector<std::string> list;
    for (const DimId dim : dims) list.push_back(program.dims[dim.index()].name);
    return fmt::format("{}", fmt::join(list, ", "));
  };
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < code.slots.fields.size(); ++i) {
    const Field& field = program.field(code.slots.fields[i]);
    std::string& text = texts.emplace_back(fmt::format("f{} = {}", i, field.name));
    if (!field.dims.empty()) text += fmt::format(" over ({})", names(field.dims));
    if (field.channels > 1) text += fmt::format(", {} channels", field.channels);
  }
  for (std::size_t i = 0; i < code.slots.maps.size(); ++i) {
    const SparseMap& map = program.maps[code.slots.maps[i].index()];
    texts.push_back(
        fmt::format("m{} = {} from ({}) to ({})", i, map.name, names(map.in), names(map.out)));
  }
  for (std::size_t i = 0; i < code.slots.dims.size(); ++i)
    texts.push_back(fmt::format("n{} = {}", i, program.dims[code.slots.dims[i].index()].name));
  for (std::size_t i = 0; i < code.slots.offsets.size(); ++i) {
    texts.push_back(
        fmt::format("o{} = offset of {}", i, program.field(code.slots.offsets[i]).name));
  }
  for (std::size_t i = 0; i < code.slots.chunks.size(); ++i) {
    const auto& [of, number] = code.slots.chunks[i];
    texts.push_back(fmt::format("c{} = chunk {} of {}", i, number, program.field(of).name));
  }
  return texts;
}

std::string describe_slots(const KernelProgram& program, const KernelCode& code) {
  std::string comment = fmt::format("// {}\n", code.label.empty() ? code.role : code.label);
  for (const std::string& text : slot_texts(program, code)) comment += fmt::format("// {}\n", text);
  return comment;
}

Hash128 canonical_key(std::string_view text, std::string_view architecture) {
  return Hasher().update(EmitterVersion).update(architecture).update(text).finish();
}

std::int64_t launch_blocks(const LaunchSize& size) {
  const std::int64_t points_of_a_thread = std::max(size.lanes, size.rows_per_thread);
  const std::int64_t threads = (size.num_points + points_of_a_thread - 1) / points_of_a_thread;
  const std::int64_t blocks = (threads + size.block_size - 1) / size.block_size;
  if (!size.has_reductions || size.rows_per_thread > 0) return blocks;
  // Threads that do a few points each cost less than blocks that wait for each other at the end.
  constexpr std::int64_t points_of_a_lone_thread = 4;
  if (size.has_epilogue && size.num_points <= points_of_a_lone_thread * size.block_size)
    return std::min<std::int64_t>(blocks, 1);
  // Every block adds to the state, one after the other, and the epilogue waits for all of them.
  // Few threads keep memory busy where each reads much and computes little, as in the solver's
  // kernels; what computes hides its latencies behind as many threads as there is room for.
  const std::int64_t enough_threads = size.has_epilogue ? 1024 : 2048;
  const std::int64_t per_multiprocessor =
      std::max<std::int64_t>(1, enough_threads / size.block_size);
  return std::min({blocks, size.resident_blocks, per_multiprocessor * size.num_multiprocessors});
}

}  // namespace thallo
