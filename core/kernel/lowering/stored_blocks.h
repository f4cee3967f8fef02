// A sparse matrix over unknowns, stored by blocks in one buffer: for two unknowns and every pair of
// their elements that meet in some residual, a value for each pair of channels that occurs. Which
// pairs of elements there are follows from the maps when they are bound (BlockPattern), and so does
// the block that a residual point adds to. The tables run only over the domains that occur in the
// two accesses, not over all residual points. Elements may also meet at points of other kernels.
// Private to lowering.
#pragma once

#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "core/kernel/lowering/accumulate.h"
#include "core/kernel/lowering/part_expressions.h"

namespace thallo {

// All entries of the pieces of one or several parts are added, then the buffer is declared, then
// filled. The pieces must outlive it.
class StoredBlocks {
 public:
  using Unknowns = std::pair<FieldId, FieldId>;  // of rows and columns
  using Channels = std::pair<int, int>;

  // The blocks of two unknowns.
  struct Blocks {
    std::size_t pattern = 0;  // into program.patterns
    DomainId here;            // over the blocks
    FieldId values;           // once declared: a channel for each of `entries`, in their order
    // By row, column and the domains of the table, which do not follow from constant indices.
    std::map<std::tuple<IndexId, IndexId, std::vector<DomainId>>, MapId> meetings;
    // With the piece that adds each.
    std::map<Channels, std::vector<std::pair<const PartExpressions*, Addend>>> entries;
  };

  StoredBlocks(ProgramBuilder& builder, std::string buffer, ScalarType type)
      : b_(builder), g_(builder.graph()), buffer_(std::move(buffer)), type_(type) {}

  // Entry (row, column) += value, at each point of the piece and of the loops.
  void add(const PartExpressions& piece, const UnknownScalar& row, const UnknownScalar& col,
           std::vector<DomainId> loops, ExprId value);
  void declare();

  // Instead of adding entries: the blocks of two unknowns have this many rows and columns.
  void add_blocks(FieldId row, FieldId col, int rows, int cols);
  // The block of two elements that meet at points of a kernel, as an index over the blocks of the
  // two unknowns. Constant indices meet at each point of `any`.
  IndexId block(FieldId row, FieldId col, IndexId at_row, IndexId at_col, DomainId any);

  // What a piece adds.
  std::vector<Addend> additions(const PartExpressions& piece) const;
  // By a kernel of its own.
  void fill(const PartExpressions& piece, ComputeType compute = ComputeType::Working);

  bool is_empty() const { return blocks_.empty(); }
  const std::map<Unknowns, Blocks>& blocks() const { return blocks_; }
  const std::string& buffer() const { return buffer_; }
  ScalarType type() const { return type_; }
  // The element of a block's row or column, at an index over the blocks.
  IndexId row_element(const Blocks& blocks, IndexId block);
  IndexId col_element(const Blocks& blocks, IndexId block);

 private:
  Blocks& blocks_of(FieldId row, FieldId col);
  IndexId block_of(Blocks& blocks, IndexId row, IndexId col, DomainId any);
  IndexId element(FieldId unknown, MapId elements, IndexId block);

  ProgramBuilder& b_;
  ExprGraph& g_;
  std::string buffer_;
  ScalarType type_;
  std::map<Unknowns, Blocks> blocks_;
};

// Makes a CSR matrix over `rows` of H in these blocks, H + H^T, filled by one thread per entry. It
// becomes the last of the program's matrices, and the kernel fills it.
Kernel mirror_halves(ProgramBuilder& builder, const StoredBlocks& half, const std::string& whole,
                     const std::string& label, DimId rows);

}  // namespace thallo
