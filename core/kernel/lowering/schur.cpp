// S is made as a half, H with S = H + H^T (SchurHalf). Two blocks of W in one column make a
// product W_i V^-1 W_j^T, which is added to H once. Their pairs are sorted by their two rows
// (BlockProducts), so that a warp of a GPU adds up its products before it adds them, and a thread
// of a host adds to the same few lines of S for long.

#include "core/kernel/lowering/schur.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/kernel/lowering/operators.h"
#include "core/kernel/lowering/solver_kernels.h"

namespace thallo {
namespace {

Block in_loops(std::map<std::vector<DomainId>, Block> blocks) {
  Block result;
  for (auto& [loops, block] : blocks) {
    if (loops.empty()) {
      std::ranges::move(block, std::back_inserter(result));
    } else {
      result.push_back({Loop{loops, std::move(block)}});
    }
  }
  return result;
}

// What `blocks()` do not have of the rows and columns of U: products at two accesses, or at two
// points of a Sum. Half of U, as of S.
Block kept_entries(ProgramBuilder& b, SchurHalf& half, const PartExpressions& e) {
  ExprGraph& g = b.graph();
  std::vector<Target> kept = e.targets;
  std::erase_if(kept, [&](const Target& t) { return b.is_eliminated(t.unknown); });
  const std::vector<Target> cols = with_fresh_loops(b, kept);
  std::map<std::vector<DomainId>, Block> entries;
  const auto add = [&](const Target& row, const Target& col, const std::vector<DomainId>& loops,
                       ExprId value) {
    if (g.is_constant(value, 0)) return;
    entries[loops].push_back(half.add_first({row.unknown, row.index, row.channel},
                                            {col.unknown, col.index, col.channel}, value,
                                            e.domains().front()));
  };
  for (std::size_t i = 0; i < kept.size(); ++i) {
    for (std::size_t j = i; j < kept.size(); ++j) {
      const Target& row = kept[i];
      const bool is_in_block =
          b.block_row(row.unknown, 0)->space == b.block_row(kept[j].unknown, 0)->space &&
          row.index == kept[j].index && row.loops == kept[j].loops;
      if (is_in_block && row.loops.empty()) continue;
      const ExprId share = g.constant(i == j ? 0.5 : 1);
      std::vector<DomainId> loops = row.loops;
      loops.insert(loops.end(), cols[j].loops.begin(), cols[j].loops.end());
      add(row, cols[j], loops, g.mul(share, normal_entry(g, e, row, cols[j])));
      // Products at one point of a Sum are in the block.
      if (is_in_block)
        add(row, kept[j], row.loops, g.neg(g.mul(share, normal_entry(g, e, row, kept[j]))));
    }
  }
  return in_loops(std::move(entries));
}

class SchurKernels : public SolverKernels {
 public:
  using SolverKernels::SolverKernels;

 protected:
  using Blocks = StoredBlocks::Blocks;

  std::size_t space_of(FieldId unknown) const { return b_.block_row(unknown, 0)->space; }
  std::size_t num_rows(FieldId unknown) const {
    return static_cast<std::size_t>(b_.program().spaces[space_of(unknown)].channels);
  }

  Statement subtract(Vector from, const Scalar& s, ExprId value) {
    return {ScatterAdd{view(from, s), s.here, s.channel, g_.neg(value)}};
  }
};

// H and its right-hand side: what V^-1 takes from them, then the blocks of kept elements.
class SchurProducts : public SchurKernels {
 public:
  SchurProducts(ProgramBuilder& builder, SchurHalf& half, StoredBlocks& w)
      : SchurKernels(builder), half_(half), w_(w) {}

  void run() {
    if (!w_.is_empty()) eliminate();
    add_kept_blocks();
    half_.finish();
  }

 private:
  using Matrix = std::vector<std::vector<ExprId>>;

  // Entry (row, col) of H, at points of that domain.
  Statement add_to_half(const Scalar& row, const Scalar& col, ExprId value, DomainId point) {
    return half_.add({row.unknown, row.here, row.channel}, {col.unknown, col.here, col.channel},
                     value, point);
  }

  void eliminate() {
    Kernel with_inverse{
        .role = "eliminate_blocks", .label = "eliminate_blocks", .compute = ComputeType::Double};
    for (const auto& [unknowns, blocks] : w_.blocks()) multiply_by_inverse(with_inverse, blocks);
    b_.keep(ProgramBuilder::Later::Complement, std::move(with_inverse));
    Kernel pairs{
        .role = "eliminate_pairs", .label = "eliminate_pairs", .compute = ComputeType::Double};
    for (auto first = w_.blocks().begin(); first != w_.blocks().end(); ++first)
      for (auto second = first; second != w_.blocks().end(); ++second)
        multiply_pairs(pairs, first->second, second->second);
    b_.keep(ProgramBuilder::Later::Complement, std::move(pairs));
    // The kernels behind the linear loop compute the step of eliminated unknowns, too.
    if (b_.has_linear_loop()) return;
    Kernel back{
        .role = "back_substitute", .label = "back_substitute", .compute = ComputeType::Double};
    for (const auto& [unknowns, blocks] : w_.blocks()) substitute(back, blocks);
    b_.keep(ProgramBuilder::Later::Completion, std::move(back));
  }

  // Completes the right-hand side, too.
  void add_kept_blocks() {
    Kernel kernel{
        .role = "add_kept_blocks", .label = "add_kept_blocks", .compute = ComputeType::Double};
    for_each_element(kernel, false, [&](const Rows& rows) {
      const DomainId point = kernel.sections.back().domains.front();
      int channel = 0;
      for (std::size_t i = 0; i < rows.scalars.size(); ++i) {
        const Scalar& row = rows.scalars[i];
        for (std::size_t j = 0; j <= i; ++j) {
          ExprId entry = b_.read(b_.blocks(*rows.space), rows.here(), channel++);
          if (i == j && b_.damped()) entry = g_.add(entry, read(Vector::Damping, row));
          if (i == j) entry = g_.mul(constant(0.5), entry);
          rows.body.push_back(add_to_half(row, rows.scalars[j], entry, point));
        }
        rows.body.push_back(
            store(Vector::KeptB, row, g_.add(read(Vector::KeptB, row), read(Vector::B, row))));
        rows.body.push_back(store(Vector::KeptFree, row, read(Vector::InverseDiagonal, row)));
      }
    });
    b_.keep(ProgramBuilder::Later::Complement, std::move(kernel));
  }

  // A block of W: rows of the kept element, columns of the eliminated one.
  Matrix block_of_w(const Blocks& blocks, IndexId block) {
    const BlockPattern& pattern = b_.program().patterns[blocks.pattern];
    Matrix w(num_rows(pattern.row), std::vector<ExprId>(num_rows(pattern.col), constant(0)));
    int channel = 0;
    for (const auto& [channels, addends] : blocks.entries) {
      w[static_cast<std::size_t>(channels.first)][static_cast<std::size_t>(channels.second)] =
          b_.read(blocks.values, block, channel++);
    }
    return w;
  }

  // W V^-1, as it is stored: row by row.
  Matrix block_with_inverse(const Blocks& blocks, IndexId block) {
    const FieldId stored = with_inverse_.at(blocks.pattern);
    const BlockPattern& pattern = b_.program().patterns[blocks.pattern];
    Matrix y(num_rows(pattern.row));
    int channel = 0;
    for (std::vector<ExprId>& row : y) {
      for (std::size_t k = 0; k < num_rows(pattern.col); ++k)
        row.push_back(b_.read(stored, block, channel++));
    }
    return y;
  }

  // The product of two rows.
  ExprId dot(const std::vector<ExprId>& a, const std::vector<ExprId>& b) {
    std::vector<ExprId> terms;
    for (std::size_t k = 0; k < a.size(); ++k) terms.push_back(g_.mul(a[k], b[k]));
    return g_.add(terms);
  }

  // Stores W V^-1, and takes the product of each block with itself from H, and that with b from the
  // right-hand side.
  void multiply_by_inverse(Kernel& kernel, const Blocks& blocks) {
    const std::vector<DomainId> here = {blocks.here};
    const IndexId block = g_.indices().intern(here);
    const FieldId kept = b_.program().patterns[blocks.pattern].row;
    const std::vector<Scalar> rows = scalars_of(space_of(kept), w_.row_element(blocks, block));
    Section section{.domains = here};
    const Rows eliminated{section.body,
                          scalars_of(eliminated_space(), w_.col_element(blocks, block)),
                          eliminated_space()};
    const std::vector<Scalar>& cols = eliminated.scalars;
    const FieldId stored =
        b_.stored_field(BufferKind::Product, "W_inverse", here,
                        static_cast<int>(rows.size() * cols.size()), ScalarType::Double);
    with_inverse_[blocks.pattern] = stored;
    const Matrix w = block_of_w(blocks, block);
    std::vector<ExprId> b;
    for (const Scalar& scalar : cols) b.push_back(read(Vector::B, scalar));
    int channel = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      std::vector<ExprId> y;
      for (std::size_t k = 0; k < cols.size(); ++k) {
        y.push_back(block_inverse_times(eliminated, k, w[i]));
        section.body.push_back({Store{stored, block, channel++, y.back()}});
      }
      for (std::size_t j = 0; j <= i; ++j) {
        const ExprId share = constant(i == j ? -0.5 : -1);
        section.body.push_back(
            add_to_half(rows[i], rows[j], g_.mul(share, dot(y, w[j])), blocks.here));
      }
      section.body.push_back(subtract(Vector::KeptB, rows[i], dot(y, b)));
    }
    kernel.sections.push_back(std::move(section));
  }

  void multiply_pairs(Kernel& kernel, const Blocks& first, const Blocks& second) {
    const BlockPattern pattern = b_.program().patterns[first.pattern],
                       other = b_.program().patterns[second.pattern];
    BlockProducts products{.first = first.pattern,
                           .second = second.pattern,
                           .products = b_.add_dim("products of blocks")};
    const std::vector<DomainId> here = {b_.fresh_domain(products.products, "k")};
    const IndexId pair = g_.indices().intern(here);
    const auto table = [&](const char* name, std::vector<DimId> out) {
      return b_.add_table(name, here, std::move(out), false);
    };
    const auto index = [&](MapId map) {
      MultiIndex components;
      for (std::size_t d = 0; d < b_.program().maps[map.index()].out.size(); ++d)
        components.push_back(g_.indices().component(map, static_cast<int>(d), pair));
      return g_.indices().intern(std::move(components));
    };
    products.first_block = table("first_block", {pattern.blocks});
    products.second_block = table("second_block", {other.blocks});
    products.first_row = table("first_row", b_.energy().field(pattern.row).dims);
    products.second_row = table("second_row", b_.energy().field(other.row).dims);
    b_.program().block_products.push_back(products);

    const std::vector<Scalar> rows = scalars_of(space_of(pattern.row), index(products.first_row)),
                              cols = scalars_of(space_of(other.row), index(products.second_row));
    const Matrix y = block_with_inverse(first, index(products.first_block));
    const Matrix w = block_of_w(second, index(products.second_block));
    Section section{.domains = here};
    for (std::size_t i = 0; i < rows.size(); ++i) {
      for (std::size_t j = 0; j < cols.size(); ++j) {
        section.body.push_back(
            add_to_half(rows[i], cols[j], g_.neg(dot(y[i], w[j])), here.front()));
      }
    }
    kernel.sections.push_back(std::move(section));
  }

  // x_E -= V^-1 W^T x_F
  void substitute(Kernel& kernel, const Blocks& blocks) {
    const std::vector<DomainId> here = {blocks.here};
    const IndexId block = g_.indices().intern(here);
    const FieldId kept = b_.program().patterns[blocks.pattern].row;
    const std::vector<Scalar> rows = scalars_of(space_of(kept), w_.row_element(blocks, block)),
                              cols = scalars_of(eliminated_space(), w_.col_element(blocks, block));
    const Matrix y = block_with_inverse(blocks, block);
    Section section{.domains = here};
    for (std::size_t k = 0; k < cols.size(); ++k) {
      std::vector<ExprId> terms;
      for (std::size_t i = 0; i < rows.size(); ++i)
        terms.push_back(g_.mul(y[i][k], read(Vector::KeptX, rows[i])));
      section.body.push_back(subtract(Vector::X, cols[k], g_.add(terms)));
    }
    kernel.sections.push_back(std::move(section));
  }

  SchurHalf& half_;
  StoredBlocks& w_;
  std::map<std::size_t, FieldId> with_inverse_;  // by pattern
};

class SchurSolve : public SchurKernels {
 public:
  using SchurKernels::SchurKernels;

  void run() {
    b_.add_kept(ProgramBuilder::Later::Complement, Phase::DirectSolve);
    SolveDirect solve{.solver = b_.options().linear_solver,
                      .matrix = b_.program().find_buffer(SchurHalf::Buffer),
                      .free = b_.vector(Vector::KeptFree),
                      .b = b_.vector(Vector::KeptB),
                      .x = b_.vector(Vector::KeptX)};
    if (solve.solver->form() == MatrixForm::Csr) {
      solve.offsets = b_.program().matrices.back().offsets;
      solve.columns = b_.program().matrices.back().columns;
    }
    b_.step(Phase::DirectSolve, solve);
    lower_take_step();
    b_.add_kept(ProgramBuilder::Later::Completion, Phase::DirectSolve);
  }

 private:
  // x_F, and no step at all if S is not positive definite.
  void lower_take_step() {
    Kernel kernel{.role = "take_step", .label = "take_step", .compute = ComputeType::Double};
    for_each_element(kernel, false, [&](const Rows& rows) {
      for (const Scalar& scalar : rows.scalars) {
        rows.body.push_back(store(Vector::X, scalar, read(Vector::KeptX, scalar)));
        rows.body.push_back(store(Vector::R, scalar, constant(0)));
      }
    });
    const ExprId has_failed = less(constant(0), b_.state(Slot::DirectFailed));
    for_each_element(kernel, true, [&](const Rows& rows) {
      for (const Scalar& scalar : rows.scalars) {
        const ExprId x = g_.select(has_failed, constant(0), read(Vector::X, scalar));
        rows.body.push_back(store(Vector::X, scalar, x));
      }
    });
    b_.launch(Phase::DirectSolve, b_.add_kernel(std::move(kernel)));
  }
};

}  // namespace

SchurComplement::SchurComplement(ProgramBuilder& builder,
                                 const std::vector<PartExpressions>& pieces)
    : b_(builder), half_(builder), w_(builder, "W", ScalarType::Double) {
  for (const PartExpressions& e : pieces) collect(e);
  w_.declare();
  if (!w_.is_empty()) b_.step(Phase::Linearize, ClearBuffer{b_.program().find_buffer(w_.buffer())});
  half_.begin();
  b_.keep(ProgramBuilder::Later::Complement, ClearBuffer{b_.vector(SolverVector::KeptB)});
}

void SchurComplement::collect(const PartExpressions& e) {
  const auto scalar_of = [this](const Target& t) {
    const auto place = b_.block_row(t.unknown, t.channel);
    const FieldId first = b_.program().spaces[place->space].unknowns.front();
    return UnknownScalar{first, t.index, place->row};
  };
  for (const Target& row : e.targets) {
    if (b_.is_eliminated(row.unknown)) continue;
    for (const Target& col : e.targets) {
      if (!b_.is_eliminated(col.unknown)) continue;
      const ExprId value = normal_entry(b_.graph(), e, row, col);
      if (!b_.graph().is_constant(value, 0))
        w_.add(e, scalar_of(row), scalar_of(col), row.loops, value);
    }
  }
  kept_entries_[&e] = kept_entries(b_, half_, e);
}

Block SchurComplement::additions(const PartExpressions& e) const {
  Block block = kept_entries_.at(&e);
  for (const Addend& addend : w_.additions(e))
    block.push_back({ScatterAdd{addend.field, addend.index, addend.channel, addend.value}});
  return block;
}

void SchurComplement::fill(const PartExpressions& e) {
  w_.fill(e, ComputeType::Double);
  if (kept_entries_.at(&e).empty()) return;
  Kernel kernel = part_kernel(*e.part, Role::FillJtJ, "dense_jtj");
  kernel.compute = ComputeType::Double;
  kernel.sections.push_back({.domains = e.domains(), .body = kept_entries_.at(&e)});
  b_.launch(Phase::Linearize, b_.add_kernel(std::move(kernel)));
}

void SchurComplement::lower_products() { SchurProducts(b_, half_, w_).run(); }

void lower_schur_solve(ProgramBuilder& builder) { SchurSolve(builder).run(); }

}  // namespace thallo
