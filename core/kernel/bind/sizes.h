#pragma once

// The sizes of one bound instance, as every backend needs them: the extents of the program's dims
// (the energy's, the number N of unknown scalars, and those that tables define), the numbers of
// scalars of fields, maps and buffers, the rows of each unknown in matrices, and the resulting
// index width.

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "core/energy/binding.h"
#include "core/kernel/bind/tables.h"
#include "core/kernel/program.h"
#include "core/kernel/vector_layout.h"

namespace thallo {

class ProgramSizes {
 public:
  // Fails if a size does not fit in 63 bits (the message names the field or map), or if
  // make_tables() fails. `contents` says which of the tables() are made;
  // with TableContents::Bounds, sizes are upper bounds.
  static Expected<ProgramSizes> make(const KernelProgram& program, const Binding& binding,
                                     std::int64_t memory_limit = DefaultMemoryLimit,
                                     TableContents contents = TableContents::All);

  std::int64_t extent(DimId dim) const { return extents_[dim.index()]; }
  // Returns the product of extents; 1 for no dims.
  std::int64_t num_points(const std::vector<DimId>& dims) const;
  // Returns the scalars of memory that a field takes (VectorLayout).
  std::int64_t num_scalars(FieldId field) const { return field_sizes_[field.index()]; }
  // Returns the entries of a map: points of its `in` space times |out|.
  std::int64_t num_entries(MapId map) const { return map_sizes_[map.index()]; }
  std::int64_t buffer_size(const BufferDecl& buffer) const;  // scalars of all views
  std::int64_t num_unknowns() const { return num_unknowns_; }
  // Returns the rows of a matrix over the unknowns, which are those of the unknown vector, or where
  // a Schur complement is formed only those that are not eliminated.
  std::int64_t num_matrix_rows() const { return num_matrix_rows_; }
  // Returns the first of these rows that belongs to the unknown; it must have some.
  std::int64_t offset(FieldId unknown) const { return offsets_[unknown.index()]; }
  // Returns the scalars from the beginning of the field to this chunk of it; 0 if the chunk is not
  // valid.
  std::int64_t offset(const LaterChunk& chunk) const {
    return chunk.valid() ? chunk_offsets_.at(chunk) : 0;
  }
  const BoundTables& tables() const { return *tables_; }

  // Returns 32 if every field, map and set of points has fewer than 2^31 entries, else 64.
  int index_bits() const { return index_bits_; }

  // True if both need the same memory and the same code. The entries of their tables may differ.
  bool have_equal_extents(const ProgramSizes& other) const { return extents_ == other.extents_; }

 private:
  std::vector<std::int64_t> extents_;
  std::vector<std::int64_t> field_sizes_, map_sizes_;
  std::vector<std::int64_t> offsets_;  // by FieldId; 0 for fields other than unknowns
  std::int64_t num_unknowns_ = 0;
  std::int64_t num_matrix_rows_ = 0;
  std::map<LaterChunk, std::int64_t> chunk_offsets_;
  int index_bits_ = 32;
  std::shared_ptr<const BoundTables> tables_;
};

// True if matrices have rows of the unknown. A Schur complement lacks those that are eliminated.
bool is_kept_in_matrix(const KernelProgram& program, FieldId unknown);

}  // namespace thallo
