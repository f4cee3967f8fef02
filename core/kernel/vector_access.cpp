#include "core/kernel/vector_access.h"

#include <algorithm>
#include <set>
#include <utility>
#include <variant>

#include "core/kernel/arguments.h"
#include "core/kernel/vector_layout.h"

namespace thallo {
namespace {

// Does a view of a buffer begin at a multiple of `width` scalars, whatever the extents are?
bool is_aligned(const KernelProgram& program, FieldId field, int width) {
  const VectorLayout layout(program);
  for (const BufferDecl& buffer : program.buffers) {
    const auto view = std::ranges::find(buffer.fields, field);
    if (view == buffer.fields.end()) continue;
    return std::all_of(buffer.fields.begin(), view, [&](FieldId before) {
      return layout.scalars_per_element(before) % width == 0;
    });
  }
  return true;
}

}  // namespace

int vector_width(const KernelProgram& program, FieldId field, bool double_precision) {
  const ScalarType real = double_precision ? ScalarType::Double : ScalarType::Float;
  if (field == program.state || is_param(program, field) || program.field(field).dims.empty())
    return 1;
  if (memory_type(program, field, double_precision) != real) return 1;
  const int width = VectorLayout(program).scalars_per_element(field);
  const bool is_vector = width == 2 || (width == 4 && !double_precision);
  return is_vector && is_aligned(program, field, width) ? width : 1;
}

std::map<ValueId, std::shared_ptr<const VectorLoad>> find_vector_loads(const KernelProgram& program,
                                                                       const CodeBody& body,
                                                                       const CodeBlock& block,
                                                                       const Uses& uses,
                                                                       bool double_precision) {
  using Place = std::pair<FieldId, std::vector<ValueId>>;  // with the element and the guard
  std::map<Place, VectorLoad> loads;
  for (const CodeItem& item : block) {
    const auto* let = std::get_if<Let>(&item.node);
    if (let == nullptr || uses.count(let->value) == 0) continue;
    const Instruction& load = body[let->value];
    if (load.kind != InstructionKind::Load || load.type != ValueType::Real) continue;
    const int width = vector_width(program, load.field, double_precision);
    if (width == 1) continue;
    VectorLoad& vector = loads[{load.field, load.operands}];
    vector.field = load.field;
    vector.width = width;
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
