// OFF meshes as text: OFF, COFF (with a color per vertex), NOFF (with a normal per vertex) and
// CNOFF (with both). Writing takes the variant that the mesh needs.
//
//   OFF
//   num_vertices num_faces num_edges
//   x y z [nx ny nz] [r g b a]              one line per vertex
//   count i0 i1 ... [r g b ...]             one line per face; more than three corners become a fan
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
