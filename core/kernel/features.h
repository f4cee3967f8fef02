#pragma once

// What a kernel does, counted from its code for given sizes: operations, bytes by how they are
// accessed, atomics, and the bytes it must move at least. Tables of GB/s, cost models and the
// explorer read these numbers.
//
// Counts are totals over all points of all sections. Serial loops count with their extents; work
// behind a condition counts as if it were always done (masks are mostly true). A value counts once
// where the code computes it.

#include <cstdint>
#include <map>
#include <vector>

#include "core/kernel/bind/sizes.h"
#include "core/kernel/code.h"
#include "core/schedule/precision.h"

namespace thallo {

struct Flops {
  double adds = 0;  // additions, subtractions, comparisons, selections
  double multiplies = 0;
  double fused = 0;      // multiplications among `multiplies` that fuse with one of `adds`
  double divisions = 0;  // divisions and square roots
  double transcendentals = 0;
  double total() const { return adds + multiplies + divisions + transcendentals; }
};

// How the threads of a warp reach memory together.
struct AccessBytes {
  double coalesced = 0;  // the element advances by one with the first parallel domain
  double gathered = 0;   // it jumps: through a map, or along another dimension
  double uniform = 0;    // it is the same for neighbors
  double total() const { return coalesced + gathered + uniform; }
};

// How a place in memory moves from one thread to the next.
enum class Motion { Still, ByOne, Jumps };

// The accesses of a kernel to the channels of an element that lie together: all of them in a plain
// field, those of a chunk in a blocked one (vector_layout.h).
struct Access {
  enum class Kind { Read, Store, Add };
  Kind kind = Kind::Read;
  Motion motion = Motion::Still;
  MapId map;           // of KernelProgram::maps, which the jump goes through; else invalid
  double count = 0;    // accesses, over all points and loops; of additions those that reach memory
  double bytes = 0;    // of the channels that one access touches
  double scalars = 1;  // these channels
  double pieces = 1;   // instructions of a GPU for them: one for each scalar, or aligned vector
  double element = 0;  // bytes from an element to the next: of all channels that lie together
  double table = 0;    // bytes of these channels of all elements
};

struct KernelFeatures {
  std::int64_t points = 0;
  Flops flops;
  double index_operations = 0;  // integer arithmetic and range checks of indices
  double loads = 0;             // scalars loaded, from fields and maps
  AccessBytes reads;
  AccessBytes writes;    // stores
  AccessBytes scatters;  // scalars added to memory, counted once although each is read and written
  // Scatter-adds: one a point and scalar, or vector of a blocked layout; one a warp where the
  // target is the same for neighbors, nothing guards the addition, a row is no shorter than a warp
  // and the schedule lets warps aggregate. What a map makes equal is not known here.
  double atomics = 0;
  double index_bytes = 0;  // reads of sparse maps
  double reductions = 0;   // scalars reduced
  // What the bytes above are made of, access by access.
  std::vector<Access> accesses;
  // The longest chain of loads in a point of which each needs the one before: 2 where an element is
  // found through a map.
  double chained_loads = 0;
  double passes =
      0;  // of serial loops, over all points; those of an inner loop for each outer pass
  // Of these the passes over the points that a map sends to the thread's element, by map. They are
  // as uneven as the map.
  std::map<MapId, double> visits;

  // Bytes that must cross the memory bus if every cache were perfect: each scalar of a buffer (and
  // entry of a map) the kernel touches, once; a scatter-add reads and writes it. State and params
  // do not count.
  double must_read = 0;
  double must_write = 0;
  double must_move() const { return must_read + must_write; }
};

KernelFeatures count_features(const KernelProgram& program, const KernelCode& code,
                              const ProgramSizes& sizes, Precision precision);
KernelFeatures count_features(const KernelProgram& program, const ClearBuffer& clear,
                              const ProgramSizes& sizes, Precision precision);
// A Cholesky factorization, N^3/3 operations, and two solves.
KernelFeatures count_features(const KernelProgram& program, const SolveDirect& solve,
                              const ProgramSizes& sizes, Precision precision);

// Sums over the steps of a phase as if every gate were open.
struct PhaseFeatures {
  int launches = 0;  // kernels, clears, library operations and dense solves
  double must_move = 0;
  double flops = 0;
};
PhaseFeatures count_features(const KernelProgram& program, const std::vector<KernelCode>& codes,
                             Phase phase, const ProgramSizes& sizes, Precision precision);

}  // namespace thallo
