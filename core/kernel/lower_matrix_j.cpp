// J as a matrix, with the columns of the unknown vector.
//
// csr: the values of a structured J and, for each, its column, which a table has (ColumnTable). A
// row has as many entries as the residual has derivatives, so rows need no pointers; where two of
// them belong to one column both are kept, which a product adds up. Those outside of their unknown
// have no column and are skipped.
//
// dense: a field over the residual points and all columns, the points fastest, one for each
// residual of the part; entries of one column are added up. A product with it is one over all
// columns: of p a loop in the thread of a row, of J^T a thread for each entry, whose warp adds to
// one column.
//
// Both are multiplied by the kernels of any other J (lower_apply.cpp) and not by cuSPARSE or
// cuBLAS: these obey no gate on state.Stop, want workspaces and a kernel more for p.Ap, and a
// transposed SpMV scatters as these kernels do.

#include <fmt/format.h>

#include <map>

#include "core/kernel/accumulate.h"
#include "core/kernel/products.h"

namespace thallo {
namespace {

// The column of a target, as a component of an index over unknown_scalars.
Affine column_of(ProgramBuilder& b, const PartExpressions& e, const Target& t) {
  IndexTable& indices = b.graph().indices();
  std::vector<DomainId> domains = indices.domains_of(t.index);
  if (domains.empty()) domains = {e.domains().front()};  // the same everywhere
  const MapId map = b.add_table(fmt::format("columns.{}", e.part->name), domains,
                                {b.program().unknown_scalars}, true);
  b.program().columns.push_back({map, domains, {t.unknown, t.index, t.channel}});
  return indices.component(map, 0, indices.intern(domains));
}

}  // namespace

PartExpressions lower_csr_j(ProgramBuilder& b, const PartExpressions& e) {
  PartExpressions stored = lower_stored_j(b, e);
  for (Target& t : stored.targets) {
    const IndexId column = b.graph().indices().intern(MultiIndex{column_of(b, e, t)});
    t = {{}, column, 0, t.loops, std::move(t.entries)};
  }
  stored.jp_targets = stored.targets;
  return stored;
}

PartExpressions lower_dense_j(ProgramBuilder& b, const PartExpressions& e) {
  ExprGraph& g = b.graph();
  const DomainId j = b.fresh_domain(b.program().unknown_scalars, "j");
  std::vector<DomainId> row_and_column = e.domains();
  row_and_column.push_back(j);
  const std::string buffer = fmt::format("J.{}", e.part->name);

  PartExpressions stored = e;
  for (ExprId& weight : stored.weights) weight = g.constant(1);
  stored.has_parallel_sums = true;  // a thread for each entry of J^T
  Target all{{}, g.indices().intern(std::span(&j, 1)), 0, {j}, {}};
  std::map<std::size_t, FieldId> matrices;  // by residual
  std::vector<Addend> entries;
  for (const Target& t : e.targets) {
    MultiIndex index = g.indices()[g.indices().intern(e.domains())];
    index.push_back(column_of(b, e, t));
    for (const JacobianEntry& entry : t.entries) {
      const auto [matrix, inserted] = matrices.try_emplace(entry.residual);
      if (inserted) {
        matrix->second = b.stored_field(BufferKind::Product, buffer, row_and_column, 1);
        const IndexId here = g.indices().intern(row_and_column);
        all.entries.push_back({entry.residual, b.read(matrix->second, here)});
      }
      const ExprId root = g.unary(Op::Sqrt, e.weights[entry.residual]);
      entries.push_back({matrix->second, g.indices().intern(index), 0, e.domains(), t.loops,
                         g.mul(root, entry.derivative)});
    }
  }
  stored.targets.clear();
  if (!entries.empty()) {
    stored.targets = {all};
    b.step(Phase::Linearize, ClearBuffer{b.program().find_buffer(buffer)});
    Kernel kernel = part_kernel(*e.part, "fill_j", "fill_dense_j");
    scatter(kernel, e.domains(), entries);
    b.launch(Phase::Linearize, b.add_kernel(std::move(kernel)));
  }
  stored.jp_targets = stored.targets;
  return stored;
}

}  // namespace thallo
