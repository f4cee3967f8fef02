// Wavefront OBJ meshes. The reader understands:
//
//   v x y z [w]            a position (w is dropped)
//   v x y z r g b          a position with a color
//   vt u [v [w]]           a texture coordinate
//   vn x y z               a normal
//   f corner corner ...    a face; more than three corners become a fan of triangles
//
// A corner is a, a/b, a//c or a/b/c with the numbers of a position, a texture coordinate and a
// normal, counted from 1 or, if negative, backward from the last one so far. Numbers of texture
// coordinates or normals are skipped if the file has none. Colors are kept only if every vertex has
// one, and so are normals of vertices; those of a vertex with several are averaged. Groups,
// objects, materials, lines, points and all other statements are kept as they are, for the file
// that is written. A line that ends with a backslash goes on in the next one.
#pragma once

#include <filesystem>
#include <string_view>

#include "core/base/diagnostic.h"
#include "core/base/io/mesh.h"

namespace thallo {

// True if the first statement is one of an OBJ file.
bool is_obj(std::string_view content);
Expected<Mesh> parse_obj(const std::filesystem::path& name, std::string_view content);

// Writes colors after the positions, as numbers 0 ... 1.
Expected<void> write_obj(const std::filesystem::path& path, const Mesh& mesh);

}  // namespace thallo
