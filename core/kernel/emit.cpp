#include "core/kernel/emit.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/error.h"
#include "core/kernel/emit_shells.h"

namespace thallo {
namespace {

// Of the launch interface and of what the words of Args mean; the text does not tell.
constexpr int EmitterVersion = 1;

}  // namespace

std::string emit(const KernelProgram& program, const KernelCode& code, const EmitOptions& options) {
  const auto is_word = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; };
  THALLO_ASSERT(!code.role.empty() && std::all_of(code.role.begin(), code.role.end(), is_word),
                "kernel role '{}' is no identifier", code.role);
  EmitContext context(program, code, options);
  return wrap_lines(options.dialect == Dialect::Cuda ? emit_cuda(context) : emit_c(context));
}

std::string describe_slots(const KernelProgram& program, const KernelCode& code) {
  const auto names = [&program](const std::vector<DimId>& dims) {
    std::vector<std::string> list;
    for (const DimId dim : dims) list.push_back(program.dims[dim.index()].name);
    return fmt::format("{}", fmt::join(list, ", "));
  };
  std::string text = fmt::format("// {}\n", code.label.empty() ? code.role : code.label);
  for (std::size_t i = 0; i < code.slots.fields.size(); ++i) {
    const Field& field = program.field(code.slots.fields[i]);
    text += fmt::format("// f{} = {}", i, field.name);
    if (!field.dims.empty()) text += fmt::format(" over ({})", names(field.dims));
    if (field.channels > 1) text += fmt::format(", {} channels", field.channels);
    text += '\n';
  }
  for (std::size_t i = 0; i < code.slots.maps.size(); ++i) {
    const SparseMap& map = program.maps[code.slots.maps[i].index()];
    text +=
        fmt::format("// m{} = {} from ({}) to ({})\n", i, map.name, names(map.in), names(map.out));
  }
  for (std::size_t i = 0; i < code.slots.dims.size(); ++i) {
    text += fmt::format("// n{} = {}\n", i, program.dims[code.slots.dims[i].index()].name);
  }
  for (std::size_t i = 0; i < code.slots.offsets.size(); ++i) {
    text += fmt::format("// o{} = offset of {}\n", i, program.field(code.slots.offsets[i]).name);
  }
  return text;
}

Hash128 canonical_key(std::string_view text, std::string_view architecture) {
  return Hasher().update(EmitterVersion).update(architecture).update(text).finish();
}

std::int64_t launch_blocks(std::int64_t num_points, int block_size, bool has_reductions,
                           bool has_epilogue, std::int64_t max_blocks) {
  const std::int64_t blocks = (num_points + block_size - 1) / block_size;
  if (!has_reductions) return blocks;
  // Threads that do a few points each cost less than blocks that wait for each other at the end.
  constexpr std::int64_t points_of_a_lone_thread = 4;
  if (has_epilogue && num_points <= points_of_a_lone_thread * block_size)
    return std::min<std::int64_t>(blocks, 1);
  return std::min(blocks, max_blocks);
}

}  // namespace thallo
