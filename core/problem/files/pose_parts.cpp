#include "core/problem/files/pose_parts.h"

#include <array>
#include <cmath>

#include <fmt/format.h>

namespace thallo {
namespace {

constexpr double SmallAngle = 1e-8;

std::array<double, 3> rotation_vector(const double* q) {
  const double sine = std::hypot(q[0], q[1], q[2]);  // of half the angle
  // The shorter way round: q and -q are the same rotation.
  const double sign = q[3] < 0 ? -1 : 1;
  const double factor =
      sine < SmallAngle ? 2 * sign : 2 * std::atan2(sign * sine, sign * q[3]) / sine;
  return {factor * q[0], factor * q[1], factor * q[2]};
}

std::array<double, 4> quaternion(const double* r) {
  const double angle = std::hypot(r[0], r[1], r[2]);
  const double factor = angle < SmallAngle ? 0.5 : std::sin(angle / 2) / angle;
  return {factor * r[0], factor * r[1], factor * r[2], std::cos(angle / 2)};
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
    const auto vector = rotation_vector(pose + 3);
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
    const auto before = rotation_vector(pose + 3);
    std::copy_n(from, graph.pose_size(), pose);
    if (!std::equal(before.begin(), before.end(), from + 7)) {
      const auto turned = quaternion(from + 7);
      std::copy(turned.begin(), turned.end(), pose + 3);
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
  DataPart part = information_part(graph);
  const std::size_t n = graph.tangent_size();
  for (std::size_t e = 0; e < graph.num_edges(); ++e) {
    const double* matrix = &graph.information[e * n * n];
    double* root = &part.values[e * n * n];
    std::fill_n(root, n * n, 0.0);
    for (std::size_t row = 0; row < n; ++row) {
      for (std::size_t column = row; column < n; ++column) {
        double value = matrix[row * n + column];
        for (std::size_t k = 0; k < row; ++k) value -= root[k * n + row] * root[k * n + column];
        if (row == column && !(value > 0)) {
          return fail("the information matrix of edge {} -> {} is not positive definite",
                      graph.ids[static_cast<std::size_t>(graph.edges[e][0])],
                      graph.ids[static_cast<std::size_t>(graph.edges[e][1])]);
        }
        root[row * n + column] = row == column ? std::sqrt(value) : value / root[row * n + row];
      }
    }
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
