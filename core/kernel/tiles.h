#pragma once

// Tiles: what the blocks of a CUDA kernel compute where its LaunchShape has a tile_width. A block
// of n threads then has a thread for each of tile_width x (n / tile_width) points, along the first
// and the second domain of a section. Sections over one domain have no tiles.
//
// What the points of a tile read around them is a *window* (Window): a block loads it once into
// shared memory. Other dialects read the field itself.

#include <cstdint>
#include <span>

#include "core/kernel/bind/sizes.h"
#include "core/kernel/code.h"
#include "core/schedule/precision.h"

namespace thallo {

// Makes each point of the kernel's sections compute `rows` neighbors along the second domain side
// by side, so that what they have in common is read and computed once.
void group_rows(KernelProgram& program, Kernel& kernel, int rows);

template <class AnySection>
bool has_tiles(const LaunchShape& shape, const AnySection& section) {
  return shape.tile_width > 0 && section.domains.size() > 1;
}
// Returns the points of a tile along the section's domain of that position.
int tile_extent(const LaunchShape& shape, std::size_t domain);
std::int64_t num_tiles(const LaunchShape& shape, const CodeBody& section,
                       const ProgramSizes& sizes);

// Returns the components of the index at which a load reads a window.
std::span<const ValueId> window_index(const CodeBody& section, const Instruction& load);
// Returns the scalars from a row of a window to the next. It is the same for all sizes, so that
// what neighboring rows of a thread read is at constant distances: the text has it as a number.
int row_pitch(const LaunchShape& shape, const Window& window);
// Returns the scalars of a window that a block loads.
std::int64_t window_scalars(const LaunchShape& shape, const Window& window,
                            const ProgramSizes& sizes);
// Returns the bytes of shared memory that the windows of a block take.
std::int64_t window_bytes(const KernelCode& code, const ProgramSizes& sizes, Precision precision);
// True if for these sizes all rows fit into their pitch, and a block has that memory: it has
// 48 KiB, some of which sums take.
bool windows_fit(const KernelCode& code, const ProgramSizes& sizes, Precision precision);

}  // namespace thallo
