#include "core/kernel/emit/vectorizable.h"

#include <algorithm>
#include <bit>
#include <variant>

#include "core/kernel/vector_layout.h"

namespace thallo {
namespace {

// A coordinate of the section's points plus a constant, which indexes the coordinate's own dim.
struct Place {
  std::size_t domain = 0;
  std::int64_t offset = 0;
};

std::optional<Place> place_of(const CodeBody& body, ValueId index, DimId dim) {
  Place place;
  if (const Instruction& affine = body[index]; affine.kind == InstructionKind::Affine) {
    if (affine.operands.size() != 1 || affine.coefficients[0] != 1) return {};
    place.offset = affine.offset;
    index = affine.operands[0];
  }
  const auto found = std::ranges::find(body.coordinates, index);
  if (found == body.coordinates.end()) return {};
  place.domain = static_cast<std::size_t>(found - body.coordinates.begin());
  if (body.extents[place.domain] != dim) return {};
  return place;
}

Inside inside_of(const CodeBody& body) {
  Inside inside;
  inside.margins.resize(body.domains.size());
  for (std::size_t v = 0; v < body.values.size(); ++v) {
    const Instruction& guard = body.values[v];
    if (guard.kind != InstructionKind::InRange) continue;
    const auto place = place_of(body, guard.operands[0], guard.dims[0]);
    if (!place) continue;
    Inside::Margin& margin = inside.margins[place->domain];
    margin.before = std::max(margin.before, -place->offset);
    margin.behind = std::max(margin.behind, place->offset);
    inside.guards.push_back(ValueId(v));
  }
  return inside;
}

class Vectorization {
 public:
  Vectorization(const KernelProgram& program, const CodeBody& body, const Inside& inside)
      : body_(body), layout_(program), inside_(inside) {}

  bool is_possible() const { return is_possible(body_.block, false); }

  bool pays() const {
    const auto gathers = std::ranges::count_if(body_.values, [this](const Instruction& value) {
      return value.kind == InstructionKind::Load && !value.operands.empty() &&
             comes_from_map(value.operands[0]);
    });
    const auto reads = std::ranges::count(body_.values, InstructionKind::Load, &Instruction::kind);
    return 2 * gathers <= reads && stores_pay(body_.block);
  }

 private:
  bool is_possible(const CodeBlock& block, bool in_branch) const {
    return std::ranges::all_of(block, [&](const CodeItem& item) {
      if (const auto* let = std::get_if<Let>(&item.node))
        return !in_branch || is_everywhere(body_[let->value]);
      if (const auto* branch = std::get_if<IfItem>(&item.node))
        return is_possible(branch->body, true);
      return std::holds_alternative<ReduceItem>(item.node) ||
             (std::holds_alternative<StoreItem>(item.node) && !in_branch);
    });
  }

  // True if there is memory to read from at every point.
  bool is_everywhere(const Instruction& instruction) const {
    if (instruction.kind == InstructionKind::MapLoad) return false;
    if (instruction.kind != InstructionKind::Load || instruction.operands.size() != 1) return true;
    const Instruction& element = body_[instruction.operands[0]];
    if (element.kind != InstructionKind::Element) return false;
    for (std::size_t k = 0; k < element.operands.size(); ++k) {
      const auto place = place_of(body_, element.operands[k], element.dims[k]);
      if (!place) return false;
      const auto [before, behind] = inside_.margins[place->domain];
      if (-place->offset > before || place->offset > behind) return false;
    }
    return true;
  }

  bool comes_from_map(ValueId value) const {
    const Instruction& instruction = body_[value];
    return instruction.kind == InstructionKind::MapLoad ||
           std::ranges::any_of(instruction.operands,
                               [this](ValueId operand) { return comes_from_map(operand); });
  }

  // Vectors of stores are interleaved where an element has three scalars or a power of two.
  bool stores_pay(const CodeBlock& block) const {
    return std::ranges::all_of(block, [this](const CodeItem& item) {
      const auto* store = std::get_if<StoreItem>(&item.node);
      if (store == nullptr || !store->element.valid()) return true;
      const auto stride = static_cast<unsigned>(layout_.place(store->field, store->channel).stride);
      return stride == 3 || std::has_single_bit(stride);
    });
  }

  const CodeBody& body_;
  VectorLayout layout_;
  const Inside& inside_;
};

}  // namespace

std::optional<Inside> vectorizable_points(const KernelProgram& program, const CodeBody& section) {
  if (!program.passes.simd) return {};
  Inside inside = inside_of(section);
  const Vectorization vectorization(program, section, inside);
  if (!vectorization.is_possible() || !vectorization.pays()) return {};
  return inside;
}

}  // namespace thallo
