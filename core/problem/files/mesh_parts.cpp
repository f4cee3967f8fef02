#include "core/problem/files/mesh_parts.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/mesh.h"
#include "core/base/mesh_faces.h"
#include "core/problem/files/table_parts.h"

namespace thallo {
namespace {

using Index = std::int32_t;
using Lists = std::vector<std::vector<Index>>;

// More numbers than these are not what a user wants to bind.
constexpr std::size_t MaxTableNumbers = 100'000'000;

// Makes a table of lists, which has as many columns as the longest list.
Expected<DataPart> list_part(const Lists& lists, std::size_t num_targets, int rank) {
  const std::size_t columns =
      std::ranges::max(lists, {}, [](const auto& list) { return list.size(); }).size();
  if (columns * lists.size() > MaxTableNumbers) {
    return fail(
        "one of its rows has {} numbers; with so many columns, {} rows are more than a table is "
        "made for",
        columns, lists.size());
  }
  DataPart part;
  part.extents = {static_cast<std::int64_t>(lists.size())};
  if (rank == 2) part.extents.insert(part.extents.begin(), static_cast<std::int64_t>(columns));
  for (std::size_t k = 0; k < (rank == 2 ? 1 : columns); ++k)
    part.channels.push_back(std::to_string(k));
  part.num_targets = static_cast<std::int64_t>(num_targets);
  part.values.reserve(columns * lists.size());
  for (const auto& list : lists) {
    part.values.insert(part.values.end(), list.begin(), list.end());
    part.values.insert(part.values.end(), columns - list.size(), -1);
  }
  return part;
}

class MeshParts {
 public:
  MeshParts(const Mesh& mesh, int rank) : mesh_(mesh), rank_(rank) {}

  DataPart triangles() const { return index_part(mesh_.triangles, num_vertices()); }

  DataPart edges() { return index_part(of_faces().ends, num_vertices()); }

  DataPart directed_edges() {
    auto both = of_faces().ends;
    for (const auto& [v0, v1] : of_faces().ends) both.push_back({v1, v0});
    std::ranges::sort(both);
    return index_part(both, num_vertices());
  }

  // The edges of triangles that are none of faces.
  DataPart diagonals() {
    const MeshEdges& all = of_triangles();
    std::vector<std::array<Index, 2>> ends;
    for (std::size_t e = 0; e < all.size(); ++e)
      if (all.v0[e] < all.v1[e]) ends.push_back({all.v0[e], all.v1[e]});
    std::vector<std::array<Index, 2>> diagonals;
    std::ranges::set_difference(ends, of_faces().ends, std::back_inserter(diagonals));
    return index_part(diagonals, num_vertices());
  }

  DataPart rings() {
    const MeshEdges& all = of_triangles();
    std::vector<std::array<Index, 4>> rings(all.size());
    for (std::size_t e = 0; e < all.size(); ++e)
      rings[e] = {all.v0[e], all.v1[e], all.v2[e], all.v3[e]};
    DataPart part = index_part(rings, num_vertices());
    part.warning = crowding_text(all.crowded, "triangles");
    return part;
  }

  DataPart edge_faces() {
    DataPart part = index_part(of_faces().faces, mesh_.num_faces());
    part.warning = crowding_text(of_faces().crowded, "faces");
    return part;
  }

  Expected<DataPart> faces() const { return list_part(corners(), num_vertices(), rank_); }
  Expected<DataPart> face_edges() {
    return list_part(of_faces().of_faces, of_faces().ends.size(), rank_);
  }
  Expected<DataPart> vertex_faces() const {
    return list_part(at_vertices(corners()), mesh_.num_faces(), rank_);
  }
  Expected<DataPart> vertex_edges() {
    Lists ends;
    for (const auto& edge : of_faces().ends) ends.emplace_back(edge.begin(), edge.end());
    return list_part(at_vertices(ends), ends.size(), rank_);
  }

 private:
  std::size_t num_vertices() const { return mesh_.positions.size(); }

  Lists corners() const {
    Lists lists;
    for_each_face(mesh_, [&](std::size_t, std::span<const FaceCorner> corners) {
      lists.emplace_back();
      for (const auto& [triangle, at] : corners)
        lists.back().push_back(mesh_.triangles[triangle][at]);
    });
    return lists;
  }

  // For each vertex, the lists that name it.
  Lists at_vertices(const Lists& lists) const {
    Lists result(num_vertices());
    for (std::size_t i = 0; i < lists.size(); ++i)
      for (const Index vertex : lists[i])
        result[static_cast<std::size_t>(vertex)].push_back(static_cast<Index>(i));
    return result;
  }

  const FaceEdges& of_faces() {
    if (!of_faces_) of_faces_ = edges_of_faces(mesh_);
    return *of_faces_;
  }
  const MeshEdges& of_triangles() {
    if (!of_triangles_) {
      of_triangles_ =
          thallo::directed_edges(mesh_.triangles, static_cast<std::int64_t>(num_vertices()));
    }
    return *of_triangles_;
  }

  const Mesh& mesh_;
  int rank_;
  // Shared by the parts; made for the first one.
  std::optional<FaceEdges> of_faces_;
  std::optional<MeshEdges> of_triangles_;
};

}  // namespace

void add_mesh_parts(const Mesh& mesh, int rank, PartSources& sources) {
  const auto parts = std::make_shared<MeshParts>(mesh, rank);
  sources.push_back({"triangles", [parts] { return parts->triangles(); }});
  sources.push_back({"edges", [parts] { return parts->edges(); }});
  sources.push_back({"directed_edges", [parts] { return parts->directed_edges(); }});
  sources.push_back({"rings", [parts] { return parts->rings(); }});
  sources.push_back({"diagonals", [parts] { return parts->diagonals(); }});
  sources.push_back({"edge_faces", [parts] { return parts->edge_faces(); }});
  sources.push_back({"faces", [parts] { return parts->faces(); }});
  sources.push_back({"face_edges", [parts] { return parts->face_edges(); }});
  sources.push_back({"vertex_faces", [parts] { return parts->vertex_faces(); }});
  sources.push_back({"vertex_edges", [parts] { return parts->vertex_edges(); }});
}

}  // namespace thallo
