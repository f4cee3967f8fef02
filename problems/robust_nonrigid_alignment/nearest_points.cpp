#include "problems/robust_nonrigid_alignment/nearest_points.h"

#include <cmath>
#include <utility>

#include <nanoflann.hpp>

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

}  // namespace thallo::robust_nonrigid_alignment
