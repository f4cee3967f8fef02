// A dense JtJ, of the dense solver or of parts that store theirs so: one N x N matrix for all of
// them. It needs nothing but the two columns of an entry, so accesses through maps, Sums and
// constant indices are welcome.
//
// Filled is only half of it, H with JtJ = H + H^T: of two targets that meet in a residual the entry
// is added once, at (first, second), and that of a target with itself by half. Which of the columns
// is the larger need not be known, and where both are one (two maps that lead to the same element)
// the diagonal gets its two terms. A last kernel adds the halves up, so that the product reads rows
// alone.
//
// The product is a generated kernel unless a part asks for the library: one thread per entry,
// neighbors in a row, which reads the matrix once and in order, adds up rows in warps and p.Ap in
// blocks, obeys the gate on state.Stop and is a plain kernel node of the linear loop's graph. A
// SYMV of cuBLAS reads half as much, knows no gate and needs a second kernel for p.Ap; with the few
// unknowns for which a dense JtJ pays (6 of procrustes, 66 of bundle fusion, 140 of face fitting)
// the launch is all it costs.

#include "core/kernel/lowering/dense_jtj.h"

#include <map>

namespace thallo {
namespace {

// i, j over all entries, j fastest.
struct EveryEntry {
  explicit EveryEntry(ProgramBuilder& b)
      : i(b.fresh_domain(b.program().unknown_scalars, "i")),
        j(b.fresh_domain(b.program().unknown_scalars, "j")),
        entry(b.graph().indices().intern(std::vector{j, i})),
        mirrored(b.graph().indices().intern(std::vector{i, j})),
        row(b.graph().indices().intern(std::vector{i})),
        col(b.graph().indices().intern(std::vector{j})) {}

  DomainId i, j;
  IndexId entry, mirrored, row, col;
};

Statement add_entry(ProgramBuilder& b, const Target& row, const Target& col, ExprId value) {
  return {MatrixAdd{b.matrix(),
                    {row.unknown, row.index, row.channel},
                    {col.unknown, col.index, col.channel},
                    value}};
}

}  // namespace

Block dense_jtj_entries(ProgramBuilder& b, const PartExpressions& e) {
  ExprGraph& g = b.graph();
  const std::vector<Target> cols = with_fresh_loops(b, e.targets);
  std::map<std::vector<DomainId>, Block> blocks;  // by the loops around them
  for (std::size_t i = 0; i < e.targets.size(); ++i) {
    for (std::size_t j = i; j < cols.size(); ++j) {
      const Target& row = e.targets[i];
      const Target& col = cols[j];
      const ExprId value = normal_entry(g, e, row, col);
      if (g.is_constant(value, 0)) continue;
      std::vector<DomainId> loops = row.loops;
      loops.insert(loops.end(), col.loops.begin(), col.loops.end());
      blocks[loops].push_back(
          add_entry(b, row, col, i == j ? g.mul(g.constant(0.5), value) : value));
    }
  }
  Block entries;
  for (auto& [loops, block] : blocks) {
    if (loops.empty()) {
      entries = std::move(block);
    } else {
      entries.push_back({Loop{loops, std::move(block)}});
    }
  }
  return entries;
}

void lower_dense_jtj(ProgramBuilder& b, const PartExpressions& e) {
  Block entries = dense_jtj_entries(b, e);
  if (entries.empty()) return;
  Kernel kernel = part_kernel(*e.part, "fill_jtj", "dense_jtj");
  kernel.sections.push_back({.domains = e.domains(), .body = std::move(entries)});
  b.launch(Phase::Linearize, b.add_kernel(std::move(kernel)));
}

void lower_dense_halves(ProgramBuilder& b) {
  ExprGraph& g = b.graph();
  const FieldId matrix = b.matrix();
  const EveryEntry every(b);
  const ExprId sum = g.add(b.read(matrix, every.entry), b.read(matrix, every.mirrored));
  const Affine distance =
      g.indices().add(g.indices().component(every.j), g.indices().component(every.i), -1);
  Kernel kernel{.role = "dense_halves", .label = "dense_halves"};
  kernel.sections.push_back({.domains = {every.j, every.i},
                             .body = {{Guard{g.in_bounds(distance, b.program().unknown_scalars),
                                             {{Store{matrix, every.entry, 0, sum}},
                                              {Store{matrix, every.mirrored, 0, sum}}}}}}});
  b.launch(Phase::Linearize, b.add_kernel(std::move(kernel)));
}

void lower_dense_product(ProgramBuilder& b) {
  ExprGraph& g = b.graph();
  const EveryEntry every(b);
  const ExprId product = g.mul(b.read(b.matrix(), every.entry), b.read(b.flat("p"), every.col));
  const ExprId share = g.mul(b.read(b.flat("p"), every.row), product);
  Kernel kernel{.role = "dense_product", .label = "dense_product"};
  Block body = b.share_of_product(share);
  body.insert(body.begin(), {ScatterAdd{b.flat("Ap"), every.row, 0, product}});
  kernel.sections.push_back({.domains = {every.j, every.i}, .body = std::move(body)});
  b.launch_apply(std::move(kernel));
}

}  // namespace thallo
