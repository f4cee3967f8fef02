#pragma once

// Counts what a kernel does, from its code and for given sizes: operations, bytes by kind of
// access, atomics, and the bytes it must move at least. Tables of GB/s, cost models and the
// explorer use these numbers.
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
  void add(const Flops& other, double times) {
    adds += times * other.adds;
    multiplies += times * other.multiplies;
    fused += times * other.fused;
    divisions += times * other.divisions;
    transcendentals += times * other.transcendentals;
  }
};

// How the threads of a warp access memory together.
struct AccessBytes {
  double coalesced = 0;  // the element advances by one with the first parallel domain
  double gathered = 0;   // it jumps: through a map, or along another dimension
  double uniform = 0;    // it is the same for neighbors
  double total() const { return coalesced + gathered + uniform; }
};

// How a place in memory moves from one thread to the next.
enum class Motion { Still, ByOne, Jumps };

// The accesses of a kernel to the adjacent channels of an element: all channels in a plain field,
// those of a chunk in a blocked one (vector_layout.h).
struct Access {
  enum class Kind { Read, Store, Add };
  Kind kind = Kind::Read;
  Motion motion = Motion::Still;
  MapId map;           // of KernelProgram::maps, through which it jumps; else invalid
  double count = 0;    // over all points and loops; additions that reach memory
  double bytes = 0;    // of the channels that one access touches
  double scalars = 1;  // the number of these channels
  double pieces = 1;   // GPU instructions: one per scalar or aligned vector
  double element = 0;  // distance between elements: bytes of all adjacent channels
  double table = 0;    // bytes of these channels over all elements
};

struct KernelFeatures {
  std::int64_t points = 0;
  Flops flops;
  double index_operations = 0;  // integer arithmetic and range checks of indices
  double loads = 0;             // scalars loaded, from fields, windows and maps
  double window_loads = 0;      // those of them from windows, which are in shared memory (tiles.h)
  AccessBytes reads;
  AccessBytes writes;    // stores
  AccessBytes scatters;  // scalars added to memory, counted once although each is read and written
  // Scatter-adds: one a point and scalar, or vector of a blocked layout; one a warp where the
  // target is the same for neighbors, nothing guards the addition, a row is no shorter than a warp
  // and the schedule lets warps aggregate. What a map makes equal is not known here.
  double atomics = 0;
  double index_bytes = 0;  // reads of sparse maps
  double reductions = 0;   // scalars reduced
  // The individual accesses that the bytes above consist of.
  std::vector<Access> accesses;
  // The longest chain of dependent loads at a point: 2 if an element is found through a map.
  double chained_loads = 0;
  double passes = 0;  // passes of serial loops over all points; nested ones multiply
  // Of these, the passes over the points that a map sends to the thread's element, by map. Their
  // numbers vary as the map does.
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
// Counts a Cholesky factorization, N^3/3 operations, and two triangular solves.
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
