// A sparse JtJ is stored by blocks (stored_blocks.h).
//
// As for a dense JtJ, only a half is stored: H with JtJ = H + H^T. A half of this kind needs no
// order of rows and columns, and it is right even where two maps lead to the same element.
//
// Format blocks: a product uses each block twice, as it is and transposed. It reads half as much as
// the product with a symmetric matrix in CSR, and scatters into rows in ascending order.
//
// Format csr: JtJ = H + H^T is stored with both triangles in CSR (MirroredBlocks), since cuSPARSE
// has no symmetric SpMV. A generated kernel fills H even where J is a CSR matrix (it reads J's
// entries): SpGEMM would need J^T, a pass to find the pattern, which the maps give already, and
// workspaces whose sizes are not known in advance. The JtJ of a sparse direct solver is the same,
// with the blocks of all parts in one H.

#include "core/kernel/lowering/block_jtj.h"

#include <fmt/format.h>

#include <utility>

#include "core/base/error.h"
#include "core/kernel/lowering/stored_blocks.h"

namespace thallo {

// H of the pieces of one or several parts: all of them are collected, then the buffer is declared,
// then filled. They must outlive it.
class HalfJtJ {
 public:
  HalfJtJ(ProgramBuilder& builder, std::string buffer, ScalarType type = ScalarType::Working)
      : b_(builder),
        g_(builder.graph()),
        buffer_(std::move(buffer)),
        stored_(builder, buffer_, type) {}

  void collect(const PartExpressions& e) {
    const std::vector<Target> cols = with_fresh_loops(b_, e.targets);
    for (std::size_t i = 0; i < e.targets.size(); ++i) {
      for (std::size_t j = i; j < cols.size(); ++j) {
        const ExprId value = normal_entry(g_, e, e.targets[i], cols[j]);
        if (g_.is_constant(value, 0)) continue;
        add(e, e.targets[i], cols[j], i == j ? g_.mul(g_.constant(0.5), value) : value);
      }
    }
  }

  void declare() {
    stored_.declare();
    if (!is_empty()) b_.step(Phase::Linearize, ClearBuffer{b_.program().find_buffer(buffer_)});
  }
  bool is_empty() const { return stored_.is_empty(); }
  std::vector<Addend> additions(const PartExpressions& e) const { return stored_.additions(e); }
  void fill(const PartExpressions& e, ComputeType compute = ComputeType::Working) {
    stored_.fill(e, compute);
  }

  // Ap += (H + H^T) p, by a kernel.
  void multiply(const Part& part) {
    if (is_empty()) return;
    Kernel apply = part_kernel(part, Role::JtJp, "apply_block_jtj");
    for (const auto& [unknowns, blocks] : stored_.blocks()) add_product(blocks, apply);
    b_.launch_apply(std::move(apply));
  }

  void mirror(const std::string& whole, const std::string& label) {
    b_.launch(Phase::Linearize, b_.add_kernel(mirror_halves(b_, stored_, whole, label,
                                                            b_.program().unknown_scalars)));
  }

 private:
  void add(const PartExpressions& e, const Target& row, const Target& col, ExprId value) {
    if (col.unknown < row.unknown) return add(e, col, row, value);  // H + H^T stays the same
    std::vector<DomainId> loops = row.loops;
    loops.insert(loops.end(), col.loops.begin(), col.loops.end());
    stored_.add(e, {row.unknown, row.index, row.channel}, {col.unknown, col.index, col.channel},
                std::move(loops), value);
  }

  // Ap += (H + H^T) p, with one thread per block of H.
  void add_product(const StoredBlocks::Blocks& blocks, Kernel& kernel) {
    const std::vector<DomainId> here = {blocks.here};
    const IndexId block = g_.indices().intern(here);
    const BlockPattern pattern = b_.program().patterns[blocks.pattern];
    const IndexId row = stored_.row_element(blocks, block);
    const IndexId col = stored_.col_element(blocks, block);
    const FieldId p_row = b_.vector_view(SolverVector::P, pattern.row);
    const FieldId p_col = b_.vector_view(SolverVector::P, pattern.col);
    std::map<int, std::vector<ExprId>> of_row;
    std::map<int, std::vector<ExprId>> of_col;
    std::vector<ExprId> shares;
    int channel = 0;
    for (const auto& [channels, addends] : blocks.entries) {
      const ExprId value = b_.read(blocks.values, block, channel++);
      of_row[channels.first].push_back(g_.mul(value, b_.read(p_col, col, channels.second)));
      of_col[channels.second].push_back(g_.mul(value, b_.read(p_row, row, channels.first)));
    }
    std::vector<Addend> sums;
    for (const auto& [c, terms] : of_row) {
      const ExprId sum = g_.add(terms);
      sums.push_back({b_.vector_view(SolverVector::Ap, pattern.row), row, c, here, {}, sum});
      shares.push_back(g_.mul(b_.read(p_row, row, c), sum));
    }
    for (const auto& [c, terms] : of_col)
      sums.push_back(
          {b_.vector_view(SolverVector::Ap, pattern.col), col, c, here, {}, g_.add(terms)});
    const ExprId share = g_.mul(g_.constant(2), g_.add(shares));
    scatter(kernel, here, sums, b_.share_of_product(share));
  }

  ProgramBuilder& b_;
  ExprGraph& g_;
  std::string buffer_;
  StoredBlocks stored_;
};

void lower_block_jtj(ProgramBuilder& builder, const std::vector<PartExpressions>& pieces) {
  const Part& part = *pieces.front().part;
  HalfJtJ jtj(builder, fmt::format("JtJ.{}", part.name));
  for (const PartExpressions& e : pieces) jtj.collect(e);
  jtj.declare();
  for (const PartExpressions& e : pieces) jtj.fill(e);
  jtj.multiply(part);
}

void lower_csr_jtj(ProgramBuilder& builder, const std::vector<PartExpressions>& pieces) {
  const Part& part = *pieces.front().part;
  const std::string whole = fmt::format("JtJ.{}", part.name);
  HalfJtJ jtj(builder, whole + ".half");
  for (const PartExpressions& e : pieces) jtj.collect(e);
  jtj.declare();
  for (const PartExpressions& e : pieces) jtj.fill(e);
  if (jtj.is_empty()) return;
  jtj.mirror(whole, fmt::format("mirror_jtj [{}]", part.name));
  builder.multiply({.matrix = builder.program().matrices.size() - 1,
                    .adds = true,
                    .x = builder.vector(SolverVector::P),
                    .y = builder.vector(SolverVector::Ap)});
}

SolverJtJ::SolverJtJ(ProgramBuilder& builder, const std::vector<PartExpressions>& pieces)
    : half_(std::make_unique<HalfJtJ>(builder, "JtJ.half", ScalarType::Double)) {
  for (const PartExpressions& piece : pieces) half_->collect(piece);
  half_->declare();
}
SolverJtJ::~SolverJtJ() = default;

Block SolverJtJ::additions(const PartExpressions& piece) const {
  Block block;
  for (const Addend& addend : half_->additions(piece)) {
    THALLO_ASSERT(addend.loops.empty());
    block.push_back({ScatterAdd{addend.field, addend.index, addend.channel, addend.value}});
  }
  return block;
}

void SolverJtJ::fill(const PartExpressions& piece) { half_->fill(piece, ComputeType::Double); }

void SolverJtJ::finish() { half_->mirror("JtJ", "mirror_jtj"); }

}  // namespace thallo
