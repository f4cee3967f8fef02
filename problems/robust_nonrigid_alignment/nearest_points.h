// The nearest of many points, found by a k-d tree.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace thallo::robust_nonrigid_alignment {

class NearestPoints {
 public:
  explicit NearestPoints(std::vector<std::array<double, 3>> points);
  ~NearestPoints();

  struct Found {
    std::int32_t point = 0;
    double distance = 0;
  };
  // The nearest `count` points, or all if there are fewer, the nearest first.
  std::vector<Found> find(const std::array<double, 3>& place, std::size_t count) const;

 private:
  struct Tree;
  std::unique_ptr<const Tree> tree_;
};

}  // namespace thallo::robust_nonrigid_alignment
