#include "core/kernel/lanes.h"

#include <algorithm>
#include <variant>

#include "core/kernel/arguments.h"
#include "core/kernel/memory_type.h"
#include "core/kernel/vector_layout.h"

namespace thallo {
namespace {

class ElementwiseTest {
 public:
  ElementwiseTest(const KernelProgram& program, const CodeBody& section, Precision precision)
      : program_(program),
        section_(section),
        layout_(program),
        real_(memory_type(ScalarType::Working, precision)),
        precision_(precision) {}

  bool passes() const { return section_.domains.size() == 1 && passes(section_.block); }

 private:
  bool passes(const CodeBlock& block) const {
    return std::ranges::all_of(block, [this](const CodeItem& item) {
      if (const auto* let = std::get_if<Let>(&item.node)) return passes(section_[let->value]);
      if (const auto* store = std::get_if<StoreItem>(&item.node))
        return is_here(store->field, store->element);
      if (const auto* branch = std::get_if<IfItem>(&item.node)) return passes(branch->body);
      return std::holds_alternative<ReduceItem>(item.node);
    });
  }

  bool passes(const Instruction& value) const {
    switch (value.kind) {
      case InstructionKind::Load:
        return value.field == program_.state || is_param(program_, value.field) ||
               (value.operands.size() == 1 && is_here(value.field, value.operands[0]));
      case InstructionKind::Constant:
      case InstructionKind::Coordinate:
      case InstructionKind::Operation: return true;
      case InstructionKind::Element: return is_coordinate(value);
      case InstructionKind::Affine:
      case InstructionKind::MapLoad:
      case InstructionKind::InRange:
      case InstructionKind::ToReal:
      case InstructionKind::Sample: return false;
    }
    return false;
  }

  // True if the element is the coordinate itself.
  bool is_coordinate(const Instruction& element) const {
    return element.operands.size() == 1 && element.operands[0] == section_.coordinates[0];
  }

  bool is_here(FieldId field, ValueId element) const {
    if (!element.valid() || layout_.scalars_per_element(field) != 1) return false;
    const ScalarType memory = memory_type(program_, field, precision_);
    if (memory != real_ && memory != ScalarType::Float) return false;
    const int lanes = LaneBytes / static_cast<int>(size_of(real_));
    if (!layout_.is_aligned(field, layout_.chunk(field, 0), lanes)) return false;
    const Instruction& at = section_[element];
    return element == section_.coordinates[0] ||
           (at.kind == InstructionKind::Element && is_coordinate(at));
  }

  const KernelProgram& program_;
  const CodeBody& section_;
  VectorLayout layout_;
  ScalarType real_;
  Precision precision_;
};

void collect_fields(const KernelProgram& program, const CodeBody& section, const CodeBlock& block,
                    LaneFields& fields) {
  for (const CodeItem& item : block) {
    if (const auto* let = std::get_if<Let>(&item.node)) {
      const Instruction& value = section[let->value];
      if (value.kind == InstructionKind::Load && value.field != program.state &&
          !is_param(program, value.field)) {
        fields.read.insert(value.field);
      }
    } else if (const auto* store = std::get_if<StoreItem>(&item.node)) {
      fields.written.insert(store->field);
    } else if (const auto* branch = std::get_if<IfItem>(&item.node)) {
      collect_fields(program, section, branch->body, fields);
    }
  }
}

}  // namespace

int lanes_per_thread(const KernelProgram& program, const CodeBody& section, Precision precision) {
  if (!program.passes.vector_access || program.has_members()) return 1;
  if (!ElementwiseTest(program, section, precision).passes()) return 1;
  return LaneBytes / static_cast<int>(size_of(memory_type(ScalarType::Working, precision)));
}

LaneFields lane_fields(const KernelProgram& program, const CodeBody& section) {
  LaneFields fields;
  collect_fields(program, section, section.block, fields);
  return fields;
}

}  // namespace thallo
