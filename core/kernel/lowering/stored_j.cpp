// A stored J is values only, in the order of the energy's own index maps: for every target a field
// over the residual points (and the points of the Sums around it) with a channel for each residual.
// The values include the square root of the residual's weight. Constants are not stored.

#include "core/kernel/lowering/stored_j.h"

#include <fmt/format.h>

#include <map>

namespace thallo {

PartExpressions lower_stored_j(ProgramBuilder& b, const PartExpressions& e) {
  ExprGraph& g = b.graph();
  PartExpressions stored = e;
  for (ExprId& weight : stored.weights) weight = g.constant(1);

  std::map<std::vector<DomainId>, Block> stores;  // by the domains they run over
  for (Target& t : stored.targets) {
    std::vector<DomainId> domains = e.domains();
    domains.insert(domains.end(), t.loops.begin(), t.loops.end());
    std::vector<ExprId*> to_store;
    for (JacobianEntry& entry : t.entries) {
      const ExprId root = g.unary(Op::Sqrt, e.weights[entry.residual]);
      entry.derivative = g.mul(root, entry.derivative);
      if (!g.is_constant(entry.derivative)) to_store.push_back(&entry.derivative);
    }
    if (to_store.empty()) continue;
    const FieldId field =
        b.stored_field(BufferKind::Product, fmt::format("J.{}", e.part->name), domains,
                       static_cast<int>(to_store.size()), e.part->j_type);
    const IndexId here = g.indices().intern(domains);
    for (std::size_t c = 0; c < to_store.size(); ++c) {
      const int channel = static_cast<int>(c);
      stores[domains].push_back({Store{field, here, channel, *to_store[c]}});
      *to_store[c] = b.read(field, here, channel);
    }
  }
  stored.jp_targets = stored.jt_targets = stored.targets;
  if (stores.empty()) return stored;
  Kernel kernel = part_kernel(*e.part, Role::FillJ, "fill_j");
  for (auto& [domains, block] : stores)
    kernel.sections.push_back({.domains = domains, .body = std::move(block)});
  b.launch(Phase::Linearize, b.add_kernel(std::move(kernel)));
  return stored;
}

}  // namespace thallo
