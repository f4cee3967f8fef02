// Computes the rows and columns of matrices in CSR (CsrRows, MirroredBlocks) for one bound
// instance. Used by make_tables() only.
#pragma once

#include <cstdint>
#include <vector>

#include "core/kernel/bind/index_evaluator.h"
#include "core/kernel/bind/tables.h"
#include "core/kernel/vector_layout.h"

namespace thallo {

class CsrTables {
 public:
  // All arguments must outlive this object; `offsets` are those of make_tables().
  CsrTables(const KernelProgram& program, const std::vector<std::int64_t>& extents,
            const std::vector<std::int64_t>& offsets, BoundTables& tables)
      : program_(program), extents_(extents), offsets_(offsets), tables_(tables) {}

  // Returns the bytes of the tables, as a double because they may exceed the size of any table. The
  // patterns of `blocks` must be in the tables already.
  double bytes(const CsrRows& rows) const;
  double bytes(const MirroredBlocks& blocks) const;

  // Computes extents that add() needs.
  void measure(const CsrRows& rows);
  void add(const CsrRows& rows, IndexEvaluator& evaluator);
  void add(const MirroredBlocks& blocks);
  // Sets the extents that add() would, as if no entry had a mirror image.
  void bound(const MirroredBlocks& blocks);

 private:
  // An entry of H; there is at most one for each row, column and triangle.
  struct Half {
    std::int32_t column = 0;
    std::int32_t place = 0;
    bool is_mirrored = false;
  };
  double num_points(const std::vector<DomainId>& domains) const;
  double num_entries(const CsrRows& rows) const;
  double num_rows(DimId rows) const;  // including the empty ones at the end
  double num_halves(const MirroredBlocks& blocks) const;
  template <class Visit>
  void for_each_half(const MirroredBlocks& blocks, Visit visit) const;
  // The column of a scalar, by element.
  struct Column {
    std::int64_t begin = 0;
    ChannelPlace place;
    std::int32_t of(std::int64_t element) const {
      return static_cast<std::int32_t>(begin + place.of(element));
    }
  };
  Column column(FieldId unknown, int channel) const;

  const KernelProgram& program_;
  const std::vector<std::int64_t>& extents_;
  const std::vector<std::int64_t>& offsets_;
  BoundTables& tables_;
};

}  // namespace thallo
