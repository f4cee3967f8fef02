#pragma once

// Computes the program's own sparse maps (ColumnTable, BlockPattern, BlockProducts, CsrRows,
// MirroredBlocks, AdditionOrder) and the extents of its own dims for one bound instance.

#include <cstdint>
#include <map>
#include <vector>

#include "core/energy/binding.h"
#include "core/kernel/program.h"

namespace thallo {

inline constexpr std::int64_t DefaultMemoryLimit = std::int64_t{8} << 30;  // bytes

struct BoundTables {
  std::map<MapId, std::vector<std::int32_t>> maps;
  std::map<DimId, std::int64_t> extents;  // of the dims that the tables define
  double bytes = 0;                       // of all tables, for comparison with a memory limit
};

// Returns the failure that the tables take this many bytes, which exceeds the limit.
tl::unexpected<Diagnostic> refuse_tables(double bytes, std::int64_t memory_limit);

// Which tables are made.
enum class TableContents {
  All,
  ForExtents,  // those that determine the extent of a dim
  // None. The extents that they would determine are upper bounds, as if no two points met at the
  // same elements.
  Bounds
};

// `extents` are those of the energy's dims and of unknown_scalars, by DimId; `offsets` are those of
// the unknowns in matrices, by FieldId. Fails if the tables take more than `memory_limit`
// bytes or an entry does not fit in 31 bits.
Expected<BoundTables> make_tables(const KernelProgram& program, const Binding& binding,
                                  const std::vector<std::int64_t>& extents,
                                  const std::vector<std::int64_t>& offsets,
                                  std::int64_t memory_limit,
                                  TableContents contents = TableContents::All);

}  // namespace thallo
