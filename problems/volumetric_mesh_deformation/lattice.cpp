#include "problems/volumetric_mesh_deformation/lattice.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace thallo::volumetric_mesh_deformation {
namespace {

template <class Visit>  // of x, y, z
void for_each_node(const Lattice& lattice, Visit visit) {
  for (std::int64_t z = 0; z <= lattice.cells[2]; ++z)
    for (std::int64_t y = 0; y <= lattice.cells[1]; ++y)
      for (std::int64_t x = 0; x <= lattice.cells[0]; ++x) visit(x, y, z);
}

}  // namespace

std::size_t Lattice::num_nodes() const {
  return static_cast<std::size_t>((cells[0] + 1) * (cells[1] + 1) * (cells[2] + 1));
}

std::size_t Lattice::node(std::int64_t x, std::int64_t y, std::int64_t z) const {
  return static_cast<std::size_t>(x + (cells[0] + 1) * (y + (cells[1] + 1) * z));
}

Expected<Lattice> lattice_around(const std::filesystem::path& name, const Mesh& mesh,
                                 std::array<std::int64_t, 3> cells) {
  constexpr double Inf = std::numeric_limits<double>::infinity();
  Lattice lattice{.cells = cells, .low = {Inf, Inf, Inf}, .high = {-Inf, -Inf, -Inf}};
  for (const auto& p : mesh.positions) {
    for (std::size_t c = 0; c < 3; ++c) {
      lattice.low[c] = std::min(lattice.low[c], p[c]);
      lattice.high[c] = std::max(lattice.high[c], p[c]);
    }
  }
  for (std::size_t c = 0; c < 3; ++c) {
    if (lattice.high[c] > lattice.low[c]) continue;
    return fail_at({name.string(), 0, 0},
                   "the mesh has no extent along {}; a lattice needs one along x, y and z",
                   "xyz"[c]);
  }
  return lattice;
}

std::vector<double> nodes_of(const Lattice& lattice) {
  std::vector<double> nodes;
  nodes.reserve(3 * lattice.num_nodes());
  for_each_node(lattice, [&](std::int64_t x, std::int64_t y, std::int64_t z) {
    const std::int64_t at[] = {x, y, z};
    for (std::size_t c = 0; c < 3; ++c) {
      const double fraction = static_cast<double>(at[c]) / static_cast<double>(lattice.cells[c]);
      nodes.push_back(std::lerp(lattice.low[c], lattice.high[c], fraction));
    }
  });
  return nodes;
}

std::vector<double> pull_ends(const Lattice& lattice, const Pull& pull) {
  std::vector<double> constraints(3 * lattice.num_nodes(),
                                  -std::numeric_limits<double>::infinity());
  const std::vector<double> nodes = nodes_of(lattice);
  const double angle = pull.turn * std::numbers::pi / 180;
  for_each_node(lattice, [&](std::int64_t x, std::int64_t y, std::int64_t z) {
    const std::size_t at = 3 * lattice.node(x, y, z);
    const double* p = &nodes[at];
    if (y == 0) std::copy_n(p, 3, &constraints[at]);
    if (y == lattice.cells[1]) {
      constraints[at] = std::cos(angle) * p[0] - std::sin(angle) * p[1] + pull.shift[0];
      constraints[at + 1] = std::sin(angle) * p[0] + std::cos(angle) * p[1] + pull.shift[1];
      constraints[at + 2] = p[2] + pull.shift[2];
    }
  });
  return constraints;
}

LatticeEdges edges_of(const Lattice& lattice) {
  LatticeEdges edges;
  for_each_node(lattice, [&](std::int64_t x, std::int64_t y, std::int64_t z) {
    const std::array<std::int64_t, 3> at = {x, y, z};
    for (std::size_t c = 0; c < 3; ++c) {
      if (at[c] == lattice.cells[c]) continue;
      std::array<std::int64_t, 3> next = at;
      ++next[c];
      edges.v0.push_back(static_cast<std::int32_t>(lattice.node(x, y, z)));
      edges.v1.push_back(static_cast<std::int32_t>(lattice.node(next[0], next[1], next[2])));
    }
  });
  return edges;
}

std::vector<std::array<double, 3>> carry(const Lattice& lattice, std::span<const double> nodes,
                                         std::span<const std::array<double, 3>> points) {
  std::vector<std::array<double, 3>> carried;
  carried.reserve(points.size());
  for (const auto& point : points) {
    std::array<std::int64_t, 3> cell{};
    std::array<double, 3> within{};  // from 0 at the cell's low side to 1
    for (std::size_t c = 0; c < 3; ++c) {
      const double place = (point[c] - lattice.low[c]) / (lattice.high[c] - lattice.low[c]) *
                           static_cast<double>(lattice.cells[c]);
      cell[c] = std::clamp(static_cast<std::int64_t>(place), std::int64_t{0}, lattice.cells[c] - 1);
      within[c] = place - static_cast<double>(cell[c]);
    }
    std::array<double, 3> sum{};
    for (int corner = 0; corner < 8; ++corner) {
      double weight = 1;
      std::array<std::int64_t, 3> at = cell;
      for (std::size_t c = 0; c < 3; ++c) {
        const bool is_high = (corner >> c & 1) != 0;
        weight *= is_high ? within[c] : 1 - within[c];
        at[c] += is_high ? 1 : 0;
      }
      const std::size_t node = 3 * lattice.node(at[0], at[1], at[2]);
      for (std::size_t c = 0; c < 3; ++c) sum[c] += weight * nodes[node + c];
    }
    carried.push_back(sum);
  }
  return carried;
}

}  // namespace thallo::volumetric_mesh_deformation
