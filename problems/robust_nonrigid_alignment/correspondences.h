// Which point of a scan each vertex of a mesh corresponds to.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "core/base/io/mesh.h"

namespace thallo::robust_nonrigid_alignment {

// The nearest of many points, found by a k-d tree.
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

// A mesh with normals and the search tree over its vertices.
struct Scan {
  explicit Scan(Mesh scanned) : mesh(std::move(scanned)), nearest(mesh.positions) {}

  Mesh mesh;
  NearestPoints nearest;
};

struct MatchRules {
  std::size_t num_neighbors = 20;  // of the scan that are looked at
  double max_distance = 0;
  double min_cosine = 0.7;  // of the angle between the two normals
};

// For each vertex of a mesh the nearest vertex of the scan that the rules allow; -1 where there is
// none.
std::vector<std::int32_t> match(const Scan& scan, const Mesh& mesh, const MatchRules& rules);

// For each of `num_vertices` vertices a random vertex of a scan that has `scan_size`, which stands
// for a wrong measurement, or -1. `share` of the vertices have one.
std::vector<std::int32_t> draw_spurious(std::size_t num_vertices, std::size_t scan_size,
                                        double share, std::uint64_t seed);

// Mean length of the edges.
double mean_length(std::span<const std::array<std::int32_t, 2>> edges,
                   std::span<const std::array<double, 3>> positions);

// Root mean square of how far vertices of a mesh are from the planes on the nearest vertices of the
// scan.
double distance_to_scan(const Scan& scan, std::span<const std::array<double, 3>> positions);

}  // namespace thallo::robust_nonrigid_alignment
