#pragma once

// The contents of a program's own sparse maps (ColumnTable, BlockPattern, CsrRows,
// MirroredBlocks) for one bound instance.

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
  double bytes = 0;                       // of all tables, as they are compared with a memory limit
};

// The failure that tables take so many bytes, which is more than the limit.
tl::unexpected<Diagnostic> refuse_tables(double bytes, std::int64_t memory_limit);

// Whether all tables are made, or only those whose entries say how large a dim is.
enum class TableContents { All, ForExtents };

// `extents` are those of the energy's dims and of unknown_scalars, by DimId; `offsets` say where
// each unknown begins in the unknown vector, by FieldId. Fails when the tables take more than
// `memory_limit` bytes or an entry does not fit in 31 bits.
Expected<BoundTables> make_tables(const KernelProgram& program, const Binding& binding,
                                  const std::vector<std::int64_t>& extents,
                                  const std::vector<std::int64_t>& offsets,
                                  std::int64_t memory_limit,
                                  TableContents contents = TableContents::All);

}  // namespace thallo
