#include "core/problem/files/pose_parts.h"

#include <Eigen/Cholesky>
#include <Eigen/Geometry>
#include <algorithm>

#include <fmt/format.h>

namespace thallo {
namespace {

// Returns the axis times the angle, which is at most pi: q and -q are the same rotation.
// `quaternion` is x y z w.
Eigen::Vector3d rotation_vector(const double* quaternion) {
  const Eigen::AngleAxisd turn{Eigen::Quaterniond(quaternion)};
  return turn.angle() * turn.axis();
}

std::vector<std::string> entry_names(std::size_t size) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < size * size; ++i)
    names.push_back(fmt::format("{}{}", i / size + 1, i % size + 1));
  return names;
}

}  // namespace

DataPart pose_part(const PoseGraph& graph, const std::vector<double>& poses) {
  const std::size_t size = graph.pose_size();
  DataPart part;
  part.extents = {static_cast<std::int64_t>(poses.size() / size)};
  if (graph.dimension == 2) {
    part.channels = {"x", "y", "angle"};
    part.values = poses;
    return part;
  }
  part.channels = {"x", "y", "z", "qx", "qy", "qz", "qw", "rx", "ry", "rz"};
  for (std::size_t at = 0; at < poses.size(); at += size) {
    const double* pose = &poses[at];
    part.values.insert(part.values.end(), pose, pose + size);
    const Eigen::Vector3d vector = rotation_vector(pose + 3);
    part.values.insert(part.values.end(), vector.begin(), vector.end());
  }
  return part;
}

void write_poses(const DataPart& part, const PoseGraph& graph, std::vector<double>& poses) {
  if (graph.dimension == 2) {
    poses = part.values;
    return;
  }
  for (std::size_t i = 0; i < part.num_elements(); ++i) {
    const double* from = &part.values[i * part.num_channels()];
    double* pose = &poses[i * graph.pose_size()];
    const Eigen::Vector3d before = rotation_vector(pose + 3);
    const Eigen::Vector3d after(from + 7);
    std::copy_n(from, graph.pose_size(), pose);
    if (after != before) {
      Eigen::Map<Eigen::Quaterniond>(pose + 3) =
          Eigen::AngleAxisd(after.norm(), after.normalized());
    }
  }
}

DataPart information_part(const PoseGraph& graph) {
  DataPart part;
  part.extents = {static_cast<std::int64_t>(graph.num_edges())};
  part.channels = entry_names(graph.tangent_size());
  part.values = graph.information;
  return part;
}

Expected<DataPart> sqrt_information_part(const PoseGraph& graph) {
  using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  DataPart part = information_part(graph);
  const std::size_t n = graph.tangent_size();
  for (std::size_t e = 0; e < graph.num_edges(); ++e) {
    const auto size = static_cast<Eigen::Index>(n);
    Eigen::Map<Matrix> matrix(&part.values[e * n * n], size, size);
    const Eigen::LLT<Matrix, Eigen::Upper> factor(matrix);
    if (factor.info() != Eigen::Success || !factor.matrixLLT().allFinite()) {
      return fail("the information matrix of edge {} -> {} is not positive definite",
                  graph.ids[static_cast<std::size_t>(graph.edges[e][0])],
                  graph.ids[static_cast<std::size_t>(graph.edges[e][1])]);
    }
    matrix = factor.matrixU();
  }
  return part;
}

DataPart fixed_part(const PoseGraph& graph) {
  DataPart part;
  part.extents = {static_cast<std::int64_t>(graph.num_vertices())};
  part.channels = {"0"};
  part.values.resize(graph.num_vertices());
  for (const std::int32_t vertex : graph.fixed) part.values[static_cast<std::size_t>(vertex)] = 1;
  if (graph.fixed.empty() && !part.values.empty()) part.values.front() = 1;
  return part;
}

}  // namespace thallo
