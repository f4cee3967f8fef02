#include "core/kernel/emit/vector_access.h"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>
#include <variant>

#include "core/kernel/arguments.h"
#include "core/kernel/lanes.h"
#include "core/kernel/memory_type.h"

namespace thallo {
namespace {

bool is_product(const KernelProgram& program, FieldId field) {
  return std::ranges::any_of(program.buffers, [field](const BufferDecl& buffer) {
    return buffer.kind == BufferKind::Product &&
           std::ranges::find(buffer.fields, field) != buffer.fields.end();
  });
}

}  // namespace

VectorUnit vector_unit(const KernelProgram& program, const VectorLayout& layout, FieldId field,
                       int channel, Precision precision) {
  const VectorUnit alone{.first = channel};
  if (!program.passes.vector_access) return alone;
  if (field == program.state || is_param(program, field) || program.field(field).dims.empty())
    return alone;
  const ScalarType memory = memory_type(program, field, precision);
  if (memory != ScalarType::Float && memory != ScalarType::Double) return alone;
  const Chunk chunk = layout.chunk(field, channel);
  const int width = std::gcd(chunk.stride, LaneBytes / static_cast<int>(size_of(memory)));
  const int first = channel - (channel - chunk.first) % width;
  const int channels = std::min(width, chunk.first + chunk.width - first);
  if (channels == 1 || !layout.is_aligned(field, chunk, width)) return alone;
  return {.first = first, .width = width, .channels = channels};
}

std::size_t vector_adds(const KernelProgram& program, const VectorLayout& layout,
                        const CodeBlock& block, std::size_t first, Precision precision) {
  const AddItem& head = std::get<AddItem>(block[first].node);
  const bool may_be_vector =
      program.vector_order == VectorOrder::Blocked || is_product(program, head.field);
  if (!may_be_vector || memory_type(program, head.field, precision) != ScalarType::Float) return 1;
  const VectorUnit unit = vector_unit(program, layout, head.field, head.channel, precision);
  const auto channels = static_cast<std::size_t>(unit.channels);
  if (first + channels > block.size()) return 1;
  for (std::size_t i = 0; i < channels; ++i) {
    const auto* add = std::get_if<AddItem>(&block[first + i].node);
    const bool continues = add != nullptr && add->field == head.field &&
                           add->element == head.element && add->guard == head.guard &&
                           add->channel == unit.first + static_cast<int>(i);
    if (!continues) return 1;
  }
  return channels;
}

std::map<ValueId, std::shared_ptr<const VectorLoad>> find_vector_loads(
    const KernelProgram& program, const VectorLayout& layout, const CodeBody& body,
    const CodeBlock& block, const Uses& uses, Precision precision) {
  // Loads by number of the writes before them, field, first channel, and operands (element and
  // guard): after an item that may write, the same load may give another value.
  using Place = std::tuple<int, FieldId, int, std::vector<ValueId>>;
  int num_writes = 0;
  std::map<Place, VectorLoad> loads;
  for (const CodeItem& item : block) {
    const auto* let = std::get_if<Let>(&item.node);
    if (let == nullptr) {
      ++num_writes;
      continue;
    }
    if (uses.count(let->value) == 0) continue;
    const Instruction& load = body[let->value];
    if (load.kind != InstructionKind::Load || load.type != ValueType::Real) continue;
    if (uses.reads_window(load)) continue;
    const VectorUnit unit = vector_unit(program, layout, load.field, load.channel, precision);
    if (unit.width == 1) continue;
    VectorLoad& vector = loads[{num_writes, load.field, unit.first, load.operands}];
    vector.field = load.field;
    vector.unit = unit;
    vector.members.push_back(let->value);
  }
  std::map<ValueId, std::shared_ptr<const VectorLoad>> by_member;
  for (auto& [place, vector] : loads) {
    if (vector.members.size() < 2) continue;
    const auto shared = std::make_shared<const VectorLoad>(std::move(vector));
    for (const ValueId member : shared->members) by_member[member] = shared;
  }
  return by_member;
}

}  // namespace thallo
