// J as a matrix that libraries multiply (MultiplyMatrix); its columns are those of the unknown
// vector.
//
// Format csr: a row for each residual at each point, with an entry for each access (CsrRows), so
// that filling needs no table. The values are those of a structured J, constants included, in
// another order. An access inside a Sum has an entry at each point of the Sum. Accesses inside
// different Sums are in different matrices, and J is the sum of these.
//
// Format dense: a field over the residual points and all columns, the points fastest, with a
// channel for each residual of the part. This is BLAS's order, column by column. Entries of several
// accesses in one column are added up.

#include "core/kernel/lowering/matrix_j.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/energy/access.h"
#include "core/kernel/lowering/accumulate.h"
#include "core/kernel/lowering/pieces.h"

namespace thallo {
namespace {

class CsrJLowering {
 public:
  CsrJLowering(ProgramBuilder& builder, const PartExpressions& e)
      : b_(builder),
        g_(builder.graph()),
        e_(e),
        stored_(e),
        ends_(piece_ends(g_, e, builder.options().max_kernel_nodes)) {}

  MatrixJ run() && {
    for (ExprId& weight : stored_.weights) weight = g_.constant(1);
    std::map<std::vector<DomainId>, std::vector<Target*>> by_loops;
    for (Target& t : stored_.targets) by_loops[t.loops].push_back(&t);
    std::vector<Kernel> kernels(ends_.size(), part_kernel(*e_.part, Role::FillJ, "fill_csr_j"));
    std::vector<std::size_t> matrices;
    for (const auto& [loops, targets] : by_loops)
      matrices.push_back(add_matrix(loops, targets, kernels));
    for (Kernel& kernel : kernels) {
      std::erase_if(kernel.sections, [](const Section& s) { return s.body.empty(); });
      if (!kernel.sections.empty()) b_.launch(Phase::Linearize, b_.add_kernel(std::move(kernel)));
    }
    stored_.jp_targets = stored_.targets;
    return {std::move(stored_), std::move(matrices)};
  }

 private:
  // Adds the matrix of the targets inside these loops: stores their derivatives, in the kernels of
  // the pieces, and replaces them by reads. Returns its position.
  std::size_t add_matrix(const std::vector<DomainId>& loops, const std::vector<Target*>& targets,
                         std::vector<Kernel>& kernels) {
    const std::string name = b_.unused_buffer_name(fmt::format("J.{}", e_.part->name));
    std::vector<DomainId> domains = loops;
    domains.insert(domains.end(), e_.domains().begin(), e_.domains().end());
    const IndexId here = g_.indices().intern(domains);
    CsrRows rows{.loops = loops, .points = e_.domains()};
    for (Kernel& kernel : kernels) kernel.sections.push_back({.domains = domains});
    std::size_t piece = 0;
    for (std::size_t r = 0; r < e_.residuals.size(); ++r) {
      if (r == ends_[piece]) ++piece;
      Block& body = kernels[piece].sections.back().body;
      std::vector<UnknownScalar> accesses;
      std::vector<ExprId*> values;
      for (Target* t : targets) {
        for (JacobianEntry& entry : t->entries) {
          if (entry.residual != r) continue;
          accesses.push_back({t->unknown, t->index, t->channel});
          values.push_back(&entry.derivative);
        }
      }
      if (!values.empty()) {
        const FieldId field = b_.stored_field(BufferKind::Product, name, domains,
                                              static_cast<int>(values.size()), e_.part->j_type);
        for (std::size_t c = 0; c < values.size(); ++c) {
          const int channel = static_cast<int>(c);
          body.push_back({Store{field, here, channel, inside_or_zero(r, accesses[c], *values[c])}});
          *values[c] = b_.read(field, here, channel);
        }
      }
      rows.accesses.push_back(std::move(accesses));
    }
    return add_pattern(name, std::move(rows));
  }

  // The entry of the residual's row at an access: the derivative times the root of the residual's
  // weight, 0 where the access is outside of the unknown.
  ExprId inside_or_zero(std::size_t residual, const UnknownScalar& access, ExprId derivative) {
    const ExprId root = g_.unary(Op::Sqrt, e_.weights[residual]);
    const std::vector<DimId>& dims = b_.energy().field(access.unknown).dims;
    const ExprId is_inside = inside(g_, b_.program().maps, dims, access.index);
    return g_.select(is_inside, g_.mul(root, derivative), g_.constant(0));
  }

  std::size_t add_pattern(const std::string& buffer, CsrRows rows) {
    KernelProgram& program = b_.program();
    if (!rows_.valid()) rows_ = b_.add_dim(fmt::format("rows of J.{}", e_.part->name));
    rows.rows = rows_;
    rows.entries = b_.add_dim("entries of " + buffer);
    rows.offsets = b_.add_table(buffer + ".offsets", std::vector{rows.rows}, {rows.entries}, false);
    rows.columns = b_.add_table(buffer + ".columns", std::vector{rows.entries},
                                {program.unknown_scalars}, false);
    program.matrices.push_back({.kind = MatrixKind::Csr,
                                .values = program.find_buffer(buffer),
                                .offsets = rows.offsets,
                                .columns = rows.columns});
    program.csr_rows.push_back(std::move(rows));
    return program.matrices.size() - 1;
  }

  ProgramBuilder& b_;
  ExprGraph& g_;
  const PartExpressions& e_;
  PartExpressions stored_;
  std::vector<std::size_t> ends_;  // of the pieces
  DimId rows_;                     // of all its matrices
};

// The column of a target, as a component of an index over unknown_scalars.
Affine column_of(ProgramBuilder& b, const PartExpressions& e, const Target& t) {
  IndexTable& indices = b.graph().indices();
  std::vector<DomainId> domains = indices.domains_of(t.index);
  if (domains.empty()) domains = {e.domains().front()};  // constant, but tables need a domain
  const MapId map = b.add_table(fmt::format("columns.{}", e.part->name), domains,
                                {b.program().unknown_scalars}, true);
  b.program().columns.push_back({map, domains, {t.unknown, t.index, t.channel}});
  return indices.component(map, 0, indices.intern(domains));
}

// Adds the buffer of Jp, with a scalar for each row of J.
void add_jp(ProgramBuilder& b, const PartExpressions& e, const StoredMatrix& j,
            const std::string& name) {
  if (j.kind == MatrixKind::Csr) {
    const DimId rows = b.program().maps[j.offsets.index()].in.front();
    b.stored_field(BufferKind::Product, name, {b.fresh_domain(rows, "row")}, 1);
  } else {
    b.stored_field(BufferKind::Product, name, e.domains(), static_cast<int>(e.residuals.size()));
  }
}

}  // namespace

MatrixJ lower_csr_j(ProgramBuilder& builder, const PartExpressions& e) {
  return CsrJLowering(builder, e).run();
}

std::vector<std::size_t> lower_dense_j(ProgramBuilder& b, const PartExpressions& e) {
  if (e.targets.empty()) return {};
  ExprGraph& g = b.graph();
  std::vector<DomainId> row_and_column = e.domains();
  row_and_column.push_back(b.fresh_domain(b.program().unknown_scalars, "j"));
  const std::string buffer = fmt::format("J.{}", e.part->name);
  const FieldId matrix = b.stored_field(BufferKind::Product, buffer, row_and_column,
                                        static_cast<int>(e.residuals.size()));
  const std::vector<std::size_t> ends = piece_ends(g, e, b.options().max_kernel_nodes);
  std::vector<std::vector<Addend>> entries(ends.size());  // by piece
  for (const Target& t : e.targets) {
    MultiIndex index = g.indices()[g.indices().intern(e.domains())];
    index.push_back(column_of(b, e, t));
    for (const JacobianEntry& entry : t.entries) {
      const ExprId root = g.unary(Op::Sqrt, e.weights[entry.residual]);
      const auto piece =
          static_cast<std::size_t>(std::ranges::upper_bound(ends, entry.residual) - ends.begin());
      entries[piece].push_back({matrix, g.indices().intern(index), static_cast<int>(entry.residual),
                                e.domains(), t.loops, g.mul(root, entry.derivative)});
    }
  }
  const std::size_t values = b.program().find_buffer(buffer);
  b.step(Phase::Linearize, ClearBuffer{values});
  for (const std::vector<Addend>& of_piece : entries) {
    if (of_piece.empty()) continue;
    Kernel kernel = part_kernel(*e.part, Role::FillJ, "fill_dense_j");
    scatter(kernel, e.domains(), of_piece);
    b.launch(Phase::Linearize, b.add_kernel(std::move(kernel)));
  }
  b.program().matrices.push_back({.kind = MatrixKind::Dense, .values = values});
  return {b.program().matrices.size() - 1};
}

// Jp = J p, Ap += J^T Jp. The kernel `dot`, which ends the operator, counts their share of p.Ap.
void lower_matrix_product(ProgramBuilder& b, const PartExpressions& e,
                          const std::vector<std::size_t>& matrices) {
  if (matrices.empty()) return;
  const std::string name = fmt::format("Jp.{}", e.part->name);
  add_jp(b, e, b.program().matrices[matrices.front()], name);
  const std::size_t jp = b.program().find_buffer(name);
  for (const std::size_t j : matrices) {
    const bool is_first = j == matrices.front();
    b.multiply({.matrix = j, .adds = !is_first, .x = b.vector(SolverVector::P), .y = jp});
  }
  for (const std::size_t j : matrices)
    b.multiply({.matrix = j,
                .is_transposed = true,
                .adds = true,
                .x = jp,
                .y = b.vector(SolverVector::Ap)});
}

}  // namespace thallo
