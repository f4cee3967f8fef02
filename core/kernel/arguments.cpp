#include "core/kernel/arguments.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/base/error.h"

namespace thallo {

template <class T>
std::size_t slot_of(const std::vector<T>& slots, T id, const char* kind) {
  const auto it = std::find(slots.begin(), slots.end(), id);
  THALLO_ASSERT(it != slots.end(), "{} {} is not among the kernel's slots", kind, id.value());
  return static_cast<std::size_t>(it - slots.begin());
}
template std::size_t slot_of(const std::vector<FieldId>&, FieldId, const char*);
template std::size_t slot_of(const std::vector<MapId>&, MapId, const char*);
template std::size_t slot_of(const std::vector<DimId>&, DimId, const char*);

bool has_block_sums(const KernelProgram& program, const KernelCode& code) {
  return program.is_deterministic && !code.reductions.empty();
}

bool is_param(const KernelProgram& program, FieldId field) {
  return program.field(field).kind == FieldKind::Param;
}

std::vector<Argument> kernel_arguments(const KernelProgram& program, const KernelCode& code,
                                       Dialect dialect) {
  std::vector<Argument> list = {{ArgumentKind::State, "state"},
                                {ArgumentKind::GateSlot, "gate_slot"},
                                {ArgumentKind::GateValue, "gate_value"},
                                {ArgumentKind::LoopHandle, "loop"}};
  const auto add_slots = [&list](ArgumentKind kind, const char* letter, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      list.push_back({kind, fmt::format("{}{}", letter, i), i});
    }
  };
  for (std::size_t i = 0; i < code.slots.fields.size(); ++i) {
    const bool by_value = is_param(program, code.slots.fields[i]);
    list.push_back(
        {by_value ? ArgumentKind::Param : ArgumentKind::Field, fmt::format("f{}", i), i});
  }
  add_slots(ArgumentKind::Map, "m", code.slots.maps.size());
  add_slots(ArgumentKind::Extent, "n", code.slots.dims.size());
  add_slots(ArgumentKind::Offset, "o", code.slots.offsets.size());
  add_slots(ArgumentKind::Chunk, "c", code.slots.chunks.size());
  if (code.slots.needs_num_unknowns) list.push_back({ArgumentKind::NumUnknowns, "N"});
  add_slots(ArgumentKind::NumPoints, "points", code.sections.size());
  if (dialect == Dialect::C) return list;
  add_slots(ArgumentKind::FirstBlock, "block", code.sections.size());
  for (std::size_t s = 0; s < code.sections.size(); ++s) {
    if (code.sections[s].team == 0)
      list.push_back({ArgumentKind::Team, fmt::format("team{}", s), s});
    for (std::size_t d = 0; d + 1 < code.sections[s].domains.size(); ++d) {
      list.push_back({ArgumentKind::Multiplier, fmt::format("multiplier{}_{}", s, d), s, d});
      list.push_back({ArgumentKind::Shift, fmt::format("shift{}_{}", s, d), s, d});
    }
  }
  const bool has_sums = has_block_sums(program, code);
  if (code.has_epilogue || has_sums) list.push_back({ArgumentKind::Arrivals, "arrivals"});
  if (has_sums) list.push_back({ArgumentKind::BlockSums, "sums"});
  return list;
}

}  // namespace thallo
