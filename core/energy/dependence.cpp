#include "core/energy/dependence.h"

#include <algorithm>

namespace thallo {

UnknownDependence::Answer UnknownDependence::read(ExprId access) {
  const FieldId field = data_.graph.field(access);
  switch (data_.fields[field.index()].kind) {
    case FieldKind::Unknown: return {true, true};
    case FieldKind::Array:
    case FieldKind::Param:
    case FieldKind::Buffer: return {};
    case FieldKind::Intermediate: break;
  }
  const auto intermediate = std::ranges::find(data_.intermediates, field, &Intermediate::field);
  if (intermediate == data_.intermediates.end()) return {};
  // Validation asks also where a channel without a value is read, which is a fault.
  const auto channel = static_cast<std::size_t>(data_.graph.channel(access));
  return channel < intermediate->values.size() ? find(intermediate->values[channel]) : Answer{};
}

UnknownDependence::Answer UnknownDependence::find(ExprId expression) {
  if (const auto known = answers_.find(expression); known != answers_.end()) return known->second;
  const ExprGraph& graph = data_.graph;
  Answer answer;
  if (graph[expression].op == Op::Access) {
    answer = read(expression);
  } else {
    const std::vector<ExprId> operands = graph.operands(expression);
    for (std::size_t i = 0; i < operands.size(); ++i) {
      const Answer of_operand = find(operands[i]);
      const bool is_condition = graph[expression].op == Op::Select && i == 0;
      answer.value = answer.value || of_operand.value;
      answer.derivative = answer.derivative || (of_operand.derivative && !is_condition);
    }
    switch (graph[expression].op) {
      case Op::Freeze:
      case Op::SampleLayer:
      case Op::Less:
      case Op::LessEq:
      case Op::Eq:
      case Op::Not:
      case Op::Or: answer.derivative = false; break;
      default: break;
    }
  }
  answers_.emplace(expression, answer);
  return answer;
}

}  // namespace thallo
