// Wavefront OBJ meshes. The reader understands:
//
//   v x y z [w]            a position (w is dropped)
//   v x y z r g b          a position with a color
//   vn x y z               a normal
//   f corner corner ...    a face; more than three corners become a fan of triangles
//
// A corner is a, a/b, a//c or a/b/c with the numbers of a position, a texture coordinate and a
// normal, counted from 1 or, if negative, from the end. Colors and normals are kept only if every
// vertex has one. Texture coordinates, groups, materials, lines and curves are skipped.
#pragma once

#include <filesystem>
#include <string_view>

#include "core/base/diagnostic.h"
#include "core/base/io/mesh.h"

namespace thallo {

// True if the first statement is one of an OBJ file.
bool is_obj(std::string_view content);
Expected<Mesh> parse_obj(const std::filesystem::path& name, std::string_view content);

Expected<Mesh> read_obj(const std::filesystem::path& path);
// Writes colors after the positions, as numbers 0 ... 1.
Expected<void> write_obj(const std::filesystem::path& path, const Mesh& mesh);

}  // namespace thallo
