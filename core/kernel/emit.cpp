#include "core/kernel/emit.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/error.h"
#include "core/kernel/emit/line_marks.h"
#include "core/kernel/emit/shells.h"

namespace thallo {
namespace {

// The version of the launch interface and of the meaning of Args' words, which the text does not
// show.
constexpr int EmitterVersion = 2;

EmittedText emitted(EmitContext& context) {
  const std::string& role = context.code().role;
  const auto is_word = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; };
  THALLO_ASSERT(!role.empty() && std::all_of(role.begin(), role.end(), is_word),
                "kernel role '{}' is no identifier", role);
  return context.cuda() ? emit_cuda(context) : emit_c(context);
}

std::vector<SlotText> texts_of(const KernelProgram& program, const KernelCode& code,
                               const SlotNames& slot_names, bool describes_state) {
  const auto names = [&program](const std::vector<DimId>& dims) {
    std::vector<std::string> list;
    for (const DimId dim : dims) list.push_back(program.dims[dim.index()].name);
    return fmt::format("{}", fmt::join(list, ", "));
  };
  const KernelSlots& slots = code.slots;
  std::vector<SlotText> texts;
  for (std::size_t i = 0; i < slots.fields.size(); ++i) {
    if (slots.fields[i] == program.state && !describes_state) continue;
    const Field& field = program.field(slots.fields[i]);
    std::string meaning = field.name;
    if (!field.dims.empty()) meaning += fmt::format(" over ({})", names(field.dims));
    if (field.channels > 1) meaning += fmt::format(", {} channels", field.channels);
    texts.push_back({slot_names.fields[i], std::move(meaning)});
  }
  for (std::size_t i = 0; i < slots.maps.size(); ++i) {
    const SparseMap& map = program.maps[slots.maps[i].index()];
    texts.push_back({slot_names.maps[i],
                     fmt::format("{} from ({}) to ({})", map.name, names(map.in), names(map.out))});
  }
  for (std::size_t i = 0; i < slots.dims.size(); ++i)
    texts.push_back({slot_names.dims[i], program.dims[slots.dims[i].index()].name});
  for (std::size_t i = 0; i < slots.offsets.size(); ++i) {
    texts.push_back(
        {slot_names.offsets[i], fmt::format("offset of {}", program.field(slots.offsets[i]).name)});
  }
  for (std::size_t i = 0; i < slots.chunks.size(); ++i) {
    const auto& [of, number] = slots.chunks[i];
    texts.push_back(
        {slot_names.chunks[i], fmt::format("chunk {} of {}", number, program.field(of).name)});
  }
  return texts;
}

}  // namespace

std::string emit(const KernelProgram& program, const KernelCode& code, const EmitOptions& options) {
  EmitContext context(program, code, options, short_names(code.slots));
  const EmittedText text = emitted(context);
  return wrap_lines(text.preamble) + wrap_lines(text.functions);
}

ReadableText readable_text(const KernelProgram& program, const KernelCode& code,
                           const EmitOptions& options) {
  EmitContext compiled(program, code, options, short_names(code.slots));
  const EmittedText short_text = emitted(compiled);
  const SlotNames names =
      readable_names(program, code.slots, short_text.preamble + short_text.functions);
  EmitContext readable(program, code, options, names);
  readable.repeat(compiled.take_decisions());
  readable.mark_lines();
  const EmittedText text = emitted(readable);
  WrappedText functions = wrap_marked(text.functions);
  return {wrap_lines(text.preamble), std::move(functions.text), std::move(functions.lines_of),
          texts_of(program, code, names, false)};
}

std::string describe_slots(const KernelProgram& program, const KernelCode& code) {
  std::string comment = fmt::format("// {}\n", code.label.empty() ? code.role : code.label);
  for (const SlotText& slot : texts_of(program, code, short_names(code.slots), true))
    comment += fmt::format("// {} = {}\n", slot.name, slot.meaning);
  return comment;
}

std::string describe_slots(const KernelCode& code, const ReadableText& text) {
  std::string comment = fmt::format("// {}\n", code.label.empty() ? code.role : code.label);
  for (const auto& [name, meaning] : text.slots) {
    if (meaning == name) continue;
    const bool begins_with_name =
        meaning.starts_with(name + " ") || meaning.starts_with(name + ",");
    comment += begins_with_name ? fmt::format("// {}\n", meaning)
                                : fmt::format("// {} = {}\n", name, meaning);
  }
  return comment;
}

Hash128 canonical_key(std::string_view text, std::string_view architecture) {
  return Hasher().update(EmitterVersion).update(architecture).update(text).finish();
}

}  // namespace thallo
