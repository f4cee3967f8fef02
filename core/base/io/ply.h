// Reads PLY point clouds and meshes, as ascii or binary, and writes them as ascii or little-endian
// binary.
//
// Reading takes the vertex properties x y z, nx ny nz and red green blue, of any number type, and
// the face lists vertex_indices (or vertex_index) and texcoord. A face of more than three corners
// becomes a fan of triangles. Other properties and elements are kept for the file that is written,
// and so are comments. In ascii a row is a line: one that is longer or shorter than the header says
// is an error.
#pragma once

#include <filesystem>
#include <string_view>

#include "core/base/diagnostic.h"
#include "core/base/io/mesh.h"

namespace thallo {

enum class PlyFormat { Ascii, Binary };

bool is_ply(std::string_view content);
Expected<Mesh> parse_ply(const std::filesystem::path& name, std::string_view content);

Expected<void> write_ply(const std::filesystem::path& path, const Mesh& mesh,
                         PlyFormat format = PlyFormat::Binary);

}  // namespace thallo
