#include "core/energy/linearity.h"

#include <algorithm>
#include <map>
#include <vector>

#include "core/energy/dependence.h"

namespace thallo {
namespace {

class Linearity {
 public:
  explicit Linearity(const Energy& energy)
      : energy_(energy), graph_(energy.graph()), dependence_(energy.data()) {}

  bool are_linear(const std::vector<ExprId>& expressions) {
    return std::ranges::all_of(expressions, [&](ExprId one) { return is_linear(one); });
  }

 private:
  // Expressions share operands, so each is looked at once.
  bool is_linear(ExprId expression) {
    if (const auto known = known_.find(expression); known != known_.end()) return known->second;
    return known_[expression] = find_out(expression);
  }

  bool find_out(ExprId expression) {
    if (!dependence_.value(expression)) return true;
    if (!dependence_.derivative(expression)) return false;  // frozen, or a condition
    const std::vector<ExprId> operands = graph_.operands(expression);
    switch (graph_[expression].op) {
      case Op::Access: {
        const Intermediate* read = energy_.find_intermediate(graph_.field(expression));
        return read == nullptr || are_linear(read->values);
      }
      case Op::Add:
      case Op::Sum:
      case Op::Identity: return are_linear(operands);
      case Op::Select: return !dependence_.value(operands[0]) && are_linear(operands);
      case Op::Mul:
        return are_linear(operands) && std::ranges::count_if(operands, [&](ExprId operand) {
                                         return dependence_.value(operand);
                                       }) == 1;
      default: return false;
    }
  }

  const Energy& energy_;
  const ExprGraph& graph_;
  UnknownDependence dependence_;
  std::map<ExprId, bool> known_;
};

}  // namespace

bool is_linear(const Energy& energy) {
  Linearity linearity(energy);
  return std::ranges::all_of(energy.unknowns(),
                             [&](FieldId unknown) {
                               return energy.field(unknown).manifold == Manifold::Euclidean;
                             }) &&
         std::ranges::all_of(energy.groups(), [&](const ResidualGroup& group) {
           return !group.loss && linearity.are_linear(group.residuals);
         });
}

}  // namespace thallo
