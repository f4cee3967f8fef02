#include "problems/robust_nonrigid_alignment/correspondences.h"

#include <cmath>

#include <nanoflann.hpp>

#include "core/base/mesh.h"
#include "core/base/random.h"

namespace thallo::robust_nonrigid_alignment {

// The points in the form in which nanoflann reads them, and its index over them.
struct NearestPoints::Tree {
  explicit Tree(std::vector<std::array<double, 3>> all) : points(std::move(all)), index(3, *this) {}

  std::size_t kdtree_get_point_count() const { return points.size(); }
  double kdtree_get_pt(std::size_t point, std::size_t axis) const { return points[point][axis]; }
  template <class Box>
  bool kdtree_get_bbox(Box& /*box*/) const {
    return false;  // it is computed
  }

  std::vector<std::array<double, 3>> points;
  nanoflann::KDTreeSingleIndexAdaptor<nanoflann::L2_Simple_Adaptor<double, Tree>, Tree, 3,
                                      std::uint32_t>
      index;
};

NearestPoints::NearestPoints(std::vector<std::array<double, 3>> points)
    : tree_(std::make_unique<const Tree>(std::move(points))) {}

NearestPoints::~NearestPoints() = default;

std::vector<NearestPoints::Found> NearestPoints::find(const std::array<double, 3>& place,
                                                      std::size_t count) const {
  std::vector<std::uint32_t> points(count);
  std::vector<double> squares(count);
  const std::size_t num_found =
      tree_->index.knnSearch(place.data(), count, points.data(), squares.data());
  std::vector<Found> found;
  found.reserve(num_found);
  for (std::size_t i = 0; i < num_found; ++i)
    found.push_back({static_cast<std::int32_t>(points[i]), std::sqrt(squares[i])});
  return found;
}

std::vector<std::int32_t> match(const Scan& scan, const Mesh& mesh, const MatchRules& rules) {
  const auto normals = vertex_normals(mesh.triangles, mesh.positions);
  std::vector<std::int32_t> matches(mesh.positions.size(), -1);
  for (std::size_t vertex = 0; vertex < matches.size(); ++vertex) {
    for (const auto& [point, away] :
         scan.nearest.find(mesh.positions[vertex], rules.num_neighbors)) {
      if (away > rules.max_distance) break;  // the others are farther
      if (dot(normals[vertex], scan.mesh.normals[static_cast<std::size_t>(point)]) <=
          rules.min_cosine)
        continue;
      matches[vertex] = point;
      break;
    }
  }
  return matches;
}

std::vector<std::int32_t> draw_spurious(std::size_t num_vertices, std::size_t scan_size,
                                        double share, std::uint64_t seed) {
  Random random(seed);
  std::vector<std::int32_t> spurious(num_vertices, -1);
  for (std::int32_t& point : spurious)
    if (random.uniform() < share) point = static_cast<std::int32_t>(random.below(scan_size));
  return spurious;
}

double mean_length(std::span<const std::array<std::int32_t, 2>> edges,
                   std::span<const std::array<double, 3>> positions) {
  double sum = 0;
  for (const auto& [v, u] : edges)
    sum += distance(positions[static_cast<std::size_t>(v)], positions[static_cast<std::size_t>(u)]);
  return edges.empty() ? 0 : sum / static_cast<double>(edges.size());
}

double distance_to_scan(const Scan& scan, std::span<const std::array<double, 3>> positions) {
  double sum = 0;
  for (const auto& place : positions) {
    const auto point = static_cast<std::size_t>(scan.nearest.find(place, 1).front().point);
    const auto& at = scan.mesh.positions[point];
    const double away = dot(scan.mesh.normals[point], place - at);
    sum += away * away;
  }
  return std::sqrt(sum / static_cast<double>(positions.size()));
}

}  // namespace thallo::robust_nonrigid_alignment
