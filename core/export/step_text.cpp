#include "core/export/parts.h"

#include <algorithm>
#include <variant>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/backend/cpu/launch.h"
#include "core/backend/host_executable.h"
#include "core/base/error.h"
#include "core/kernel/emit.h"
#include "core/kernel/lanes.h"
#include "core/kernel/teams.h"

namespace thallo {
namespace {

std::string_view name_of(StateSlot slot) { return StateSlotNames[static_cast<std::size_t>(slot)]; }

// "SaveScale", the enumerator.
std::string enumerator_of(Phase phase) {
  std::string name;
  bool begins = true;
  for (const char c : to_string(phase)) {
    if (c != '_') name += begins ? static_cast<char>(c - 'a' + 'A') : c;
    begins = c == '_';
  }
  return name;
}

class StepText {
 public:
  StepText(const ExportRequest& request, const ExportNames& names)
      : request_(request),
        generated_(request.generated),
        program_(request.generated.program),
        names_(names) {}

  std::string text(const std::string& phase, const Step& step) const {
    if (const auto* launch = std::get_if<LaunchKernel>(&step)) return launch_text(phase, *launch);
    if (const auto* clear = std::get_if<ClearBuffer>(&step)) return clear_text(phase, *clear);
    return direct_text(phase, std::get<SolveDirect>(step));
  }

 private:
  bool is_cuda() const { return request_.dialect == Dialect::Cuda; }

  std::string clear_text(const std::string& phase, const ClearBuffer& step) const {
    const BufferDecl& buffer = program_.buffers[step.buffer];
    const FieldId first = buffer.flat.valid() ? buffer.flat : names_.first_in_memory(buffer);
    return fmt::format("  program.add_clear(Phase::{}, m.{}, sizeof({}) * std::size_t({}));\n",
                       phase, names_.field(first), names_.type(first), names_.buffer_size(buffer));
  }

  std::string word_text(const LaunchKernel& step, const KernelCode& code,
                        const Argument& argument) const {
    const auto word = [](const std::string& value) { return fmt::format("word({})", value); };
    const auto member = [&](const std::string& name) { return word("m." + name); };
    switch (argument.kind) {
      case ArgumentKind::State: return word("m.state");
      // On a host the launch asks, on a GPU the kernel.
      case ArgumentKind::GateSlot:
        return word(is_cuda() && step.gate
                        ? fmt::format("std::int64_t{{{}}}", static_cast<int>(step.gate->slot))
                        : "std::int64_t{-1}");
      case ArgumentKind::GateValue:
        return word(fmt::format("double{{{}}}", is_cuda() && step.gate ? step.gate->value : 0.0));
      case ArgumentKind::LoopHandle: return word("std::int64_t{0}");
      case ArgumentKind::Field:
        return member(names_.field(rebound(step, code.slots.fields[argument.slot])));
      case ArgumentKind::Param: return member(names_.field(code.slots.fields[argument.slot]));
      case ArgumentKind::Map: return member(names_.map(code.slots.maps[argument.slot]));
      case ArgumentKind::Extent: return member(names_.dim(code.slots.dims[argument.slot]));
      case ArgumentKind::Offset:
        return word(
            fmt::format("std::int64_t{{{}}}", names_.offset(code.slots.offsets[argument.slot])));
      case ArgumentKind::Chunk:
        return word(
            fmt::format("std::int64_t{{{}}}", names_.chunk(code.slots.chunks[argument.slot])));
      case ArgumentKind::NumUnknowns: return word("m.num_matrix_rows");
      case ArgumentKind::NumPoints:
        return word(fmt::format("std::int64_t{{{}}}",
                                names_.num_points(code.sections[argument.slot].extents)));
      default: THALLO_UNREACHABLE();
    }
  }

  // How many points a list has in the mean that a point of the section visits. (Teams divide other
  // loops in batches alone, which are not exported to CUDA.)
  std::string visits_text(const CodeBody& section) const {
    std::vector<std::string> visits = {"0.0"};
    for (const LoopItem* loop : divided_loops(section)) {
      const SparseMap& offsets = program_.maps[section[loop->begin].map.index()];
      visits.push_back(fmt::format("ratio({}, {})", names_.num_points(loop->extents),
                                   names_.num_points(offsets.in)));
    }
    return visits.size() == 1 ? visits.front()
                              : fmt::format("std::max({{{}}})", fmt::join(visits, ", "));
  }

  std::string cuda_launch_text(const std::string& phase, const LaunchKernel& step) const {
    const KernelCode& code = generated_.codes[step.kernel];
    std::vector<std::string> words, sections;
    for (const Argument& argument : kernel_arguments(program_, code, Dialect::Cuda)) {
      if (argument.kind == ArgumentKind::FirstBlock || argument.kind == ArgumentKind::Arrivals)
        break;
      words.push_back(word_text(step, code, argument));
    }
    for (const CodeBody& section : code.sections) {
      std::vector<std::string> extents;
      for (const DimId dim : section.extents) extents.push_back("m." + names_.dim(dim));
      sections.push_back(fmt::format("{{{}, {}, {}, {}, {{{}}}}}",
                                     names_.num_points(section.extents),
                                     lanes_per_thread(program_, section, request_.precision),
                                     section.team, visits_text(section), fmt::join(extents, ", ")));
    }
    return fmt::format(
        "  program.add(Phase::{},\n              {{.kernel = {}_kernel(),\n"
        "               .block_size = {},\n               .rows_per_thread = {},\n"
        "               .has_reductions = {},\n               .has_epilogue = {},\n"
        "               .words = {},\n               .sections = {}}});\n",
        phase, names_.kernel(step.kernel), block_size_of(code, EmitOptions().block_size),
        code.shape.rows_per_thread, !code.reductions.empty(), code.has_epilogue,
        braced_list(words, 25), braced_list(sections, 28));
  }

  std::string launch_text(const std::string& phase, const LaunchKernel& step) const {
    if (is_cuda()) return cuda_launch_text(phase, step);
    const KernelCode& code = generated_.codes[step.kernel];
    const std::string& name = names_.kernel(step.kernel);
    std::vector<std::string> words, sections, reductions, scattered;
    const std::vector<Argument> arguments = kernel_arguments(program_, code, Dialect::C);
    for (const Argument& argument : arguments) words.push_back(word_text(step, code, argument));
    for (const CodeBody& section : code.sections) {
      sections.push_back(
          fmt::format("{{{}, {}}}", names_.num_points(section.extents), section.values.size()));
    }
    for (const Reduction& reduction : code.reductions) {
      reductions.push_back(fmt::format("{{StateSlot::{}, {}}}",
                                       name_of(static_cast<StateSlot>(reduction.slot)),
                                       reduction.op == ReduceOp::Max));
    }
    if (!program_.is_deterministic) {
      for (const FieldId field : code.scattered)
        scattered.push_back(scattered_text(code, step, rebound(step, field), arguments));
    }
    std::string text =
        fmt::format("  program.add(\n      Phase::{}, {},\n", phase, gate_text(step));
    text += fmt::format("      {{.kernel = {{{}, {}}},\n       .words = {},\n", name,
                        code.has_epilogue ? name + "_epilogue" : "nullptr", braced_list(words, 17));
    text += fmt::format("       .sections = {}", braced_list(sections, 20));
    if (!reductions.empty())
      text += fmt::format(",\n       .reductions = {}", braced_list(reductions, 22));
    if (!scattered.empty())
      text += fmt::format(",\n       .scattered = {}", braced_list(scattered, 21));
    if (!adds_apart(code)) text += ",\n       .keeps_apart = false";
    return text + "});\n";
  }

  static std::string gate_text(const LaunchKernel& step) {
    if (!step.gate) return "{}";
    return fmt::format("StepGate{{StateSlot::{}, {}}}", name_of(step.gate->slot), step.gate->value);
  }

  // Fields that begin where it does may be other names of the same memory.
  std::string scattered_text(const KernelCode& code, const LaunchKernel& step, FieldId target,
                             const std::vector<Argument>& arguments) const {
    std::vector<std::size_t> words;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      if (arguments[i].kind != ArgumentKind::Field) continue;
      if (begins_equally(rebound(step, code.slots.fields[arguments[i].slot]), target))
        words.push_back(i);
    }
    return fmt::format("{{reinterpret_cast<std::byte*>(m.{}), std::size_t({}), {}, {{{}}}}}",
                       names_.field(target), names_.reach(target), names_.type(target) == "double",
                       fmt::join(words, ", "));
  }

  bool begins_equally(FieldId a, FieldId b) const {
    if (a == b) return true;
    return std::ranges::any_of(program_.buffers, [&](const BufferDecl& buffer) {
      const auto has = [&](FieldId field) {
        return buffer.flat == field ||
               std::ranges::find(buffer.fields, field) != buffer.fields.end();
      };
      return has(a) && has(b) && names_.begin(a) == names_.begin(b);
    });
  }

  std::string direct_text(const std::string& phase, const SolveDirect& step) const {
    const auto data = [&](std::size_t buffer) {
      const BufferDecl& decl = program_.buffers[buffer];
      return "m." + names_.field(decl.flat.valid() ? decl.flat : names_.first_in_memory(decl));
    };
    return fmt::format(
        "  program.add_step(Phase::{},\n"
        "                   direct_solve({{.n = m.num_matrix_rows,\n"
        "                                 .matrix = {},\n{}"
        "                                 .free = {},\n"
        "                                 .b = {},\n"
        "                                 .x = {},\n"
        "                                 .state = m.state}}));\n",
        phase, data(step.matrix),
        step.damping
            ? fmt::format("                                 .damping = {},\n", data(*step.damping))
            : "",
        data(step.free), data(step.b), data(step.x));
  }

  const ExportRequest& request_;
  const GeneratedProgram& generated_;
  const KernelProgram& program_;
  const ExportNames& names_;
};

}  // namespace

std::string step_text(const ExportRequest& request, const ExportNames& names, Phase phase,
                      const Step& step) {
  return StepText(request, names).text(enumerator_of(phase), step);
}

std::string braced_list(const std::vector<std::string>& items, std::size_t indent) {
  constexpr std::size_t Width = 100;
  std::string text = "{";
  std::size_t column = indent;
  for (const std::string& item : items) {
    const bool is_first = text.size() == 1;
    if (!is_first) text += ",";
    if (!is_first && column + item.size() + 3 > Width) {
      text += "\n" + std::string(indent, ' ');
      column = indent;
    } else if (!is_first) {
      text += " ";
    }
    text += item;
    column += item.size() + 2;
  }
  return text + "}";
}

}  // namespace thallo
