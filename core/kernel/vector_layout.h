#pragma once

// Defines where the scalars of fields are in memory. Emitters, the interpreter, and the memory of
// host and device all use it.
//
// What the user binds and what a schedule stores is plain: element by element (first dimension
// fastest), the channels of an element adjacent, without gaps. The views of a buffer (one per
// unknown) follow each other in declaration order, which is the order of the unknown vector.
//
// The solver's own memory, its vectors, its blocks per element and its rounded copies of fields,
// follows the program's vector_order. Blocked: the channels of an element of vectors and blocks are
// cut into chunks of 4, then of 3, 2 or 1, and a chunk is contiguous over all elements, so that
// each lane of a warp accesses 16 (8, 4) adjacent bytes. A chunk of 3 has a gap of one scalar
// behind it. The chunks of all views of a buffer are sorted by stride, the widest first, so that
// every chunk begins at a multiple of its stride. With poses of 9 channels and points of 3 (each
// piece for all its elements):
//
//   poses 0-3 | poses 4-7 | points 0-2, gap | poses 8
//
// The beginning of a chunk depends on the extents, so it is passed to kernels
// (KernelSlots::chunks). Rounded copies, which are read element by element through maps, keep an
// element together: one of 3 channels or more takes a multiple of 4 scalars. A gap is 0 or is never
// read.

#include <compare>
#include <cstdint>
#include <set>
#include <span>
#include <vector>

#include "core/kernel/program.h"

namespace thallo {

class ProgramSizes;

// Channels [first, first + width) of a field, which are adjacent in memory, element by element.
struct Chunk {
  int number = 0;
  int first = 0;
  int width = 1;
  int stride = 1;  // scalars from one element to the next
};

// Returns the chunk that contains a channel of a blocked field whose elements have this many
// channels.
Chunk blocked_chunk(int channels, int channel);

// Names a chunk other than the first: of an unknown, for all solver vectors at once, or of a field
// of blocks per element. Invalid if no such chunk is meant.
struct LaterChunk {
  FieldId of;
  int number = 0;

  bool valid() const { return of.valid(); }
  friend auto operator<=>(const LaterChunk&, const LaterChunk&) = default;
};

// The place of one channel of a field: scalar `stride * element + first` from the beginning of the
// chunk or, if the chunk is not valid, from the beginning of the field.
struct ChannelPlace {
  int stride = 1;
  int first = 0;
  LaterChunk chunk;

  std::int64_t of(std::int64_t element) const { return stride * element + first; }
};

// The part of a buffer that is one field: it begins at scalar `begin` of the buffer and ends before
// `end`. These ranges overlap in a blocked buffer, where the chunks of several views alternate.
struct BufferView {
  FieldId field;
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

class VectorLayout {
 public:
  // `program` must outlive this object.
  explicit VectorLayout(const KernelProgram& program);

  ChannelPlace place(FieldId field, int channel) const;
  // Returns the chunk that contains the channel; a plain field is one chunk.
  Chunk chunk(FieldId field, int channel) const;
  // Returns the row or column of a matrix that belongs to the channel, counted from the beginning
  // of the unknown in the unknown vector. It is the numbering of a plain vector, which programs
  // with matrices have.
  ChannelPlace column(FieldId unknown, int channel) const;
  // Returns the number of scalars of an element: of a field in memory, with gaps, and of an unknown
  // in the unknown vector.
  int scalars_per_element(FieldId field) const;
  int columns_per_element(FieldId unknown) const;
  // True if the chunk begins at a multiple of `width` scalars of its allocation for all extents.
  bool is_aligned(FieldId field, const Chunk& chunk, int width) const;

  struct PlacedChunk {
    FieldId field;
    Chunk chunk;
    std::int64_t begin = 0;  // in the buffer
  };
  // Returns the chunks of a buffer in memory order; without sizes, `begin` is not set.
  std::vector<PlacedChunk> chunks_of(const BufferDecl& buffer) const;

  // Returns all views of a buffer, including the flat one.
  std::vector<BufferView> views(const BufferDecl& buffer, const ProgramSizes& sizes) const;
  // The places of the later chunks of a buffer, in scalars from the beginning of their view.
  struct ChunkOffset {
    LaterChunk chunk;
    std::int64_t offset = 0;
  };
  std::vector<ChunkOffset> chunk_offsets(const BufferDecl& buffer, const ProgramSizes& sizes) const;

  // Convert the contents of a buffer from its order in memory to the plain one, and back.
  std::vector<double> to_plain(const BufferDecl& buffer, const ProgramSizes& sizes,
                               std::span<const double> memory) const;
  std::vector<double> from_plain(const BufferDecl& buffer, const ProgramSizes& sizes,
                                 std::span<const double> plain) const;

 private:
  bool is_blocked(FieldId field) const { return owner(field).valid(); }
  // Returns the number of values in a buffer, which its gaps are not among.
  std::size_t num_values(const BufferDecl& buffer, const ProgramSizes& sizes) const;
  // Returns the field by which LaterChunk names the chunks of a blocked field: the unknown for a
  // view of a vector, the field itself for blocks per element. Invalid for a plain field.
  FieldId owner(FieldId field) const;
  std::vector<PlacedChunk> placed_chunks(const BufferDecl& buffer, const ProgramSizes& sizes) const;
  template <class Visit>
  void for_each_scalar(const BufferDecl& buffer, const ProgramSizes& sizes, Visit visit) const;

  const KernelProgram& program_;
  std::vector<FieldId> owners_;  // by FieldId; empty if everything is plain
  std::set<FieldId> rounded_;    // of a blocked program
};

}  // namespace thallo
