// What is made for a program: types, the shape of its stencils and tiles, and unrolled rows. The
// kernels are those of kernels/multigrid.cu.

#include "core/backend/cuda/multigrid_text.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/backend/cuda/sources.h"
#include "core/base/error.h"
#include "core/kernel/memory_type.h"
#include "core/kernel/multigrid.h"

namespace thallo::cuda {
namespace {

using Tile = std::array<int, 3>;

// Of the shared memory that a block has without asking for more, 48 KiB.
constexpr std::size_t MostSharedBytes = std::size_t{46} << 10;

// By the number of dims, the largest first. Of a tile of coarse elements, which is about as many
// threads as it has fine elements.
const std::vector<Tile>& coarse_tiles(int num_dims) {
  static const std::array<std::vector<Tile>, 3> tiles = {
      {{{255, 1, 1}, {64, 1, 1}, {16, 1, 1}, {4, 1, 1}},
       {{16, 7, 1}, {8, 7, 1}, {8, 3, 1}, {4, 3, 1}, {2, 1, 1}},
       {{4, 4, 2}, {4, 2, 2}, {2, 2, 2}, {2, 2, 1}, {1, 1, 1}}}};
  return tiles[static_cast<std::size_t>(num_dims - 1)];
}
const std::vector<Tile>& fine_tiles(int num_dims) {
  static const std::array<std::vector<Tile>, 3> tiles = {
      {{{512, 1, 1}, {128, 1, 1}, {32, 1, 1}, {8, 1, 1}},
       {{32, 16, 1}, {32, 8, 1}, {16, 8, 1}, {8, 8, 1}, {4, 4, 1}},
       {{8, 8, 8}, {8, 8, 4}, {8, 4, 4}, {4, 4, 4}, {2, 2, 2}}}};
  return tiles[static_cast<std::size_t>(num_dims - 1)];
}

// Beyond this many products of a coarse row the loops over them stay loops.
constexpr std::size_t MostUnrolledProducts = 1000;

std::size_t volume(const Tile& tile) {
  std::size_t result = 1;
  for (const int n : tile) result *= static_cast<std::size_t>(n);
  return result;
}
Tile widened(Tile tile, int num_dims, int by) {
  for (std::size_t d = 0; d < static_cast<std::size_t>(num_dims); ++d) tile[d] += by;
  return tile;
}
// The fine elements whose restrictions are those of a tile.
Tile restricted(Tile tile, int num_dims) {
  for (std::size_t d = 0; d < static_cast<std::size_t>(num_dims); ++d) tile[d] = 2 * tile[d] + 1;
  return tile;
}

template <class Bytes>
Tile largest_that_fits(const std::vector<Tile>& tiles, Bytes bytes) {
  const auto fits = [&](const Tile& tile) { return bytes(tile) <= MostSharedBytes; };
  const auto found = std::ranges::find_if(tiles, fits);
  THALLO_ASSERT(found != tiles.end(), "a stencil too large for shared memory");
  return *found;
}

std::string tile_text(std::string_view name, const Tile& tile) {
  return fmt::format("constexpr int {0}X = {1}, {0}Y = {2}, {0}Z = {3};\n", name, tile[0], tile[1],
                     tile[2]);
}

// A row of the matrix times values around an element in shared memory, unrolled.
std::string row_text(std::string_view name, const GridStencil& stencil) {
  std::string text = fmt::format(
      "template <int SX, int SXY, int SC>\n"
      "Real {}(int c, const Real* __restrict__ m, Long n, const Real* v) {{\n"
      "  Real sum = 0;\n  switch (c) {{\n",
      name);
  int row = -1;
  for (std::size_t e = 0; e < stencil.entries.size(); ++e) {
    const Multigrid::Entry& entry = stencil.entries[e];
    if (entry.row != row) {
      if (row >= 0) text += "      break;\n";
      row = entry.row;
      text += fmt::format("    case {}:\n", row);
    }
    text += fmt::format("      sum += __ldg(m + {} * n) * v[{} * SC + {} + {} * SX + {} * SXY];\n",
                        e, entry.col, entry.offset[0], entry.offset[1], entry.offset[2]);
  }
  return text + "  }\n  return sum;\n}\n";
}

std::string table_text(std::string_view name, const std::vector<int>& values) {
  return fmt::format("__device__ const short {}[] = {{{}}};\n", name, fmt::join(values, ", "));
}

// Row, column and offset of each entry.
std::string entries_text(std::string_view name, const GridStencil& stencil) {
  std::vector<int> values;
  for (const Multigrid::Entry& e : stencil.entries)
    values.insert(values.end(), {e.row, e.col, e.offset[0], e.offset[1], e.offset[2]});
  return table_text(name, values);
}

// The position of the fine entry of two channels at an offset; -1 if there is none.
std::string positions_text(const GridLevels& grid) {
  const int radius = grid.fine.radius;
  const auto range = [&](int dim) { return dim < grid.num_dims ? radius : 0; };
  std::vector<int> positions;
  for (int row = 0; row < grid.channels; ++row) {
    for (int col = 0; col < grid.channels; ++col) {
      for (int z = -range(2); z <= range(2); ++z) {
        for (int y = -range(1); y <= range(1); ++y) {
          for (int x = -range(0); x <= range(0); ++x) {
            const auto found =
                std::ranges::find(grid.fine.entries, Multigrid::Entry{row, col, {x, y, z}});
            positions.push_back(found == grid.fine.entries.end()
                                    ? -1
                                    : static_cast<int>(found - grid.fine.entries.begin()));
          }
        }
      }
    }
  }
  return table_text("FinePosition", positions);
}

// The offsets of a level, as boxes around an element.
std::string box_text(const GridLevels& grid) {
  const auto box = [&](const GridStencil& stencil) {
    return volume(widened({1, 1, 1}, grid.num_dims, 2 * stencil.radius));
  };
  const std::size_t products =
      volume(restricted({1, 1, 1}, grid.num_dims)) * std::max(box(grid.fine), box(grid.coarse));
  return fmt::format(
      "constexpr int FineRadius = {}, CoarseRadius = {}, FineBox = {}, CoarseBox = {};\n"
      "constexpr int NumPairs = {}, UnrollOfBuild = {};\n"
      "template <bool Finest>\n"
      "constexpr int FineOrCoarseBox = Finest ? FineBox : CoarseBox;\n",
      grid.fine.radius, grid.coarse.radius, box(grid.fine), box(grid.coarse),
      grid.coarse.entries.size() / box(grid.coarse), products <= MostUnrolledProducts ? 1000 : 1);
}

// Levels of no more scalars are left to one block.
constexpr int MostScalarsOfBlock = 1024;

std::vector<int> first_of_rows(const GridStencil& stencil, int channels) {
  std::vector<int> rows;
  for (int c = 0; c <= channels; ++c) {
    const auto found =
        std::ranges::find_if(stencil.entries, [c](const auto& entry) { return entry.row >= c; });
    rows.push_back(static_cast<int>(found - stencil.entries.begin()));
  }
  return rows;
}

}  // namespace

Source multigrid_source(const KernelProgram& program, Precision precision) {
  const GridLevels grid = grid_shape(program);
  const auto type_of = [&](std::size_t buffer) {
    return memory_type(program, program.buffers[buffer].fields.front(), precision);
  };
  const ScalarType real = type_of(program.multigrid->levels);
  const ScalarType vector = type_of(program.vector(SolverVector::R));
  const int d = grid.num_dims;
  const int radius = std::max(grid.fine.radius, grid.coarse.radius);
  const auto bytes_of = [&](const Tile& with_halo) {
    return size_of(real) * static_cast<std::size_t>(grid.channels) * volume(with_halo);
  };
  const Tile coarse = largest_that_fits(coarse_tiles(d), [&](const Tile& tile) {
    const Tile fine = restricted(tile, d);
    return bytes_of(widened(fine, d, 2 * radius)) + bytes_of(fine);
  });
  const Tile fine = largest_that_fits(fine_tiles(d), [&](const Tile& tile) {
    return bytes_of(widened(tile, d, 2 * radius)) + bytes_of(restricted(coarse, d));
  });
  std::string text = fmt::format(
      "typedef long long Long;\ntypedef {} Real;\ntypedef {} Vector;\nconstexpr int D = {}, C = "
      "{}, R = {};\n"
      "constexpr int BlockSize = {}, BlocksPerUnit = {}, MaxLevels = {}, MostScalarsOfBlock = {};\n"
      "constexpr int Radius = {}, LevelsRadius = {}, LevelsAge = {};\n"
      "constexpr double MostAge = {}, MostChange = {};\n"
      "constexpr bool IsDamped = {};\nconstexpr Real Relaxation = {}, Negligible = {};\n",
      real_name(real), real_name(vector), d, grid.channels, radius, MultigridBlockSize,
      MultigridBlocksPerUnit, MaxGridLevels, MostScalarsOfBlock,
      static_cast<int>(StateSlot::Radius), static_cast<int>(StateSlot::LevelsRadius),
      static_cast<int>(StateSlot::LevelsAge), MultigridMostAge, MultigridMostChange,
      program.vectors.contains(SolverVector::Damping), MultigridRelaxation,
      real == ScalarType::Double ? "1.4e-14" : "7.6e-6f");
  text += tile_text("T", coarse) + tile_text("F", restricted(coarse, d)) +
          tile_text("G", widened(restricted(coarse, d), d, 2 * radius)) + tile_text("U", fine) +
          tile_text("H", widened(fine, d, 2 * radius));
  text += entries_text("FineEntries", grid.fine) + entries_text("CoarseEntries", grid.coarse) +
          positions_text(grid) + box_text(grid) +
          table_text("FineRows", first_of_rows(grid.fine, grid.channels)) +
          table_text("CoarseRows", first_of_rows(grid.coarse, grid.channels)) +
          table_text("FineDiagonal", grid.fine.diagonal(grid.channels)) +
          table_text("CoarseDiagonal", grid.coarse.diagonal(grid.channels));
  text += row_text("fine_row", grid.fine) + row_text("coarse_row", grid.coarse);
  return own_source("multigrid", text);
}

}  // namespace thallo::cuda
