#include "core/problem/files/data_part.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/suggest.h"
#include "core/problem/files/part_sources.h"

namespace thallo {
namespace {

std::vector<std::string_view> split_at(std::string_view text, char separator) {
  std::vector<std::string_view> words;
  while (true) {
    const std::size_t end = std::min(text.find(separator), text.size());
    words.push_back(text.substr(0, end));
    if (end == text.size()) return words;
    text.remove_prefix(end + 1);
  }
}

// Returns all channels of this name. Those in other case are found if none is equal: "r" is the
// channel R of an EXR.
std::vector<std::size_t> find_named(const DataPart& part, std::string_view name) {
  const auto find = [&](auto fold) {
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < part.num_channels(); ++i)
      if (std::ranges::equal(part.channels[i], name, {}, fold, fold)) found.push_back(i);
    return found;
  };
  auto equal = find([](char c) { return c; });
  if (!equal.empty()) return equal;
  return find([](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
}

// Returns the channels of this name, or the one of this number.
std::vector<std::size_t> find_channels(const DataPart& part, std::string_view name) {
  auto named = find_named(part, name);
  for (std::size_t i = 0; named.empty() && i < part.num_channels(); ++i)
    if (name == std::to_string(i)) return {i};
  return named;
}

// Returns the channels named by the letters of a word: "rgb" selects the first three of r g b a.
std::optional<std::vector<std::size_t>> find_letters(const DataPart& part, std::string_view name) {
  std::vector<std::size_t> channels;
  for (const char& letter : name) {
    const auto found = find_named(part, {&letter, 1});
    if (found.size() != 1) return std::nullopt;
    channels.push_back(found.front());
  }
  return channels;
}

// A part (made by sources[source]) and the channels selected from it.
struct Picked {
  std::size_t source = 0;
  DataPart part;
  std::vector<std::size_t> channels;
};

Diagnostic unknown_part(const DataFile& file, const PartSources& sources, const DataPart& part,
                        std::string_view name) {
  std::vector<std::string> legal = names_of(sources, &PartSource::name);
  for (const std::string& channel : part.channels)
    legal.push_back(part.name == sources.front().name ? channel : part.name + "." + channel);
  return unknown_name("has no part or channel", name, legal, {file.path});
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
    if (const auto found = find_channels(picked.part, name); found.size() == 1) {
      picked.channels.push_back(found.front());
    } else if (found.size() > 1) {
      return fail_at({file.path},
                     "{} channels have the name '{}', numbers {}; select one by its number",
                     found.size(), name, fmt::join(found, " and "));
    } else if (const auto letters = find_letters(picked.part, name); letters && !name.empty()) {
      picked.channels.insert(picked.channels.end(), letters->begin(), letters->end());
    } else {
      return fail(unknown_part(file, sources, picked.part, name));
    }
  }
  return picked;
}

// Finds one item of a selection; "" is the first part.
Expected<Picked> pick(const DataFile& file, const PartSources& sources, std::string_view item) {
  // Names of arrays may contain dots: of "layer" and "layer.weight", the longer match is meant.
  const PartSource* found = nullptr;
  for (const PartSource& source : sources) {
    const bool is_named = item == source.name || item.starts_with(source.name + '.');
    if (is_named && (found == nullptr || found->name.size() < source.name.size())) found = &source;
  }
  // Names of columns may contain dots too, and for channels of the first part the part need not be
  // named.
  if (item.empty() || found == nullptr) {
    auto picked = pick_channels(file, sources, 0, {item});
    // The first array of an archive may have another shape than the mistyped one.
    if (!picked && !item.empty() && !sources.front().make())
      return fail(unknown_part(file, sources, {sources.front().name, {}, {}, {}}, item));
    return picked;
  }
  std::vector<std::string_view> channels;
  if (item != found->name) channels = split_at(item.substr(found->name.size() + 1), '.');
  return pick_channels(file, sources, static_cast<std::size_t>(found - sources.data()), channels);
}

}  // namespace

PartReader::PartReader(const DataFile& file, int rank)
    : file_(file), sources_(part_sources(file, rank)) {}

Expected<DataPart> PartReader::select(std::string_view selection) const {
  DataPart result;
  std::vector<Picked> picks;
  for (const std::string_view item : split_at(selection, ',')) {
    THALLO_TRY(auto picked, pick(file_, sources_, item));
    const DataPart& part = picked.part;
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
    if (!part.warning.empty())
      result.warning = fmt::format("{}:{}: {}", file_.path.string(), part.name, part.warning);
    for (const std::size_t channel : picked.channels)
      result.channels.push_back(part.channels[channel]);
    picks.push_back(std::move(picked));
  }
  const bool is_scaled_alike = std::ranges::all_of(
      picks, [&](const Picked& picked) { return picked.part.full_scale == result.full_scale; });
  if (!is_scaled_alike) result.full_scale = 1;
  const std::size_t count = picks.front().part.num_elements();
  result.values.reserve(count * result.num_channels());
  for (std::size_t i = 0; i < count; ++i) {
    for (const Picked& picked : picks) {
      const double scale = is_scaled_alike ? 1 : picked.part.full_scale;
      for (const std::size_t channel : picked.channels)
        result.values.push_back(picked.part.values[i * picked.part.num_channels() + channel] /
                                scale);
    }
  }
  return result;
}

Expected<void> put(DataFile& file, std::string_view selection, int rank,
                   const std::vector<double>& values) {
  const PartSources sources = part_sources(file, rank);
  std::size_t at = 0;
  std::vector<Picked> picks;
  std::size_t num_channels = 0;
  for (const std::string_view item : split_at(selection, ',')) {
    THALLO_TRY(auto picked, pick(file, sources, item));
    if (!sources[picked.source].write)
      return fail_at({file.path}, "'{}' is made from other parts and cannot be written",
                     picked.part.name);
    num_channels += picked.channels.size();
    picks.push_back(std::move(picked));
  }
  for (Picked& picked : picks) {
    // A previous item may have changed other channels of the same part.
    picked.part = *sources[picked.source].make();
    const std::size_t count = picked.part.num_elements();
    if (values.size() != count * num_channels) {
      return fail_at({file.path}, "{} values do not fit into {} elements of {} channels",
                     values.size(), count, num_channels);
    }
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t k = 0; k < picked.channels.size(); ++k) {
        picked.part.values[i * picked.part.num_channels() + picked.channels[k]] =
            values[i * num_channels + at + k] * picked.part.full_scale;
      }
    }
    at += picked.channels.size();
    sources[picked.source].write(picked.part, file.content);
  }
  return {};
}

std::string_view parts_help() {
  return R"(  image (png jpg pgm ppm pfm tif exr flo imagedump)
                    pixels (r g b a, gray alpha, u v), gray, index (of a palette);
                    of an EXR its channels, layers and parts by name; of a TIFF page0, page1 ...;
                    equal pages or parts together, for an input over three dims
  mesh (ply off obj stl)
                    positions (x y z), normals, colors; as maps: triangles (0 1 2), edges (0 1; those
                    of the faces), diagonals (0 1; by which faces are divided into triangles),
                    directed_edges (0 1; both directions of edges), rings (0 1 2 3, of triangles:
                    vertex, neighbor, the neighbors of the vertex before and after that; -1 at a
                    border), edge_faces (0 1; -1 where there is no second face); with -1 behind
                    their ends: faces, face_edges, vertex_edges, vertex_faces (0 1 2 ..., or the
                    first dim of a map over two: what the row meets, around a face in its order)
  pose graph (g2o)  poses, measurements (x y angle, or x y z qx qy qz qw rx ry rz),
                    information, sqrt_information, fixed; as map: edges (0 1); if it has points:
                    landmarks, sightings (x y, or x y z), fixed_landmarks, sighting_sensors,
                    sighting_information, sighting_sqrt_information; as maps: sighting_pose,
                    sighting_landmark; if it has priors: priors, prior_sensors, prior_information,
                    prior_sqrt_information; as map: prior_pose
  scene (bal)       cameras, points, observations; as maps: camera_of, point_of
  table (csv)       its columns by name or number
  array (npy)       values, the last axis as channels where there is one more than dims
  arrays (npz)      each array by its name, the same way)";
}

}  // namespace thallo
