#include <map>

#include "core/kernel/products.h"

namespace thallo {

void lower_dense_jtj(ProgramBuilder& b, const PartExpressions& e) {
  std::map<std::vector<DomainId>, Block> blocks;  // by the loops around them
  const std::vector<Target> cols = with_fresh_loops(b, e.targets);
  for (const Target& row : e.targets) {
    for (const Target& col : cols) {
      const ExprId value = normal_entry(b.graph(), e, row, col);
      if (b.graph().is_constant(value, 0)) continue;
      std::vector<DomainId> loops = row.loops;
      loops.insert(loops.end(), col.loops.begin(), col.loops.end());
      blocks[loops].push_back({MatrixAdd{b.matrix(),
                                         {row.unknown, row.index, row.channel},
                                         {col.unknown, col.index, col.channel},
                                         value}});
    }
  }
  Section section{.domains = e.domains(), .body = {}};
  for (auto& [loops, block] : blocks) {
    if (loops.empty()) {
      section.body = std::move(block);
    } else {
      section.body.push_back({Loop{loops, std::move(block)}});
    }
  }
  Kernel kernel = part_kernel(*e.part, "dense_jtj", "dense_jtj");
  kernel.sections.push_back(std::move(section));
  b.launch(Phase::Linearize, b.add_kernel(std::move(kernel)));
}

}  // namespace thallo
