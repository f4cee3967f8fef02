#include "core/problem/constant_indices.h"

#include <set>
#include <utility>
#include <vector>

namespace thallo {

Expected<void> check_constant_indices(const Energy& energy, const Binding& binding) {
  const ExprGraph& graph = energy.graph();
  std::vector<ExprId> roots;
  for (const ResidualGroup& group : energy.groups())
    roots.insert(roots.end(), group.residuals.begin(), group.residuals.end());
  const std::vector<ExprId> nodes = nodes_behind(energy.data(), std::move(roots));
  std::set<std::pair<std::int64_t, DimId>> tested;
  for (const ExprId id : nodes) {
    if (graph[id].op != Op::InBounds) continue;
    const Affine& component = graph.indices()[graph.index(id)].front();
    if (component.is_constant()) tested.emplace(component.constant, graph.bound_dim(id));
  }
  for (const ExprId id : nodes) {
    if (graph[id].op != Op::Access) continue;
    const Field& field = energy.field(graph.field(id));
    const MultiIndex& index = graph.indices()[graph.index(id)];
    for (std::size_t i = 0; i < field.dims.size(); ++i) {
      const std::int64_t size = binding.extent(field.dims[i]), at = index[i].constant;
      const bool is_inside = size == 0 || (at >= 0 && at < size);
      if (!index[i].is_constant() || is_inside || tested.contains({at, field.dims[i]})) continue;
      const auto place = energy.data().places.find(id);
      const SourceLocation where =
          place == energy.data().places.end() ? SourceLocation() : place->second;
      return fail_at(where,
                     "index {} of {} '{}' is out of range: {} has the extent {}, and indices count "
                     "from 0",
                     at, to_string(field.kind), field.name, energy.dim(field.dims[i]).name, size);
    }
  }
  return {};
}

}  // namespace thallo
