#include "core/problem/shared_trust_region.h"

#include <algorithm>
#include <set>

#include "core/energy/linearity.h"

namespace thallo {
namespace {

// Whether each residual reads unknowns of one member alone: at one and the same loop variable over
// the dim, which the group has.
bool has_members(const Energy& energy, DimId dim) {
  const ExprGraph& graph = energy.graph();
  for (const FieldId unknown : energy.unknowns())
    if (std::ranges::count(energy.field(unknown).dims, dim) != 1) return false;
  for (const ResidualGroup& group : energy.groups()) {
    std::set<DomainId> members;
    for (const ExprId id : graph.accesses(nodes_behind(energy.data(), group.residuals))) {
      const Field& field = energy.field(graph.field(id));
      if (field.kind == FieldKind::Intermediate) return false;
      if (field.kind != FieldKind::Unknown) continue;
      const auto at = std::ranges::find(field.dims, dim) - field.dims.begin();
      members.insert(graph.indices().as_domain(
          graph.indices()[graph.index(id)][static_cast<std::size_t>(at)]));
    }
    const bool is_one = members.size() == 1 &&
                        std::ranges::find(group.domains, *members.begin()) != group.domains.end();
    if (!is_one) return false;
  }
  return true;
}

}  // namespace

std::string members_of_one_trust_region(const Energy& energy, const Binding& binding) {
  if (is_linear(energy) || energy.members().valid()) return "";
  for (std::size_t i = 0; i < energy.dims().size(); ++i)
    if (binding.extent(DimId(i)) > 1 && has_members(energy, DimId(i))) return energy.dims()[i].name;
  return "";
}

}  // namespace thallo
