#include "core/problem/files/pose_parts.h"

#include <Eigen/Cholesky>
#include <Eigen/Geometry>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "core/problem/files/table_parts.h"

namespace thallo {
namespace {

// Returns the axis times the angle, which is at most pi: q and -q are the same rotation.
// `quaternion` is x y z w.
Eigen::Vector3d rotation_vector(const double* quaternion) {
  const Eigen::AngleAxisd turn{Eigen::Quaterniond(quaternion)};
  return turn.angle() * turn.axis();
}

// Numbers, with as many as there are channels for each element.
DataPart numbers_part(const std::vector<double>& values, std::vector<std::string> channels) {
  DataPart part;
  part.extents = {static_cast<std::int64_t>(values.size() / channels.size())};
  part.channels = std::move(channels);
  part.values = values;
  return part;
}

DataPart pose_part(const PoseGraph& graph, const std::vector<double>& poses) {
  if (graph.dimension == 2) return numbers_part(poses, {"x", "y", "angle"});
  const std::size_t size = graph.pose_size();
  DataPart part;
  part.extents = {static_cast<std::int64_t>(poses.size() / size)};
  part.channels = {"x", "y", "z", "qx", "qy", "qz", "qw", "rx", "ry", "rz"};
  for (std::size_t at = 0; at < poses.size(); at += size) {
    const double* pose = &poses[at];
    part.values.insert(part.values.end(), pose, pose + size);
    const Eigen::Vector3d vector = rotation_vector(pose + 3);
    part.values.insert(part.values.end(), vector.begin(), vector.end());
  }
  return part;
}

// The inverse of pose_part().
void write_poses(const DataPart& part, PoseGraph& graph) {
  if (graph.dimension == 2) {
    graph.poses = part.values;
    return;
  }
  for (std::size_t i = 0; i < part.num_elements(); ++i) {
    const double* from = &part.values[i * part.num_channels()];
    double* pose = &graph.poses[i * graph.pose_size()];
    const Eigen::Vector3d before = rotation_vector(pose + 3);
    const Eigen::Vector3d after(from + 7);
    std::copy_n(from, graph.pose_size(), pose);
    if (after != before) {
      Eigen::Map<Eigen::Quaterniond>(pose + 3) =
          Eigen::AngleAxisd(after.norm(), after.normalized());
    }
  }
}

DataPart point_part(const PoseGraph& graph, const std::vector<double>& points) {
  std::vector<std::string> channels = {"x", "y", "z"};
  channels.resize(static_cast<std::size_t>(graph.dimension));
  return numbers_part(points, channels);
}

DataPart fixed_part(const std::vector<std::int32_t>& fixed, std::size_t count) {
  std::vector<double> marks(count);
  for (const std::int32_t position : fixed) marks[static_cast<std::size_t>(position)] = 1;
  return numbers_part(marks, {"0"});
}

// One end of each of these edges.
DataPart end_part(const std::vector<std::array<std::int32_t, 2>>& edges, std::size_t end,
                  std::size_t num_targets) {
  std::vector<std::int32_t> ends;
  for (const auto& edge : edges) ends.push_back(edge[end]);
  return index_part(ends, num_targets);
}

// `name` says what has the matrix of a number.
template <class Name>
void add_information(const std::string& prefix, const std::vector<double>& information,
                     std::size_t size, const Name& name, PartSources& sources) {
  const auto make = [&information, size] {
    std::vector<std::string> entries;
    for (std::size_t i = 0; i < size * size; ++i)
      entries.push_back(fmt::format("{}{}", i / size + 1, i % size + 1));
    return numbers_part(information, entries);
  };
  sources.push_back({prefix + "information", make});
  sources.push_back(
      {prefix + "sqrt_information", [=]() -> Expected<DataPart> {
         using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
         DataPart part = make();
         for (std::size_t i = 0; i < part.num_elements(); ++i) {
           const auto rows = static_cast<Eigen::Index>(size);
           Eigen::Map<Matrix> matrix(&part.values[i * size * size], rows, rows);
           const Eigen::LLT<Matrix, Eigen::Upper> factor(matrix);
           if (factor.info() != Eigen::Success || !factor.matrixLLT().allFinite())
             return fail("the information matrix of {} is not positive definite", name(i));
           matrix = factor.matrixU();
         }
         return part;
       }});
}

}  // namespace

void add_pose_parts(const PoseGraph& graph, PartSources& sources) {
  const PoseGraph* g = &graph;
  const auto id_of = [g](std::int32_t vertex) { return g->ids[static_cast<std::size_t>(vertex)]; };
  sources.push_back({"poses", [g] { return pose_part(*g, g->poses); },
                     [](const DataPart& part, DataFile::Content& content) {
                       write_poses(part, std::get<PoseGraph>(content));
                     }});
  sources.push_back({"measurements", [g] { return pose_part(*g, g->measurements); }});
  sources.push_back({"edges", [g] { return index_part(g->edges, g->num_vertices()); }});
  const auto edge_name = [=](std::size_t e) {
    return fmt::format("edge {} -> {}", id_of(g->edges[e][0]), id_of(g->edges[e][1]));
  };
  add_information("", graph.information, graph.tangent_size(), edge_name, sources);
  const bool is_held = !graph.fixed.empty() || !graph.landmarks.fixed.empty() ||
                       graph.priors.size() > 0 || graph.num_vertices() == 0;
  sources.push_back({"fixed", [=] {
                       return fixed_part(is_held ? g->fixed : std::vector{0}, g->num_vertices());
                     }});
  if (graph.landmarks.size() > 0) {
    const PoseGraph::Landmarks* points = &graph.landmarks;
    const PoseGraph::Sightings* seen = &graph.sightings;
    sources.push_back({"landmarks", [=] { return point_part(*g, points->positions); },
                       [](const DataPart& part, DataFile::Content& content) {
                         std::get<PoseGraph>(content).landmarks.positions = part.values;
                       }});
    sources.push_back(
        {"fixed_landmarks", [=] { return fixed_part(points->fixed, points->size()); }});
    sources.push_back({"sightings", [=] { return point_part(*g, seen->measurements); }});
    sources.push_back({"sighting_sensors", [=] { return pose_part(*g, seen->sensors); }});
    sources.push_back(
        {"sighting_pose", [=] { return end_part(seen->edges, 0, g->num_vertices()); }});
    sources.push_back(
        {"sighting_landmark", [=] { return end_part(seen->edges, 1, points->size()); }});
    const auto name = [=](std::size_t s) {
      return fmt::format("edge {} -> {}", id_of(seen->edges[s][0]),
                         points->ids[static_cast<std::size_t>(seen->edges[s][1])]);
    };
    add_information("sighting_", seen->information, static_cast<std::size_t>(graph.dimension), name,
                    sources);
  }
  if (graph.priors.size() > 0) {
    const PoseGraph::Priors* priors = &graph.priors;
    sources.push_back({"priors", [=] { return pose_part(*g, priors->measurements); }});
    sources.push_back({"prior_sensors", [=] { return pose_part(*g, priors->sensors); }});
    sources.push_back(
        {"prior_pose", [=] { return index_part(priors->vertices, g->num_vertices()); }});
    const auto name = [=](std::size_t p) {
      return fmt::format("the prior of {}", id_of(priors->vertices[p]));
    };
    add_information("prior_", priors->information, graph.tangent_size(), name, sources);
  }
}

}  // namespace thallo
