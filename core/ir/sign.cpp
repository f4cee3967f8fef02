#include "core/ir/sign.h"

#include <algorithm>
#include <vector>

namespace thallo {
namespace {

constexpr int MostLevels = 8;

// True if a number is positive, or 0, in one branch of a selection by the condition: in the first
// if 0 < value, in the second if value < 0.
bool says_positive(const ExprGraph& graph, ExprId condition, ExprId value, bool is_first) {
  const Op op = graph[condition].op;
  if (op != Op::Less && op != Op::LessEq) return false;
  const std::vector<ExprId> sides = graph.operands(condition);
  const ExprId bound = sides[is_first ? 0 : 1];
  return graph.is_constant(bound) && graph.constant_value(bound) >= 0 &&
         sides[is_first ? 1 : 0] == value;
}

bool is_nonnegative(const ExprGraph& graph, ExprId id, int levels) {
  if (graph.is_boolean(id)) return true;
  const auto are_nonnegative = [&](const std::vector<ExprId>& operands) {
    return levels > 0 && std::ranges::all_of(operands, [&](ExprId operand) {
             return is_nonnegative(graph, operand, levels - 1);
           });
  };
  switch (graph[id].op) {
    case Op::Constant: return graph.constant_value(id) >= 0;
    case Op::Abs:
    case Op::Sqrt:
    case Op::Exp: return true;
    case Op::PowI: return graph.exponent(id) % 2 == 0 || are_nonnegative(graph.operands(id));
    case Op::Add:
    case Op::Mul:
    case Op::Freeze:
    case Op::Identity: return are_nonnegative(graph.operands(id));
    case Op::Select: {
      const std::vector<ExprId> operands = graph.operands(id);
      if (says_positive(graph, operands[0], operands[1], true))
        return are_nonnegative({operands[2]});
      if (says_positive(graph, operands[0], operands[2], false))
        return are_nonnegative({operands[1]});
      return are_nonnegative({operands[1], operands[2]});
    }
    default: return false;
  }
}

}  // namespace

bool is_nonnegative(const ExprGraph& graph, ExprId id) {
  return is_nonnegative(graph, id, MostLevels);
}

}  // namespace thallo
