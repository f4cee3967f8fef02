// What robust_nonrigid_alignment works on: a mesh, the edges that keep its shape, and a sequence of
// scans of the same body in other poses.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <vector>

#include "core/base/diagnostic.h"
#include "core/base/io/mesh.h"

namespace thallo::robust_nonrigid_alignment {

struct AlignmentInput {
  Mesh source;
  std::vector<std::array<std::int32_t, 2>> edges;  // both directions of every edge, sorted
  std::vector<Mesh> scans;                         // with normals
  // Where the vertices of the source are in the last scan; empty if that is not known.
  std::vector<std::array<double, 3>> truth;
};

// Both directions of every edge of a mesh's triangles, sorted.
std::vector<std::array<std::int32_t, 2>> surface_edges(const Mesh& mesh);

struct AlignmentFiles {
  std::filesystem::path source;
  std::filesystem::path scan;  // the first; others follow it in its folder, in the order of names
  std::filesystem::path tetrahedra;  // .ele; empty: the edges are those of the triangles
  std::size_t num_scans = 1;         // at most
};
// Errors name the file that is wrong.
Expected<AlignmentInput> read_alignment_input(const AlignmentFiles& files);

}  // namespace thallo::robust_nonrigid_alignment
