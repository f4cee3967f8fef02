#pragma once

// Multigrid as preconditioner of PCG (docs/algorithms.md, "Multigrid"): which energies it is for,
// the levels of a grid, and where their matrices, smoothers and vectors are in memory. The unknowns
// are those of one space, over one to three dims.
//
// Coarse levels lag behind JtJ + D, which changes with each linear solve; level 0 does not.
//
// Level l + 1 has every second element of level l in each dim. An element between two coarse ones
// is their mean; beyond the last one it is equal to it. Every level has a matrix of Entries, one of
// JtJ + D at level 0 and P^T A P of the level before at others, and smooths by a weight for each
// scalar, which is 0 where the scalar takes no part.

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/base/diagnostic.h"
#include "core/energy/energy.h"
#include "core/kernel/bind/sizes.h"
#include "core/kernel/features.h"
#include "core/kernel/program.h"
#include "core/schedule/precision.h"

namespace thallo {

// Fails unless the energy can have this preconditioner: all unknowns are over the same one to three
// dims, no more than max_block_channels channels an element, and what meets in a residual is at a
// fixed offset of few elements. The message names the unknowns or accesses that stand in the way.
Expected<void> check_multigrid(const Energy& energy);

struct GridLevel {
  std::array<std::int64_t, 3> extents = {1, 1, 1};
  std::int64_t elements = 1;
  // Places in the buffer Multigrid::levels, which are channel by channel (entry by entry for
  // `matrix`), and within these element by element. Level 0 has weights only: its matrix is
  // Multigrid::matrix, its vectors are r and z of PCG.
  std::int64_t weights = 0;
  std::int64_t matrix = 0, residual = 0, correction = 0;
};

// What an element may meet on one level.
struct GridStencil {
  int radius = 0;  // the largest offset in any dim
  // Of level 0 those of JtJ, ascending. Of others, for each pair of channels, all within the
  // radius, ascending, the first dim fastest.
  std::vector<Multigrid::Entry> entries;
  std::size_t position(const Multigrid::Entry& entry) const;  // in `entries`
  // Of others: how far an entry is from that with the same channels and no offset.
  std::int64_t jump(std::int64_t x, std::int64_t y, std::int64_t z) const {
    const std::int64_t width = 2 * radius + 1;
    return x + width * (y + width * z);
  }
  // Returns the positions of the entries on the diagonal by channel; -1 where there is none.
  std::vector<int> diagonal(int channels) const;
};

struct GridLevels {
  int num_dims = 0;
  int channels = 0;
  GridStencil fine, coarse;  // of level 0, of all others
  std::vector<GridLevel> levels;
  std::int64_t scalars = 0;  // of the buffer Multigrid::levels
};

// The shape of the levels, which needs no extents: `levels` is empty.
GridLevels grid_shape(const KernelProgram& program);
// `extent` returns those of the dims of the unknowns.
GridLevels grid_levels(const KernelProgram& program,
                       const std::function<std::int64_t(DimId)>& extent);

// The place of a channel of the elements in the vectors of PCG: scalar `first + stride * element`
// of the buffer.
struct GridChannel {
  std::int64_t first = 0;
  int stride = 1;
};
std::vector<GridChannel> grid_channels(const KernelProgram& program, const ProgramSizes& sizes);

// Returns "multigrid build" or "multigrid cycle".
std::string label_of(const RunMultigrid& step);

// Counts the work of a pass on all levels as if they were one kernel: barriers are not in it.
KernelFeatures count_features(const KernelProgram& program, const RunMultigrid& step,
                              const ProgramSizes& sizes, Precision precision);

// The coarse levels are made anew after so many linear solves, or when the radius of the trust
// region is more than so many times larger or smaller than it was: a lagging coarse level costs
// iterations, never the answer.
inline constexpr int MultigridMostAge = 10;
inline constexpr double MultigridMostChange = 4;

// The smoother's step, of the largest for which it converges, 2.
inline constexpr double MultigridRelaxation = 1.6;

}  // namespace thallo
