// OFF meshes (text): OFF, COFF (colors a vertex), NOFF (normals a vertex) and both, CNOFF, in; OFF,
// or the variant that the mesh needs, out.
//
//   OFF
//   num_vertices num_faces num_edges
//   x y z [nx ny nz] [r g b a]              a vertex a line
//   count i0 i1 ... [r g b ...]             a face a line; more than three corners become a fan
//
// Comments begin with #. Colors are integers 0 ... 255 or numbers 0 ... 1; those of faces are
// skipped.
#pragma once

#include <filesystem>
#include <string_view>

#include "core/base/diagnostic.h"
#include "core/base/io/mesh.h"

namespace thallo {

bool is_off(std::string_view content);
Expected<Mesh> parse_off(const std::filesystem::path& name, std::string_view content);

Expected<Mesh> read_off(const std::filesystem::path& path);
Expected<void> write_off(const std::filesystem::path& path, const Mesh& mesh);

}  // namespace thallo
