// Computes the pairs of blocks in one column (BlockProducts) for one bound instance. Used by
// make_tables() only.
#pragma once

#include <cstdint>
#include <vector>

#include "core/kernel/bind/tables.h"

namespace thallo {

class BlockProductTables {
 public:
  // All arguments must outlive this object; `extents` is indexed by DimId.
  BlockProductTables(const KernelProgram& program, const std::vector<std::int64_t>& extents,
                     BoundTables& tables)
      : program_(program), extents_(extents), tables_(tables) {}

  // Return the number of pairs, and the bytes of their tables, as doubles because they may exceed
  // the size of any table. Both patterns must be in the tables already.
  double num_pairs(const BlockProducts& products) const;
  double bytes(const BlockProducts& products) const;
  void add(const BlockProducts& products);

 private:
  // Linear numbers of elements, by block.
  std::vector<std::int32_t> elements(FieldId unknown, MapId of_blocks) const;
  std::int64_t num_elements(FieldId unknown) const;
  // Looks up the elements of these blocks.
  void append(FieldId unknown, MapId of_blocks, const std::vector<std::int32_t>& blocks, MapId to);

  const KernelProgram& program_;
  const std::vector<std::int64_t>& extents_;
  BoundTables& tables_;
};

}  // namespace thallo
