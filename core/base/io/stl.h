// STL meshes, as text or binary. A file has the corners of each triangle; corners that are equal
// are one vertex, numbered as they first appear. Names, normals and colors of facets are skipped.
//
//   solid NAME
//     facet normal nx ny nz
//       outer loop
//         vertex x y z              three times
//       endloop
//     endfacet
//   endsolid NAME                   other solids may follow
#pragma once

#include <filesystem>
#include <string_view>

#include "core/base/diagnostic.h"
#include "core/base/io/mesh.h"

namespace thallo {

// True for a text that begins with "solid", and for binary content that is as long as its number of
// triangles says, whatever its header begins with.
bool is_stl(std::string_view content);
Expected<Mesh> parse_stl(const std::filesystem::path& name, std::string_view content);

// Writes text, which keeps all digits.
Expected<void> write_stl(const std::filesystem::path& path, const Mesh& mesh);

}  // namespace thallo
