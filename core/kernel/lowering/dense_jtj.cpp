// A dense JtJ is one N x N matrix, which all parts share that store theirs dense, or all parts with
// the dense solver. An entry needs only its two columns to be known, so accesses through maps, Sums
// and constant indices are all allowed.
//
// Parts fill only a half, H with JtJ = H + H^T: for two targets of a residual the entry is added
// once, at (first, second), and for a target with itself half of the entry is added. So it need not
// be known which column is the larger, and where both columns are the same (two maps lead to the
// same element) the diagonal gets both terms. A last kernel computes H + H^T, so that the product
// reads rows only.
//
// Unless a part asks for the library, the product is a generated kernel with one thread per entry,
// neighboring threads in one row. It reads the matrix once and in order, adds up rows in warps and
// p.Ap in blocks, obeys the gate on state.Stop, and is a plain kernel node of the linear loop's
// graph. cuBLAS's SYMV reads half as much, but obeys no gate and needs a second kernel for p.Ap. A
// dense JtJ pays only for few unknowns (6 in procrustes, 66 in bundle fusion, 140 in face fitting),
// where a product costs no more than its launch.

#include "core/kernel/lowering/operators.h"

#include <map>

namespace thallo {
namespace {

// The indices of a kernel over all entries (i, j), j fastest.
struct EveryEntry {
  EveryEntry(ProgramBuilder& b, DimId rows)
      : i(b.fresh_domain(rows, "i")),
        j(b.fresh_domain(rows, "j")),
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
  Kernel kernel = part_kernel(*e.part, Role::FillJtJ, "dense_jtj");
  kernel.sections.push_back({.domains = e.domains(), .body = std::move(entries)});
  b.launch(Phase::Linearize, b.add_kernel(std::move(kernel)));
}

Kernel dense_halves(ProgramBuilder& b, FieldId matrix) {
  ExprGraph& g = b.graph();
  const DimId rows = b.program().field(matrix).dims.front();
  const EveryEntry every(b, rows);
  const ExprId sum = g.add(b.read(matrix, every.entry), b.read(matrix, every.mirrored));
  const Affine distance =
      g.indices().add(g.indices().component(every.j), g.indices().component(every.i), -1);
  Kernel kernel{.role = "dense_halves", .label = "dense_halves"};
  if (b.program().field(matrix).type == ScalarType::Double) kernel.compute = ComputeType::Double;
  kernel.sections.push_back({.domains = {every.j, every.i},
                             .body = {{Guard{g.in_bounds(distance, rows),
                                             {{Store{matrix, every.entry, 0, sum}},
                                              {Store{matrix, every.mirrored, 0, sum}}}}}}});
  return kernel;
}

void lower_dense_product(ProgramBuilder& b) {
  ExprGraph& g = b.graph();
  const EveryEntry every(b, b.program().unknown_scalars);
  const ExprId product =
      g.mul(b.read(b.matrix(), every.entry), b.read(b.flat(SolverVector::P), every.col));
  const ExprId share = g.mul(b.read(b.flat(SolverVector::P), every.row), product);
  Kernel kernel{.role = "dense_product", .label = "dense_product"};
  Block body = b.share_of_product(share);
  body.insert(body.begin(), {ScatterAdd{b.flat(SolverVector::Ap), every.row, 0, product}});
  kernel.sections.push_back({.domains = {every.j, every.i}, .body = std::move(body)});
  b.launch_apply(std::move(kernel));
}

}  // namespace thallo
