#include "core/problem/files/part_sources.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/mesh.h"
#include "core/base/move_mesh.h"
#include "core/problem/files/mesh_parts.h"
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
                         const auto array = archive.array(i);
                         if (!array) return fail(array.error());
                         return array_part(
                             fmt::format("{}:{}", file.path.string(), archive.name(i)), *array,
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
