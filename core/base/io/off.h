// OFF meshes as text:
//
//   OFF                                     or COFF, NOFF, STOFF, and these together, e.g. STCNOFF
//   num_vertices num_faces num_edges        the last may be absent
//   x y z [nx ny nz] [r g b [a]] [s t]      one line per vertex: of N, C and ST
//   count i0 i1 ... [r g b [a]]             one line per face; more than three corners become a fan
//
// Comments begin with #. Colors are integers 0 ... 255, or numbers 0 ... 1 of which one has a
// point. Writing takes the variant that the mesh needs.
#pragma once

#include <filesystem>
#include <string_view>

#include "core/base/diagnostic.h"
#include "core/base/io/mesh.h"

namespace thallo {

bool is_off(std::string_view content);
Expected<Mesh> parse_off(const std::filesystem::path& name, std::string_view content);

Expected<void> write_off(const std::filesystem::path& path, const Mesh& mesh);

}  // namespace thallo
