// A triangle mesh and handles that pull some of its vertices: what problems work on that deform
// meshes. A problem makes them itself or reads them from two files beside each other, as published:
//
//   armadillo.ply (or .off, .obj, .stl)   the mesh
//   armadillo.mrk                   the number of handles, then a line `x y z radius vertex` each:
//                                   the goal and the vertex, counted from 0; the radius is not used
//
// A mesh without handles is stretched: see end_handles().
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string_view>
#include <vector>

#include "core/base/diagnostic.h"
#include "core/base/io/mesh.h"

namespace thallo {

struct MeshHandle {
  std::int32_t vertex = 0;
  std::array<double, 3> goal{};

  friend bool operator==(const MeshHandle&, const MeshHandle&) = default;
};

struct HandledMesh {
  Mesh mesh;
  std::vector<MeshHandle> handles;
};

// The mesh is first refined by `subdivisions` steps (core/base/subdivide.h); the vertices of the
// handles are those of the refined mesh. Errors name the file that is wrong and where.
Expected<HandledMesh> read_handled_mesh(const std::filesystem::path& mesh, int subdivisions);

// The lowest vertices stay (y is up) and the highest are lifted by a tenth of the mesh's height.
inline constexpr std::size_t num_end_handles = 10;  // each
std::vector<MeshHandle> end_handles(const Mesh& mesh);

// The content of a .mrk file for a mesh of `num_vertices`.
Expected<std::vector<MeshHandle>> parse_handles(const std::filesystem::path& file,
                                                std::string_view text, std::int64_t num_vertices);

// Three numbers a vertex: the goals of the handles after `fraction` of their way from where the
// vertices are, -infinity elsewhere.
std::vector<double> blend_handles(const HandledMesh& input, double fraction);

}  // namespace thallo
