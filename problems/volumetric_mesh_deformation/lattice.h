// A lattice of boxes around a mesh, whose nodes carry the mesh along when they move.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "core/base/diagnostic.h"
#include "core/base/io/mesh.h"

namespace thallo::volumetric_mesh_deformation {

struct Lattice {
  std::array<std::int64_t, 3> cells{};  // along x, y, z; there is one node more
  std::array<double, 3> low{}, high{};  // corners of the box

  std::size_t num_nodes() const;
  std::size_t node(std::int64_t x, std::int64_t y, std::int64_t z) const;  // x runs fastest
};

// Makes the lattice on the bounding box of a mesh. Fails if the box is flat; `name` is the mesh's
// in the message.
Expected<Lattice> lattice_around(const std::filesystem::path& name, const Mesh& mesh,
                                 std::array<std::int64_t, 3> cells);

// The nodes at rest, x y z each.
std::vector<double> nodes_of(const Lattice& lattice);

// How the top of the lattice moves: by a turn about the z axis through the origin and a shift.
struct Pull {
  double turn = 0;  // degrees, counter-clockwise seen from z > 0
  std::array<double, 3> shift{};
};

// Three numbers a node: the lowest layer (y is up) stays, the highest is pulled; -infinity
// elsewhere.
std::vector<double> pull_ends(const Lattice& lattice, const Pull& pull);

// The edges of the lattice, each once.
struct LatticeEdges {
  std::vector<std::int32_t> v0, v1;
};
LatticeEdges edges_of(const Lattice& lattice);

// Moves points along with the nodes: each is interpolated in its box, linearly along every axis.
// `nodes` has x y z of every node.
std::vector<std::array<double, 3>> carry(const Lattice& lattice, std::span<const double> nodes,
                                         std::span<const std::array<double, 3>> points);

}  // namespace thallo::volumetric_mesh_deformation
