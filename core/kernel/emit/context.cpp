#include "core/kernel/emit/context.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/kernel/emit/line_marks.h"

namespace thallo {

namespace {

std::ptrdiff_t num_calls(const KernelCode& code) {
  std::ptrdiff_t calls = 0;
  for (const CodeBody& section : code.sections) {
    calls += std::ranges::count_if(section.values, [](const Instruction& value) {
      return value.kind == InstructionKind::Operation &&
             info(value.op).kind == OpKind::Transcendental;
    });
  }
  return calls;
}

constexpr std::ptrdiff_t MaxInlinedCalls = 64;

}  // namespace

EmitContext::EmitContext(const KernelProgram& program, const KernelCode& code,
                         const EmitOptions& options, SlotNames names)
    : program_(program),
      code_(code),
      options_(options),
      names_(std::move(names)),
      real_is_double_(options.precision == Precision::Double ||
                      code.compute == ComputeType::Double),
      shares_functions_(options.dialect == Dialect::Cuda && num_calls(code) > MaxInlinedCalls),
      helpers_(options, real_is_double_) {
  THALLO_ASSERT(options.index_bits == 32 || options.index_bits == 64, "index width {}",
                options.index_bits);
  THALLO_ASSERT(block_size() > 0 && block_size() % 32 == 0 && block_size() <= 1024, "block size {}",
                block_size());
}

std::string_view EmitContext::name_of(ValueType type) const {
  switch (type) {
    case ValueType::Real: return real_name(real_is_double_);
    case ValueType::Scalar: return "double";
    case ValueType::Index: return "idx_t";
    case ValueType::Bool: return "bool";
  }
  THALLO_UNREACHABLE();
}

std::string EmitContext::field(FieldId field) {
  if (field == program_.state) {
    mentions_.state = true;
    return "state";
  }
  const std::size_t slot = slot_of(code_.slots.fields, field, "field");
  mentions_.fields.insert(slot);
  return names_.fields[slot];
}

std::string EmitContext::lanes_of(FieldId field) {
  return names_.lanes[slot_of(code_.slots.fields, field, "field")];
}

std::string EmitContext::lane_type(FieldId field) {
  helpers_.use_lanes(memory(field));
  return std::string(memory_name(memory(field)));
}

// In C a local copy: compilers take a read through the pointer `a` for one that a branch protects.
std::string EmitContext::param(FieldId field) {
  const std::size_t slot = slot_of(code_.slots.fields, field, "param");
  if (cuda()) return word(names_.fields[slot]);
  mentions_.params.insert(slot);
  return names_.fields[slot];
}

std::string EmitContext::map(MapId map) {
  const std::size_t slot = slot_of(code_.slots.maps, map, "map");
  mentions_.maps.insert(slot);
  return names_.maps[slot];
}

std::string EmitContext::dim(DimId dim) {
  const std::size_t slot = slot_of(code_.slots.dims, dim, "dim");
  mentions_.dims.insert(slot);
  return names_.dims[slot];
}

std::string EmitContext::offset(FieldId field) {
  const std::size_t slot = slot_of(code_.slots.offsets, field, "offset of field");
  mentions_.offsets.insert(slot);
  return names_.offsets[slot];
}

std::string EmitContext::chunk(const LaterChunk& chunk) {
  const auto slot = std::ranges::find(code_.slots.chunks, chunk);
  THALLO_ASSERT(slot != code_.slots.chunks.end(), "chunk {} of field {} is not among the slots",
                chunk.number, chunk.of.value());
  const auto position = static_cast<std::size_t>(slot - code_.slots.chunks.begin());
  mentions_.chunks.insert(position);
  return names_.chunks[position];
}

std::string EmitContext::num_unknowns() {
  THALLO_ASSERT(code_.slots.needs_num_unknowns, "the kernel's slots lack N");
  mentions_.num_unknowns = true;
  return names_.num_unknowns;
}

std::string EmitContext::state_slot(int channel) {
  THALLO_ASSERT(channel >= 0 && channel < num_state_slots, "state slot {}", channel);
  state_slots_.insert(channel);
  return std::string(StateSlotNames[static_cast<std::size_t>(channel)]);
}

std::string EmitContext::reduction(std::size_t reduction) {
  reductions_.insert(reduction);
  return fmt::format("r{}", reduction);
}

std::string EmitContext::sum(std::size_t reduction) {
  if (!in_lanes()) return this->reduction(reduction);
  lane_sums_.insert(reduction);
  return fmt::format("g{}", reduction);
}

std::string EmitContext::word(std::string_view name) const {
  return fmt::format("{}{}", cuda() ? "a." : "a->", name);
}

std::string EmitContext::take_mark() { return line_mark(std::exchange(lines_, {})); }

bool EmitContext::is_short(bool as_written) {
  const std::size_t number = decisions_.size();
  if (repeated_) {
    THALLO_ASSERT(number < repeated_->size(), "the readable text has other values");
    as_written = (*repeated_)[number];
  }
  decisions_.push_back(as_written);
  return as_written;
}

// True if one of the fields is a whole solver vector, and the other its part for one unknown.
bool EmitContext::overlap(FieldId a, FieldId b) const {
  return std::ranges::any_of(program_.buffers, [&](const BufferDecl& buffer) {
    const auto is_part = [&buffer](FieldId field) {
      return std::ranges::find(buffer.fields, field) != buffer.fields.end();
    };
    return buffer.flat.valid() &&
           ((buffer.flat == a && is_part(b)) || (buffer.flat == b && is_part(a)));
  });
}

bool EmitContext::has_own_memory(FieldId field) const {
  return std::ranges::none_of(code_.slots.fields,
                              [&](FieldId other) { return overlap(field, other); });
}

bool EmitContext::is_changed(FieldId field) const {
  const auto changes = [&](FieldId changed) { return changed == field || overlap(changed, field); };
  return field == program_.state || std::ranges::any_of(code_.written, changes) ||
         std::ranges::any_of(code_.scattered, changes);
}

bool EmitContext::knows_halves() const {
  return std::ranges::any_of(code_.slots.fields, [this](FieldId field) {
    return !is_param(program_, field) && memory(field) == ScalarType::Half;
  });
}

std::string EmitContext::take_declarations(int indent, StatePointer state) {
  const Mentions mentioned = std::exchange(mentions_, {});
  const std::string space(static_cast<std::size_t>(indent), ' ');
  // The functions of members are inlined into one kernel, which reads what they store.
  const std::string restrict_word = options_.is_member_function ? ""
                                    : cuda()                    ? "__restrict__ "
                                                                : "restrict ";
  std::string text;
  if (mentioned.state) {
    text += fmt::format("{}{}double* const {}state = {};\n", space,
                        state == StatePointer::Volatile ? "volatile " : "",
                        cuda() ? "" : "restrict ", word("state"));
  }
  // `restrict` holds: fields that a launch changes share memory with no other.
  for (const std::size_t slot : mentioned.fields) {
    const FieldId field = code_.slots.fields[slot];
    const bool changed = is_changed(field);
    text += fmt::format("{}{}{}* const {}{} = {};\n", space, changed ? "" : "const ",
                        memory_name(memory(field)),
                        changed && !has_own_memory(field) ? "" : restrict_word, names_.fields[slot],
                        word(names_.fields[slot]));
  }
  for (const std::size_t slot : mentioned.params)
    text += fmt::format("{0}const double {1} = a->{1};\n", space, names_.fields[slot]);
  for (const std::size_t slot : mentioned.maps) {
    text += fmt::format("{}const int* const {}{} = {};\n", space, restrict_word, names_.maps[slot],
                        word(names_.maps[slot]));
  }
  const auto index = [&](const std::string& name) {
    text += fmt::format("{}const idx_t {} = (idx_t){};\n", space, name, word(name));
  };
  for (const std::size_t slot : mentioned.dims) index(names_.dims[slot]);
  for (const std::size_t slot : mentioned.offsets) index(names_.offsets[slot]);
  for (const std::size_t slot : mentioned.chunks) index(names_.chunks[slot]);
  if (mentioned.num_unknowns) index(names_.num_unknowns);
  return text;
}

std::string EmitContext::args_struct() const {
  std::string text = "typedef struct {\n";
  for (const Argument& argument : kernel_arguments(program_, code_, options_.dialect)) {
    std::string type = "long long";
    std::string name = argument.name;
    switch (argument.kind) {
      case ArgumentKind::State: type = "double*"; break;
      case ArgumentKind::GateValue: type = "double"; break;
      case ArgumentKind::Param:
        type = "double";
        name = names_.fields[argument.slot];
        break;
      case ArgumentKind::Field: {
        const FieldId field = code_.slots.fields[argument.slot];
        type = fmt::format("{}{}*", is_changed(field) ? "" : "const ", memory_name(memory(field)));
        name = names_.fields[argument.slot];
        break;
      }
      case ArgumentKind::Map:
        type = "const int*";
        name = names_.maps[argument.slot];
        break;
      case ArgumentKind::Extent: name = names_.dims[argument.slot]; break;
      case ArgumentKind::Offset: name = names_.offsets[argument.slot]; break;
      case ArgumentKind::Chunk: name = names_.chunks[argument.slot]; break;
      case ArgumentKind::NumUnknowns: name = names_.num_unknowns; break;
      case ArgumentKind::GateSlot:
      case ArgumentKind::NumPoints:
      case ArgumentKind::FirstBlock:
      case ArgumentKind::Team: break;
      case ArgumentKind::LoopHandle:
      case ArgumentKind::Multiplier:
      case ArgumentKind::Shift: type = "unsigned long long"; break;
      case ArgumentKind::Arrivals: type = "unsigned int*"; break;
      case ArgumentKind::BlockSums: type = "double*"; break;
    }
    text += fmt::format("  {} {};\n", type, name);
  }
  return text + "} Args;\n\n";
}

std::string EmitContext::type_definitions() const {
  const bool wide = options_.index_bits == 64;
  std::string text = fmt::format("typedef {} idx_t;\ntypedef unsigned {} uidx_t;\n\n",
                                 wide ? "long long" : "int", wide ? "long long" : "int");
  if (knows_halves()) text += half_definitions(options_.dialect);
  text += args_struct();
  if (!state_slots_.empty()) {
    std::string list;
    for (const int slot : state_slots_) {
      list += fmt::format("{}{} = {}", list.empty() ? "" : ", ",
                          StateSlotNames[static_cast<std::size_t>(slot)], slot);
    }
    text += fmt::format("enum {{ {} }};\n\n", list);
  }
  return text;
}

}  // namespace thallo
