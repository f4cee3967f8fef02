#include "core/kernel/emit/slot_names.h"

#include <fmt/format.h>

#include "core/kernel/identifiers.h"

namespace thallo {
namespace {

std::vector<std::string> numbered(char letter, std::size_t count) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < count; ++i) names.push_back(fmt::format("{}{}", letter, i));
  return names;
}

}  // namespace

SlotNames short_names(const KernelSlots& slots) {
  return {.fields = numbered('f', slots.fields.size()),
          .maps = numbered('m', slots.maps.size()),
          .dims = numbered('n', slots.dims.size()),
          .offsets = numbered('o', slots.offsets.size()),
          .chunks = numbered('c', slots.chunks.size()),
          .lanes = numbered('v', slots.fields.size()),
          .num_unknowns = "N"};
}

SlotNames readable_names(const KernelProgram& program, const KernelSlots& slots,
                         std::string_view text) {
  Identifiers names(words_of(text));
  SlotNames result;
  const auto name_of = [&](FieldId field) -> const std::string& {
    return program.field(field).name;
  };
  for (const FieldId field : slots.fields) result.fields.push_back(names.take(name_of(field)));
  for (const MapId map : slots.maps)
    result.maps.push_back(names.take(program.maps[map.index()].name));
  for (const DimId dim : slots.dims)
    result.dims.push_back(names.take(program.dims[dim.index()].name));
  for (const FieldId field : slots.offsets)
    result.offsets.push_back(names.take("offset_" + name_of(field)));
  for (const auto& [of, number] : slots.chunks)
    result.chunks.push_back(names.take(fmt::format("{}_chunk_{}", name_of(of), number)));
  for (const std::string& field : result.fields)
    result.lanes.push_back(names.take(field + "_lanes"));
  result.num_unknowns = names.take("num_unknowns");
  return result;
}

}  // namespace thallo
