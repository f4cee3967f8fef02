#include "core/energy/inlining.h"

#include <optional>

#include "core/energy/access.h"

namespace thallo {

ExprId Inlining::operator()(ExprId expression) {
  const auto value_of_read = [this](ExprId leaf) -> std::optional<ExprId> {
    if (graph_[leaf].op != Op::Access) return {};
    const Intermediate* intermediate = definition_(graph_.field(leaf));
    if (intermediate == nullptr) return {};
    return (*this)(at_read(leaf, *intermediate));
  };
  return graph_.rewrite(expression, value_of_read, inlined_);
}

ExprId Inlining::at_read(ExprId read, const Intermediate& intermediate) {
  const IndexId index = graph_.index(read);
  const MultiIndex components = graph_.indices()[index];
  DomainSubstitution point;
  for (std::size_t i = 0; i < components.size(); ++i)
    point[intermediate.domains[i]] = components[i];
  const ExprId value =
      graph_.substitute(intermediate.values[static_cast<std::size_t>(graph_.channel(read))], point);
  if (intermediate.is_found) return value;
  const std::vector<DimId>& dims = energy_.field(intermediate.field).dims;
  return graph_.mul(inside(graph_, energy_.maps(), dims, index), value);
}

}  // namespace thallo
