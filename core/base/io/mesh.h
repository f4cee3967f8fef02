// A triangle mesh or point cloud in memory: the common currency of the mesh readers and writers.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
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

// A number, or a list of numbers, for each element: "quality" of vertices, "vertex1" of edges.
struct MeshAttribute {
  std::string name;
  std::string type;  // of the numbers, as PLY calls it: "uchar", "float"
  std::vector<double> values;
  // Of lists: the type of their lengths, where the values of each element begin, and the end.
  std::string length_type = {};
  std::vector<std::size_t> offsets = {};

  bool is_list() const { return !offsets.empty(); }
  std::span<const double> of(std::size_t element) const {
    const std::span<const double> all(values);
    if (!is_list()) return all.subspan(element, 1);
    return all.subspan(offsets[element], offsets[element + 1] - offsets[element]);
  }
  friend bool operator==(const MeshAttribute&, const MeshAttribute&) = default;
};

// Elements of PLY that are neither vertices nor faces: "edge", "material".
struct MeshElements {
  std::string name;
  std::size_t count = 0;
  std::vector<MeshAttribute> attributes;

  friend bool operator==(const MeshElements&, const MeshElements&) = default;
};

// Returns the largest sample of a color of a type of PLY: 1 for floats, 65535 for ushort, else 255.
double white_of(std::string_view type);

// `normals` and `colors` are empty or have one entry per vertex. A mesh without triangles is a
// point cloud.
struct Mesh {
  std::vector<std::array<double, 3>> positions;
  std::vector<std::array<double, 3>> normals;
  std::vector<std::array<double, 3>> colors;  // red, green, blue: 0 ... white()
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
  std::vector<MeshElements> elements;
  std::string color_type = "uchar";  // as PLY calls it

  double white() const { return white_of(color_type); }
  void add_color(const std::array<std::uint8_t, 3>& rgb) {
    colors.push_back({double(rgb[0]), double(rgb[1]), double(rgb[2])});
  }
  // Returns the color of a vertex as bytes.
  std::array<std::uint8_t, 3> color_bytes(std::size_t vertex) const;

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
