#include "problems/face_fitting/face_model.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/mesh.h"
#include "core/base/random.h"

namespace thallo::face_fitting {

void normalize(FaceModel& model) {
  auto& positions = model.average.positions;
  const double size = diagonal(positions);
  if (!(size > 0)) return;
  for (std::size_t c = 0; c < 3; ++c) {
    const auto at = [&](const std::array<double, 3>& p) { return p[c]; };
    const double low = at(*std::ranges::min_element(positions, {}, at));
    const double high = at(*std::ranges::max_element(positions, {}, at));
    for (auto& p : positions) p[c] = 2 / size * (p[c] - (low + high) / 2);
  }
  for (float& d : model.displacements) d = static_cast<float>(2 / size * double{d});
}

std::vector<bundler::Point3> deform(const FaceModel& model, std::span<const double> weights) {
  std::vector<bundler::Point3> vertices = model.average.positions;
  const float* displacement = model.displacements.data();
  for (const double weight : weights) {
    for (auto& vertex : vertices) {
      for (double& c : vertex) c += weight * double{*displacement++};
    }
  }
  return vertices;
}

std::vector<double> draw_weights(const FaceModel& model, std::uint64_t seed) {
  constexpr double ShareOn = 0.3;
  Random random(seed);
  std::vector<double> weights;
  for (const bool is_expression : model.is_expression) {
    const bool on = random.uniform() < ShareOn;
    const double weight = random.uniform();
    weights.push_back(is_expression ? (on ? 0.3 + 0.7 * weight : 0) : 2 * weight - 1);
  }
  return weights;
}

std::vector<double> observe(const FaceModel& model, std::span<const double> weights,
                            const Sight& sight) {
  Random random(sight.seed);
  std::vector<double> seen;
  seen.reserve(2 * model.num_vertices());
  for (const bundler::Point3& vertex : deform(model, weights)) {
    bundler::Pixel pixel = bundler::project(Camera, vertex);
    for (double& c : pixel) c += sight.noise * random.normal();
    if (random.uniform() < sight.missing) pixel.fill(-std::numeric_limits<double>::infinity());
    seen.insert(seen.end(), pixel.begin(), pixel.end());
  }
  return seen;
}

double reprojection_error(const FaceModel& model, std::span<const double> weights,
                          std::span<const double> seen) {
  const std::vector<bundler::Point3> vertices = deform(model, weights);
  double squares = 0;
  std::size_t count = 0;
  for (std::size_t n = 0; n < vertices.size(); ++n) {
    if (!std::isfinite(seen[2 * n])) continue;
    const bundler::Pixel pixel = bundler::project(Camera, vertices[n]);
    for (std::size_t c = 0; c < 2; ++c) squares += std::pow(pixel[c] - seen[2 * n + c], 2);
    ++count;
  }
  return count == 0 ? 0 : std::sqrt(squares / static_cast<double>(count));
}

double distance(const FaceModel& model, std::span<const double> a, std::span<const double> b) {
  const std::vector<bundler::Point3> first = deform(model, a);
  const std::vector<bundler::Point3> second = deform(model, b);
  double squares = 0;
  for (std::size_t n = 0; n < first.size(); ++n) {
    for (std::size_t c = 0; c < 3; ++c) squares += std::pow(first[n][c] - second[n][c], 2);
  }
  return std::sqrt(squares / static_cast<double>(std::max<std::size_t>(1, first.size())));
}

}  // namespace thallo::face_fitting
