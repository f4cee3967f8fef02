// Wavefront OBJ meshes: positions (v x y z, with r g b or w behind them), faces (f, corners a, a/b,
// a//c or a/b/c, from 1 or negative from the end; more than three corners become a fan) and the
// normal of each vertex when the faces give every vertex one. Texture coordinates, groups,
// materials, lines and curves are skipped.
#pragma once

#include <filesystem>
#include <string_view>

#include "core/base/diagnostic.h"
#include "core/base/io/mesh.h"

namespace thallo {

// Whether the first statement is one of an OBJ file.
bool is_obj(std::string_view content);
Expected<Mesh> parse_obj(const std::filesystem::path& name, std::string_view content);

Expected<Mesh> read_obj(const std::filesystem::path& path);
// Colors are written behind the positions, as numbers 0 ... 1.
Expected<void> write_obj(const std::filesystem::path& path, const Mesh& mesh);

}  // namespace thallo
