// A triangle mesh or point cloud in memory: the common currency of the mesh readers and writers.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/diagnostic.h"
#include "core/base/mesh.h"

namespace thallo {

// Values at the corners of triangles: corner k of triangle t has values[of[t][k]], or none if that
// is -1. Empty, or `of` has one entry per triangle.
struct CornerValues {
  std::vector<std::array<double, 3>> values;
  std::vector<Triangle> of;

  friend bool operator==(const CornerValues&, const CornerValues&) = default;
};

// A line of a file that says what numbers do not: "usemtl red" of OBJ, "comment TextureFile a.png"
// of PLY. It stands before this face, or behind the last one.
struct MeshStatement {
  std::size_t face = 0;
  std::string text;

  friend bool operator==(const MeshStatement&, const MeshStatement&) = default;
};

// A number for each vertex or each face: "quality", "alpha".
struct MeshAttribute {
  std::string name;
  std::string type;  // as PLY calls it: "uchar", "float"
  std::vector<double> values;

  friend bool operator==(const MeshAttribute&, const MeshAttribute&) = default;
};

// `normals` and `colors` are empty or have one entry per vertex. A mesh without triangles is a
// point cloud.
struct Mesh {
  std::vector<std::array<double, 3>> positions;
  std::vector<std::array<double, 3>> normals;
  std::vector<std::array<std::uint8_t, 3>> colors;  // red, green, blue
  std::vector<Triangle> triangles;

  // What follows is kept for the file that is written; each format holds a part of it.
  //
  // The number of triangles into which each face was divided by diagonals from its first corner.
  // Empty if every face is a triangle.
  std::vector<std::int32_t> fans;
  CornerValues texture;         // u v w
  CornerValues corner_normals;  // if a vertex has several
  std::vector<MeshStatement> statements;
  std::vector<MeshAttribute> vertex_attributes, face_attributes;

  std::size_t num_faces() const { return fans.empty() ? triangles.size() : fans.size(); }

  friend bool operator==(const Mesh&, const Mesh&) = default;
};

// Detects the format from the content: ply, off, obj, stl.
Expected<Mesh> parse_mesh(const std::filesystem::path& name, std::string_view content);
Expected<Mesh> read_mesh(const std::filesystem::path& path);
// Chooses the format by name: .ply (binary), .off, .obj, .stl, each optionally followed by .gz,
// .bz2 or .xz.
Expected<void> write_mesh(const std::filesystem::path& path, const Mesh& mesh);

// Fails if the number of normals or colors is neither 0 nor the number of vertices; such a mesh
// cannot be written.
Expected<void> check_writable(const std::filesystem::path& path, const Mesh& mesh);

}  // namespace thallo
