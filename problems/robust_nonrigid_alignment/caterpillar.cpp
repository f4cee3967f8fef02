#include "problems/robust_nonrigid_alignment/caterpillar.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>

#include "core/base/mesh.h"

namespace thallo::robust_nonrigid_alignment {
namespace {

constexpr double Length = 1;

// The middle line, bent so that its angle at s of [0, 1] is steepness * sin(2 pi s).
class Spine {
 public:
  explicit Spine(double steepness) : steepness_(steepness) {
    for (std::size_t i = 0; i < Steps; ++i) {
      const double angle = angle_at((static_cast<double>(i) + 0.5) / Steps);
      places_[i + 1] = {places_[i][0] + std::cos(angle) * Length / Steps,
                        places_[i][1] + std::sin(angle) * Length / Steps};
    }
  }

  // The point at `s` along the line, `up` above it and `aside`.
  std::array<double, 3> at(double s, double up, double aside) const {
    const double step = s * Steps;
    const auto i = std::min(static_cast<std::size_t>(step), Steps - 1);
    const double t = step - static_cast<double>(i);
    const double angle = angle_at(s);
    const double x = std::lerp(places_[i][0], places_[i + 1][0], t) - std::sin(angle) * up;
    const double y = std::lerp(places_[i][1], places_[i + 1][1], t) + std::cos(angle) * up;
    return {x, y, aside};
  }

 private:
  double angle_at(double s) const { return steepness_ * std::sin(2 * std::numbers::pi * s); }

  static constexpr std::size_t Steps = 400;
  double steepness_;
  std::array<std::array<double, 2>, Steps + 1> places_{};
};

struct Sampling {
  int around = 0, rings = 0;
  double phase = 0;  // of the first vertex of a ring, in vertices
};

// Seven segments.
double radius_at(double s) {
  const double end = std::sqrt(std::max(0.0, 1 - std::pow(2 * s - 1, 8)));
  return 0.09 * end * (1 - 0.16 * std::cos(14 * std::numbers::pi * s));
}

// Ring r of 1 to rings - 1; rings are closer together at the ends.
double place_of(int ring, int rings) {
  return 0.5 + 0.5 * std::sin(std::numbers::pi * (static_cast<double>(ring) / rings - 0.5));
}

std::vector<std::array<double, 3>> positions_on(const Spine& spine, const Sampling& sampling) {
  std::vector<std::array<double, 3>> positions = {spine.at(0, 0, 0)};
  for (int ring = 1; ring < sampling.rings; ++ring) {
    const double s = place_of(ring, sampling.rings);
    const double radius = radius_at(s);
    for (int i = 0; i < sampling.around; ++i) {
      const double angle = 2 * std::numbers::pi * (i + sampling.phase) / sampling.around;
      positions.push_back(spine.at(s, 0.85 * radius * std::cos(angle), radius * std::sin(angle)));
    }
  }
  positions.push_back(spine.at(1, 0, 0));
  return positions;
}

std::int32_t vertex_of(const Sampling& sampling, int ring, int i) {
  return 1 + (ring - 1) * sampling.around + i % sampling.around;
}

std::vector<Triangle> triangles_of(const Sampling& sampling) {
  const int last_ring = sampling.rings - 1;
  const std::int32_t last = vertex_of(sampling, sampling.rings, 0);
  std::vector<Triangle> triangles;
  for (int i = 0; i < sampling.around; ++i) {
    triangles.push_back({0, vertex_of(sampling, 1, i + 1), vertex_of(sampling, 1, i)});
    for (int ring = 1; ring < last_ring; ++ring) {
      const std::int32_t here = vertex_of(sampling, ring, i);
      const std::int32_t across = vertex_of(sampling, ring + 1, i + 1);
      triangles.push_back({here, vertex_of(sampling, ring, i + 1), across});
      triangles.push_back({here, across, vertex_of(sampling, ring + 1, i)});
    }
    triangles.push_back(
        {vertex_of(sampling, last_ring, i), vertex_of(sampling, last_ring, i + 1), last});
  }
  return triangles;
}

}  // namespace

AlignmentInput make_caterpillar(int around, std::size_t num_scans) {
  const Sampling of_source = {.around = around, .rings = 2 * around};
  const int scanned = around + (around + 3) / 4;
  const Sampling of_scan = {.around = scanned, .rings = 2 * scanned, .phase = 0.5};

  AlignmentInput input;
  input.source.positions = positions_on(Spine(0), of_source);
  input.source.triangles = triangles_of(of_source);
  input.edges = surface_edges(input.source);
  for (int ring = 1; ring < of_source.rings; ++ring) {
    for (int i = 0; i < around; ++i) {
      const std::int32_t here = vertex_of(of_source, ring, i);
      const std::int32_t opposite = vertex_of(of_source, ring, i + around / 2);
      input.edges.push_back({here, opposite});
      input.edges.push_back({opposite, here});
    }
  }
  std::ranges::sort(input.edges);
  input.edges.erase(std::ranges::unique(input.edges).begin(), input.edges.end());

  // The angle of the back in radians grows by this from scan to scan.
  const double step = std::min(0.1, 0.8 / static_cast<double>(num_scans));
  for (std::size_t scan = 1; scan <= num_scans; ++scan) {
    const Spine spine(step * static_cast<double>(scan));
    Mesh mesh;
    mesh.positions = positions_on(spine, of_scan);
    mesh.triangles = triangles_of(of_scan);
    mesh.normals = vertex_normals(mesh.triangles, mesh.positions);
    input.scans.push_back(std::move(mesh));
  }
  input.truth = positions_on(Spine(step * static_cast<double>(num_scans)), of_source);
  return input;
}

}  // namespace thallo::robust_nonrigid_alignment
