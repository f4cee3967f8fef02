// PLY point clouds and triangle meshes: ascii and little-endian binary in, both out.
//
// Of a file's vertices the properties x y z, nx ny nz and red green blue are read (any number
// type), of its faces the list vertex_indices (or vertex_index); other elements and properties are
// skipped. A face of more than three corners becomes a fan of triangles.
#pragma once

#include <filesystem>
#include <string_view>

#include "core/base/diagnostic.h"
#include "core/base/io/mesh.h"

namespace thallo {

enum class PlyFormat { Ascii, Binary };

bool is_ply(std::string_view content);
Expected<Mesh> parse_ply(const std::filesystem::path& name, std::string_view content);

Expected<Mesh> read_ply(const std::filesystem::path& path);
Expected<void> write_ply(const std::filesystem::path& path, const Mesh& mesh,
                         PlyFormat format = PlyFormat::Binary);

}  // namespace thallo
