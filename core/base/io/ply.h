// PLY point clouds and triangle meshes: ascii and little-endian binary in, both out.
//
// Of a file's vertices the properties x y z, nx ny nz and red green blue are read (any number
// type), of its faces the list vertex_indices (or vertex_index); other elements and properties are
// skipped. A face of more than three corners becomes a fan of triangles.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <vector>

#include "core/base/diagnostic.h"

namespace thallo {

// `normals` and `colors` are empty or have one entry a vertex. Without triangles it is a point
// cloud.
struct Mesh {
  std::vector<std::array<float, 3>> positions;
  std::vector<std::array<float, 3>> normals;
  std::vector<std::array<std::uint8_t, 3>> colors;  // red, green, blue
  std::vector<std::array<std::int32_t, 3>> triangles;

  friend bool operator==(const Mesh&, const Mesh&) = default;
};

enum class PlyFormat { Ascii, Binary };

Expected<Mesh> read_ply(const std::filesystem::path& path);
Expected<void> write_ply(const std::filesystem::path& path, const Mesh& mesh,
                         PlyFormat format = PlyFormat::Binary);

}  // namespace thallo
