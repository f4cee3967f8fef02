#include "core/problem/files/part_sources.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/mesh.h"
#include "core/base/mesh_faces.h"
#include "core/base/move_mesh.h"
#include "core/problem/files/picture_parts.h"
#include "core/problem/files/pose_parts.h"
#include "core/problem/files/table_parts.h"

namespace thallo {
namespace {

template <class T, std::size_t N>
void write_table(const DataPart& part, std::vector<std::array<T, N>>& rows) {
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::size_t k = 0; k < N; ++k) rows[i][k] = static_cast<T>(part.values[i * N + k]);
}

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

// The parts of a mesh that say what meets what: edges, faces, one-rings around vertices.
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

// Adds the parts of a mesh with triangles, which must outlive them. Tables whose rows differ in
// length, such as the edges of each vertex, have -1 where a row ends; over `rank` = 2 their columns
// are a dim, and channels otherwise.
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

PartSources sources_of(const DataFile&, const Mesh& mesh, int rank) {
  const std::vector<std::string> xyz = {"x", "y", "z"};
  PartSources sources;
  sources.push_back({"positions", [&mesh, xyz] { return table_part(mesh.positions, xyz); },
                     [](const DataPart& part, DataFile::Content& content) {
                       Mesh& written = std::get<Mesh>(content);
                       written = with_positions(std::move(written), positions_from(part.values));
                     }});
  if (!mesh.normals.empty()) {
    sources.push_back({"normals", [&mesh, xyz] { return table_part(mesh.normals, xyz); },
                       [](const DataPart& part, DataFile::Content& content) {
                         Mesh& written = std::get<Mesh>(content);
                         written.normals = positions_from(part.values);
                         written.corner_normals = {};
                       }});
  }
  if (!mesh.colors.empty()) {
    sources.push_back({"colors",
                       [&mesh] {
                         DataPart part = table_part(mesh.colors, {"r", "g", "b"});
                         part.full_scale = mesh.white();
                         return part;
                       },
                       [](const DataPart& part, DataFile::Content& content) {
                         Mesh& written = std::get<Mesh>(content);
                         written.colors = positions_from(part.values);
                         const double white = written.white();
                         if (white == 1) return;
                         for (auto& color : written.colors)
                           for (double& c : color) c = std::round(c > 0 ? std::min(c, white) : 0);
                       }});
  }
  if (!mesh.triangles.empty()) add_mesh_parts(mesh, rank, sources);
  return sources;
}

PartSources sources_of(const DataFile&, const BalProblem& scene) {
  PartSources sources;
  sources.push_back(
      {"cameras",
       [&] {
         return table_part(scene.cameras, {"rx", "ry", "rz", "tx", "ty", "tz", "f", "k1", "k2"});
       },
       [](const DataPart& part, DataFile::Content& content) {
         write_table(part, std::get<BalProblem>(content).cameras);
       }});
  sources.push_back({"points",
                     [&] {
                       return table_part(scene.points, {"x", "y", "z"});
                     },
                     [](const DataPart& part, DataFile::Content& content) {
                       write_table(part, std::get<BalProblem>(content).points);
                     }});
  const auto observed = [&](auto member, std::size_t targets) {
    std::vector<std::int32_t> rows;
    for (const BalObservation& o : scene.observations) rows.push_back(o.*member);
    return index_part(rows, targets);
  };
  sources.push_back({"observations", [&] {
                       std::vector<std::array<double, 2>> rows;
                       for (const BalObservation& o : scene.observations)
                         rows.push_back({o.x, o.y});
                       return table_part(rows, {"x", "y"});
                     }});
  sources.push_back({"camera_of", [=, &scene] {
                       return observed(&BalObservation::camera, scene.cameras.size());
                     }});
  sources.push_back(
      {"point_of", [=, &scene] { return observed(&BalObservation::point, scene.points.size()); }});
  return sources;
}

std::vector<std::int64_t> reversed(std::vector<std::int64_t> extents) {
  std::ranges::reverse(extents);
  return extents;
}

// True if T can hold this value exactly; floating-point types can hold NaN.
template <class T>
bool holds(double value) {
  if constexpr (std::is_integral_v<T>) {
    // The largest 64-bit value is not a double, but the number after it is.
    return value >= static_cast<double>(std::numeric_limits<T>::min()) &&
           value < std::ldexp(1.0, std::numeric_limits<T>::digits) && value == std::trunc(value);
  } else {
    return std::isnan(value) || double{static_cast<T>(value)} == value;
  }
}

// Makes the part of an array for an input over `rank` dims.
Expected<DataPart> array_part(const std::filesystem::path& path, const NpyArray& array, int rank) {
  const auto wanted = static_cast<std::size_t>(rank);
  DataPart part;
  std::vector<std::int64_t> shape = array.shape;
  if (shape.size() == wanted + 1) {
    for (std::int64_t c = 0; c < shape.back(); ++c) part.channels.push_back(std::to_string(c));
    shape.pop_back();
  } else {
    part.channels = {"0"};
  }
  if (shape.size() != wanted) {
    return fail_at({path},
                   "has the shape ({}), but the input has {} dims: wanted is so many, and the "
                   "channels as one more",
                   fmt::join(array.shape, ", "), rank);
  }
  part.extents = reversed(shape);  // C order: the last index is the fastest
  std::visit([&](const auto& values) { part.values.assign(values.begin(), values.end()); },
             array.values);
  return part;
}

PartSources sources_of(const DataFile& file, const NpyArray& array, int rank) {
  PartSources sources;
  sources.push_back({"values", [&array, &file, rank] { return array_part(file.path, array, rank); },
                     [](const DataPart& part, DataFile::Content& content) {
                       auto& values = std::get<NpyArray>(content).values;
                       // Results in double that the array's type cannot hold are kept in double
                       // instead of being rounded.
                       const bool fits = std::visit(
                           [&]<class T>(std::vector<T>& typed) {
                             if (!std::ranges::all_of(part.values, &holds<T>)) return false;
                             std::ranges::transform(part.values, typed.begin(), [](double value) {
                               return static_cast<T>(value);
                             });
                             return true;
                           },
                           values);
                       if (!fits) values = part.values;
                     }});
  return sources;
}

// Each array is a part, which is unpacked on demand.
PartSources sources_of(const DataFile& file, const NpzArchive& archive, int rank) {
  PartSources sources;
  for (std::size_t i = 0; i < archive.num_arrays(); ++i) {
    sources.push_back({archive.name(i), [&archive, &file, rank, i]() -> Expected<DataPart> {
                         THALLO_TRY(const auto array, archive.array(i));
                         return array_part(
                             fmt::format("{}:{}", file.path.string(), archive.name(i)), array,
                             rank);
                       }});
  }
  return sources;
}

PartSources sources_of(const DataFile&, const CsvTable& table, int rank) {
  PartSources sources;
  sources.push_back({"rows",
                     [&table, rank] {
                       DataPart part;
                       const auto num_rows = static_cast<std::int64_t>(table.num_rows());
                       const auto num_columns = static_cast<std::int64_t>(table.num_columns());
                       part.extents = {num_rows};
                       part.channels = table.columns;
                       if (rank == 2) {  // a matrix of numbers
                         part.extents = {num_columns, num_rows};
                         part.channels = {"0"};
                       }
                       part.values = table.values;
                       return part;
                     },
                     [](const DataPart& part, DataFile::Content& content) {
                       std::get<CsvTable>(content).values = part.values;
                     }});
  return sources;
}

}  // namespace

PartSources part_sources(const DataFile& file, int rank) {
  return std::visit(
      [&](const auto& content) {
        using Content = std::decay_t<decltype(content)>;
        if constexpr (std::is_same_v<Content, NpyArray> || std::is_same_v<Content, NpzArchive> ||
                      std::is_same_v<Content, CsvTable> || std::is_same_v<Content, Mesh>) {
          return sources_of(file, content, rank);
        } else if constexpr (std::is_same_v<Content, Raster>) {
          return picture_sources(file, content, rank);
        } else if constexpr (std::is_same_v<Content, PoseGraph>) {
          PartSources sources;
          add_pose_parts(content, sources);
          return sources;
        } else {
          return sources_of(file, content);
        }
      },
      file.content);
}

}  // namespace thallo
