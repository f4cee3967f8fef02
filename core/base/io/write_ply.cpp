#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <string>

#include <fmt/format.h>

#include "core/base/io/byte_cursor.h"
#include "core/base/io/file.h"
#include "core/base/io/ply.h"
#include "core/base/io/ply_types.h"
#include "core/base/mesh_faces.h"

namespace thallo {
namespace {

class PlyWriter {
 public:
  PlyWriter(const Mesh& mesh, PlyFormat format) : mesh_(mesh), format_(format) {
    for_each_face(mesh, [&](std::size_t, std::span<const FaceCorner> corners) {
      // The largest list decides on the type of all lengths; those of texture are twice as long.
      if (corners.size() > 127) length_ = PlyType::Int32;
    });
    for (const auto& uvw : mesh.texture.values)
      for (const double c : uvw)
        if (c != double{static_cast<float>(c)}) texture_ = PlyType::Double;
  }

  std::string write() {
    write_header();
    for (std::size_t i = 0; i < mesh_.positions.size(); ++i) {
      add(PlyType::Double, mesh_.positions[i]);
      if (!mesh_.normals.empty()) add(PlyType::Double, mesh_.normals[i]);
      if (!mesh_.colors.empty()) add(*find_ply_type(mesh_.color_type), mesh_.colors[i]);
      add_attributes(mesh_.vertex_attributes, i);
      end_row();
    }
    for_each_face(mesh_, [&](std::size_t face, std::span<const FaceCorner> corners) {
      add(length_, corners.size());
      for (const auto& [triangle, at] : corners) add(PlyType::Int32, mesh_.triangles[triangle][at]);
      if (!mesh_.texture.of.empty()) add_texture(corners);
      add_attributes(mesh_.face_attributes, face);
      end_row();
    });
    for (const MeshElements& elements : mesh_.elements) {
      if (elements.attributes.empty()) continue;
      for (std::size_t i = 0; i < elements.count; ++i) {
        add_attributes(elements.attributes, i);
        end_row();
      }
    }
    return std::move(out_);
  }

 private:
  void write_header() {
    out_ = fmt::format("ply\nformat {} 1.0\n",
                       format_ == PlyFormat::Ascii ? "ascii" : "binary_little_endian");
    for (const MeshStatement& statement : mesh_.statements)
      if (statement.text.starts_with("comment") || statement.text.starts_with("obj_info"))
        out_ += statement.text + '\n';
    out_ += fmt::format("element vertex {}\n", mesh_.positions.size());
    for (const char* name : {"x", "y", "z"}) out_ += fmt::format("property double {}\n", name);
    if (!mesh_.normals.empty())
      for (const char* name : {"nx", "ny", "nz"}) out_ += fmt::format("property double {}\n", name);
    if (!mesh_.colors.empty())
      for (const char* name : {"red", "green", "blue"})
        out_ += fmt::format("property {} {}\n", mesh_.color_type, name);
    declare(mesh_.vertex_attributes);
    if (!mesh_.triangles.empty()) {
      out_ += fmt::format("element face {}\nproperty list {} int vertex_indices\n",
                          mesh_.num_faces(), to_string(length_));
      if (!mesh_.texture.of.empty())
        out_ +=
            fmt::format("property list {} {} texcoord\n", to_string(length_), to_string(texture_));
      declare(mesh_.face_attributes);
    }
    for (const MeshElements& elements : mesh_.elements) {
      out_ += fmt::format("element {} {}\n", elements.name, elements.count);
      declare(elements.attributes);
    }
    out_ += "end_header\n";
  }

  void declare(const std::vector<MeshAttribute>& attributes) {
    for (const MeshAttribute& attribute : attributes) {
      const std::string list =
          attribute.is_list() ? fmt::format("list {} ", attribute.length_type) : "";
      out_ += fmt::format("property {}{} {}\n", list, attribute.type, attribute.name);
    }
  }

  template <class T>
  void add(PlyType type, T value) {
    with_ply_type(type, [&](auto typed) {
      typed = static_cast<decltype(typed)>(value);
      if (format_ == PlyFormat::Binary) return append_bytes(out_, typed);
      if (!out_.ends_with('\n')) out_ += ' ';
      // Bytes are numbers, too.
      out_ += sizeof(typed) == 1 ? fmt::format("{}", static_cast<int>(typed))
                                 : fmt::format("{}", typed);
    });
  }
  template <class T>
  void add(PlyType type, const std::array<T, 3>& values) {
    for (const T value : values) add(type, value);
  }

  void add_attributes(const std::vector<MeshAttribute>& attributes, std::size_t at) {
    for (const MeshAttribute& attribute : attributes) {
      const auto values = attribute.of(at);
      if (attribute.is_list()) add(*find_ply_type(attribute.length_type), values.size());
      for (const double value : values) add(*find_ply_type(attribute.type), value);
    }
  }

  void add_texture(std::span<const FaceCorner> corners) {
    const auto& [values, of] = mesh_.texture;
    const bool is_whole = std::ranges::all_of(
        corners, [&](const FaceCorner& corner) { return of[corner.triangle][corner.at] >= 0; });
    add(length_, is_whole ? 2 * corners.size() : 0);
    for (const auto& [triangle, at] : corners) {
      if (!is_whole) break;
      const auto& uvw = values[static_cast<std::size_t>(of[triangle][at])];
      add(texture_, uvw[0]);
      add(texture_, uvw[1]);
    }
  }

  void end_row() {
    if (format_ == PlyFormat::Ascii) out_ += '\n';
  }

  const Mesh& mesh_;
  PlyFormat format_;
  PlyType length_ = PlyType::Uint8, texture_ = PlyType::Float;
  std::string out_;
};

}  // namespace

Expected<void> write_ply(const std::filesystem::path& path, const Mesh& mesh, PlyFormat format) {
  THALLO_CHECK(check_writable(path, mesh));
  return write_file(path, PlyWriter(mesh, format).write());
}

}  // namespace thallo
