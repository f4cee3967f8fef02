#include "core/problem/files/data_part.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "core/base/suggest.h"
#include "core/problem/files/mesh_parts.h"
#include "core/problem/files/pose_parts.h"

namespace thallo {
namespace {

std::vector<std::string> numbered(std::size_t count) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < count; ++i) names.push_back(std::to_string(i));
  return names;
}

using PartSources = std::vector<PartSource>;

template <class T, std::size_t N>
DataPart table_part(const std::vector<std::array<T, N>>& rows, std::vector<std::string> channels,
                    double scale = 1) {
  DataPart part;
  part.extents = {static_cast<std::int64_t>(rows.size())};
  part.channels = std::move(channels);
  part.values.reserve(rows.size() * N);
  for (const auto& row : rows)
    for (const T value : row) part.values.push_back(static_cast<double>(value) * scale);
  return part;
}

template <std::size_t N>
DataPart index_part(const std::vector<std::array<std::int32_t, N>>& rows, std::size_t targets) {
  DataPart part = table_part(rows, numbered(N));
  part.num_targets = static_cast<std::int64_t>(targets);
  return part;
}

template <class T, std::size_t N>
void write_table(const DataPart& part, std::vector<std::array<T, N>>& rows) {
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::size_t k = 0; k < N; ++k) rows[i][k] = static_cast<T>(part.values[i * N + k]);
}

std::vector<std::string> image_channels(const DataFile& file, int count) {
  if (file.suffix == ".flo") return {"u", "v"};
  switch (count) {
    case 1: return {"gray"};
    case 2: return {"gray", "alpha"};
    case 3: return {"r", "g", "b"};
    case 4: return {"r", "g", "b", "a"};
    default: return numbered(static_cast<std::size_t>(count));
  }
}

DataPart image_part(const DataFile& file, const Image& image) {
  DataPart part;
  part.extents = {image.width, image.height};
  part.channels = image_channels(file, image.channels);
  part.values.assign(image.data.begin(), image.data.end());
  part.full_scale = file.full_scale;
  return part;
}

PartSources sources_of(const DataFile& file, const Image& image) {
  PartSources sources;
  sources.push_back({"pixels", [&] { return image_part(file, image); }});
  if (image.channels >= 3)
    sources.push_back({"gray", [&] { return image_part(file, to_gray(image)); }});
  return sources;
}

PartSources sources_of(const DataFile&, const Mesh& mesh) {
  const std::size_t num_vertices = mesh.positions.size();
  const std::vector<std::string> xyz = {"x", "y", "z"};
  PartSources sources;
  sources.push_back({"positions", [&mesh, xyz] { return table_part(mesh.positions, xyz); },
                     [](const DataPart& part, DataFile::Content& content) {
                       write_table(part, std::get<Mesh>(content).positions);
                     }});
  if (!mesh.normals.empty()) {
    sources.push_back({"normals", [&mesh, xyz] { return table_part(mesh.normals, xyz); },
                       [](const DataPart& part, DataFile::Content& content) {
                         write_table(part, std::get<Mesh>(content).normals);
                       }});
  }
  if (!mesh.colors.empty()) {
    sources.push_back({"colors",
                       [&mesh] {
                         DataPart part = table_part(mesh.colors, {"r", "g", "b"}, 1.0 / 255);
                         part.full_scale = 255;
                         return part;
                       },
                       [](const DataPart& part, DataFile::Content& content) {
                         Mesh& written = std::get<Mesh>(content);
                         for (std::size_t i = 0; i < part.values.size(); ++i) {
                           const double value = part.values[i];
                           const double sample = value > 0 ? std::min(value, 1.0) * 255 : 0.0;
                           written.colors[i / 3][i % 3] =
                               static_cast<std::uint8_t>(std::lround(sample));
                         }
                       }});
  }
  if (mesh.triangles.empty()) return sources;
  sources.push_back(
      {"triangles", [&mesh, num_vertices] { return index_part(mesh.triangles, num_vertices); }});
  const auto parts = std::make_shared<MeshParts>(mesh);
  sources.push_back({"edges", [parts] { return parts->edges(2, false); }});
  sources.push_back({"directed_edges", [parts] { return parts->edges(2, true); }});
  sources.push_back({"rings", [parts] { return parts->edges(4, true); }});
  return sources;
}

PartSources sources_of(const DataFile&, const PoseGraph& graph) {
  PartSources sources;
  sources.push_back({"poses", [&] { return pose_part(graph, graph.poses); },
                     [](const DataPart& part, DataFile::Content& content) {
                       PoseGraph& written = std::get<PoseGraph>(content);
                       write_poses(part, written, written.poses);
                     }});
  sources.push_back({"measurements", [&] { return pose_part(graph, graph.measurements); }});
  sources.push_back({"edges", [&] { return index_part(graph.edges, graph.num_vertices()); }});
  sources.push_back({"information", [&] { return information_part(graph); }});
  sources.push_back({"sqrt_information", [&] { return sqrt_information_part(graph); }});
  sources.push_back({"fixed", [&] { return fixed_part(graph); }});
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
    std::vector<std::array<std::int32_t, 1>> rows;
    for (const BalObservation& o : scene.observations) rows.push_back({o.*member});
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

// Whether the value is one of T.
template <class T>
bool holds(double value) {
  if constexpr (std::is_integral_v<T>) {
    return value >= std::numeric_limits<T>::min() && value <= std::numeric_limits<T>::max() &&
           value == std::trunc(value);
  } else {
    return std::isnan(value) || double{static_cast<T>(value)} == value;
  }
}

PartSources sources_of(const DataFile& file, const NpyArray& array, int rank) {
  PartSources sources;
  sources.push_back(
      {"values",
       [&array, &file, rank]() -> Expected<DataPart> {
         const auto wanted = static_cast<std::size_t>(rank);
         DataPart part;
         std::vector<std::int64_t> shape = array.shape;
         if (shape.size() == wanted + 1) {
           part.channels = numbered(static_cast<std::size_t>(shape.back()));
           shape.pop_back();
         } else {
           part.channels = {"0"};
         }
         if (shape.size() != wanted) {
           return fail_at({file.path},
                          "has the shape ({}), but the input has {} dims: wanted is so many, and "
                          "the channels as one more",
                          fmt::join(array.shape, ", "), rank);
         }
         part.extents = reversed(shape);  // C order: the last index is the fastest
         std::visit([&](const auto& values) { part.values.assign(values.begin(), values.end()); },
                    array.values);
         return part;
       },
       [](const DataPart& part, DataFile::Content& content) {
         auto& values = std::get<NpyArray>(content).values;
         // Results in double are not rounded to the type of where they started.
         const bool fits = std::visit(
             [&]<class T>(std::vector<T>& typed) {
               if (!std::ranges::all_of(part.values, &holds<T>)) return false;
               std::ranges::transform(part.values, typed.begin(),
                                      [](double value) { return static_cast<T>(value); });
               return true;
             },
             values);
         if (!fits) values = part.values;
       }});
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

PartSources sources_of(const DataFile& file, int rank) {
  return std::visit(
      [&](const auto& content) {
        using Content = std::decay_t<decltype(content)>;
        if constexpr (std::is_same_v<Content, NpyArray> || std::is_same_v<Content, CsvTable>) {
          return sources_of(file, content, rank);
        } else {
          return sources_of(file, content);
        }
      },
      file.content);
}

std::vector<std::string_view> split_at(std::string_view text, char separator) {
  std::vector<std::string_view> words;
  while (true) {
    const std::size_t end = std::min(text.find(separator), text.size());
    words.push_back(text.substr(0, end));
    if (end == text.size()) return words;
    text.remove_prefix(end + 1);
  }
}

std::optional<std::size_t> find_channel(const DataPart& part, std::string_view name) {
  const auto found = std::ranges::find(part.channels, name);
  if (found != part.channels.end()) return static_cast<std::size_t>(found - part.channels.begin());
  // Channels also go by their number.
  for (std::size_t i = 0; i < part.num_channels(); ++i)
    if (name == std::to_string(i)) return i;
  return std::nullopt;
}

// "rgb" of channels r g b a.
std::optional<std::vector<std::size_t>> find_letters(const DataPart& part, std::string_view name) {
  std::vector<std::size_t> channels;
  for (const char& letter : name) {
    const auto found = std::ranges::find(part.channels, std::string_view(&letter, 1));
    if (found == part.channels.end()) return std::nullopt;
    channels.push_back(static_cast<std::size_t>(found - part.channels.begin()));
  }
  return channels;
}

// A part and which of its channels.
struct Picked {
  std::size_t source = 0;
  DataPart part;
  std::vector<std::size_t> channels;
};

Diagnostic unknown_part(const DataFile& file, const PartSources& sources, const DataPart& part,
                        std::string_view name) {
  std::vector<std::string> legal;
  for (const PartSource& source : sources) legal.push_back(source.name);
  for (const std::string& channel : part.channels)
    legal.push_back(part.name == sources.front().name ? channel : part.name + "." + channel);
  return {fmt::format("has no part or channel '{}'{}", name, did_you_mean(name, legal)),
          {file.path, 0, 0},
          legal};
}

Expected<Picked> pick_channels(const DataFile& file, const PartSources& sources, std::size_t source,
                               const std::vector<std::string_view>& names) {
  auto part = sources[source].make();
  if (!part) {
    Diagnostic diagnostic = part.error();
    if (!diagnostic.where.known()) diagnostic.where.file = file.path;
    return fail(std::move(diagnostic));
  }
  Picked picked{source, *std::move(part), {}};
  picked.part.name = sources[source].name;
  if (names.empty() || (names.size() == 1 && names.front().empty())) {
    picked.channels.resize(picked.part.num_channels());
    std::iota(picked.channels.begin(), picked.channels.end(), std::size_t{0});
    return picked;
  }
  for (const std::string_view name : names) {
    if (const auto channel = find_channel(picked.part, name)) {
      picked.channels.push_back(*channel);
    } else if (const auto letters = find_letters(picked.part, name); letters && !name.empty()) {
      picked.channels.insert(picked.channels.end(), letters->begin(), letters->end());
    } else {
      return fail(unknown_part(file, sources, picked.part, name));
    }
  }
  return picked;
}

// One item of a selection; "" is the first part.
Expected<Picked> pick(const DataFile& file, const PartSources& sources, std::string_view item) {
  const std::vector<std::string_view> words = split_at(item, '.');
  const auto found = std::ranges::find(sources, words.front(), &PartSource::name);
  // Column names may have points in them, and channels of the first part need no part.
  if (item.empty() || found == sources.end()) return pick_channels(file, sources, 0, {item});
  return pick_channels(file, sources, static_cast<std::size_t>(found - sources.begin()),
                       {words.begin() + 1, words.end()});
}

}  // namespace

PartReader::PartReader(const DataFile& file, int rank)
    : file_(file), sources_(sources_of(file, rank)) {}

Expected<DataPart> PartReader::select(std::string_view selection) const {
  DataPart result;
  std::vector<Picked> picks;
  for (const std::string_view item : split_at(selection, ',')) {
    auto picked = pick(file_, sources_, item);
    if (!picked) return fail(picked.error());
    const DataPart& part = picked->part;
    if (picks.empty()) {
      result.name = part.name;
      result.extents = part.extents;
      result.full_scale = part.full_scale;
      result.num_targets = part.num_targets;
    } else if (part.extents != result.extents || part.num_targets != result.num_targets) {
      return fail_at({file_.path},
                     "'{}' and '{}' do not belong to the same elements ({} and {} of them)",
                     result.name, part.name, result.num_elements(), part.num_elements());
    }
    for (const std::size_t channel : picked->channels)
      result.channels.push_back(part.channels[channel]);
    picks.push_back(*std::move(picked));
  }
  const std::size_t count = picks.front().part.num_elements();
  result.values.reserve(count * result.num_channels());
  for (std::size_t i = 0; i < count; ++i) {
    for (const Picked& picked : picks) {
      for (const std::size_t channel : picked.channels)
        result.values.push_back(picked.part.values[i * picked.part.num_channels() + channel]);
    }
  }
  return result;
}

Expected<void> put(DataFile& file, std::string_view selection, int rank,
                   const std::vector<double>& values) {
  const PartSources sources = sources_of(file, rank);
  std::size_t at = 0;
  std::vector<Picked> picks;
  std::size_t num_channels = 0;
  for (const std::string_view item : split_at(selection, ',')) {
    auto picked = pick(file, sources, item);
    if (!picked) return fail(picked.error());
    if (!sources[picked->source].write)
      return fail_at({file.path}, "'{}' is made from other parts and cannot be written",
                     picked->part.name);
    num_channels += picked->channels.size();
    picks.push_back(*std::move(picked));
  }
  for (Picked& picked : picks) {
    // Another item may have changed other channels of the same part.
    picked.part = *sources[picked.source].make();
    const std::size_t count = picked.part.num_elements();
    if (values.size() != count * num_channels) {
      return fail_at({file.path}, "{} values do not fit into {} elements of {} channels",
                     values.size(), count, num_channels);
    }
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t k = 0; k < picked.channels.size(); ++k) {
        picked.part.values[i * picked.part.num_channels() + picked.channels[k]] =
            values[i * num_channels + at + k];
      }
    }
    at += picked.channels.size();
    sources[picked.source].write(picked.part, file.content);
  }
  return {};
}

std::string_view parts_help() {
  return R"(  image (png jpg pgm ppm pfm tif exr flo imagedump)
                    pixels (r g b a, gray alpha, u v), gray
  mesh (ply off obj)
                    positions (x y z), normals, colors; as maps: triangles (0 1 2), edges (0 1),
                    directed_edges (0 1), rings (0 1 2 3: vertex, neighbor, the neighbors of the
                    vertex before and after that; -1 at a border)
  pose graph (g2o)  poses, measurements (x y angle, or x y z qx qy qz qw rx ry rz),
                    information, sqrt_information, fixed; as map: edges (0 1)
  scene (bal)       cameras, points, observations; as maps: camera_of, point_of
  table (csv)       its columns by name or number
  array (npy)       values, the last axis as channels where there is one more than dims)";
}

}  // namespace thallo
