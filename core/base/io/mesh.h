// A triangle mesh or point cloud in memory: the common currency of the mesh readers and writers.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string_view>
#include <vector>

#include "core/base/diagnostic.h"

namespace thallo {

// `normals` and `colors` are empty or have one entry per vertex. A mesh without triangles is a
// point cloud.
struct Mesh {
  std::vector<std::array<double, 3>> positions;
  std::vector<std::array<double, 3>> normals;
  std::vector<std::array<std::uint8_t, 3>> colors;  // red, green, blue
  std::vector<std::array<std::int32_t, 3>> triangles;

  friend bool operator==(const Mesh&, const Mesh&) = default;
};

// Detects the format from the content: ply, off, obj.
Expected<Mesh> parse_mesh(const std::filesystem::path& name, std::string_view content);
Expected<Mesh> read_mesh(const std::filesystem::path& path);
// Chooses the format by name: .ply (binary), .off, .obj, each optionally followed by .gz, .bz2 or
// .xz.
Expected<void> write_mesh(const std::filesystem::path& path, const Mesh& mesh);

// Fails if the number of normals or colors is neither 0 nor the number of vertices; such a mesh
// cannot be written.
Expected<void> check_writable(const std::filesystem::path& path, const Mesh& mesh);

}  // namespace thallo
