#include "core/energy/dependence.h"

namespace thallo {

UnknownDependence::Answer UnknownDependence::read(FieldId field) {
  switch (data_.fields[field.index()].kind) {
    case FieldKind::Unknown: return {true, true};
    case FieldKind::Array:
    case FieldKind::Param:
    case FieldKind::Buffer: return {};
    case FieldKind::Intermediate: break;
  }
  Answer answer;
  for (const Intermediate& intermediate : data_.intermediates) {
    if (intermediate.field != field) continue;
    for (const ExprId value : intermediate.values) {
      const Answer of_value = find(value);
      answer.value = answer.value || of_value.value;
      answer.derivative = answer.derivative || of_value.derivative;
    }
  }
  return answer;
}

UnknownDependence::Answer UnknownDependence::find(ExprId expression) {
  if (const auto known = answers_.find(expression); known != answers_.end()) return known->second;
  const ExprGraph& graph = data_.graph;
  Answer answer;
  if (graph[expression].op == Op::Access) {
    answer = read(graph.field(expression));
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
