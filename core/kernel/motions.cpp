#include "core/kernel/motions.h"

#include <set>
#include <variant>

namespace thallo {
namespace {

// Returns the coordinates of loops over lists. Each thread is on a list of its own.
std::set<ValueId> places_on_lists(const CodeBlock& items) {
  std::set<ValueId> places;
  for (const CodeItem& item : items) {
    if (const auto* branch = std::get_if<IfItem>(&item.node))
      places.merge(places_on_lists(branch->body));
    const auto* loop = std::get_if<LoopItem>(&item.node);
    if (loop == nullptr) continue;
    if (loop->begin.valid()) places.insert(loop->coordinates.front());
    places.merge(places_on_lists(loop->body));
  }
  return places;
}

}  // namespace

Motions::Motions(const CodeBody& body)
    : motions_(body.values.size(), Motion::Still), jumped_by_(body.values.size()) {
  const std::set<ValueId> places = places_on_lists(body.block);
  for (std::size_t i = 0; i < motions_.size(); ++i) {
    const Instruction& v = body.values[i];
    switch (v.kind) {
      case InstructionKind::Coordinate:
        if (!body.domains.empty() && v.domain == body.domains[0]) {
          motions_[i] = Motion::ByOne;
        } else if (places.contains(ValueId(i))) {
          motions_[i] = Motion::Jumps;
        }
        break;
      case InstructionKind::Affine: motions_[i] = affine_motion(v); break;
      case InstructionKind::Element: motions_[i] = element_motion(v); break;
      case InstructionKind::MapLoad:
        if (motion(v.operands[0]) != Motion::Still) {
          motions_[i] = Motion::Jumps;
          jumped_by_[i] = v.map;
        }
        break;
      case InstructionKind::Constant:
      case InstructionKind::InRange:
      case InstructionKind::Load:
      case InstructionKind::ToReal:
      case InstructionKind::Operation:
      case InstructionKind::Sample: break;
    }
    if (v.kind == InstructionKind::Affine || v.kind == InstructionKind::Element)
      jumped_by_[i] = map_among(v.operands);
  }
}

MapId Motions::map_among(const std::vector<ValueId>& operands) const {
  for (const ValueId operand : operands)
    if (jumped_by(operand).valid()) return jumped_by(operand);
  return {};
}

Motion Motions::affine_motion(const Instruction& v) const {
  Motion result = Motion::Still;
  for (std::size_t k = 0; k < v.operands.size(); ++k) {
    const Motion operand = motion(v.operands[k]);
    if (operand == Motion::Still) continue;
    const bool by_one =
        result == Motion::Still && operand == Motion::ByOne && v.coefficients[k] == 1;
    result = by_one ? Motion::ByOne : Motion::Jumps;
  }
  return result;
}

Motion Motions::element_motion(const Instruction& v) const {
  Motion result = Motion::Still;
  for (std::size_t k = 0; k < v.operands.size(); ++k) {
    const Motion component = motion(v.operands[k]);
    if (component != Motion::Still) result = k == 0 ? component : Motion::Jumps;
  }
  return result;
}

}  // namespace thallo
