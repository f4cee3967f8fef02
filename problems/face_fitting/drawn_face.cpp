#include "problems/face_fitting/drawn_face.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/base/random.h"

namespace thallo::face_fitting {
namespace {

using Displacement = std::array<double, 3>;

// A smooth hill over the face, seen from the front; on both sides unless it is in the middle.
struct Hill {
  double x, y, width, height, rise;
};

double hill(double x, double y, const Hill& h) {
  const auto one = [&](double center) {
    return std::exp(-std::pow((x - center) / h.width, 2) - std::pow((y - h.y) / h.height, 2));
  };
  return h.rise * (h.x == 0 ? one(0) : one(h.x) + one(-h.x));
}

constexpr double HalfWidth = 0.62;
constexpr double HalfHeight = 0.85;

// The depth at (x, y) of a face: the front of an egg, with the features of a face on it.
double depth(double x, double y) {
  constexpr Hill Features[] = {
      {0, -0.06, 0.085, 0.13, 0.16},      // nose
      {0, 0.14, 0.055, 0.16, 0.07},       // its bridge
      {0.24, 0.20, 0.13, 0.085, -0.085},  // sockets
      {0.24, 0.20, 0.075, 0.05, 0.045},   // eyes
      {0.24, 0.35, 0.17, 0.05, 0.035},    // brows
      {0.30, -0.12, 0.16, 0.14, 0.04},    // cheeks
      {0, -0.31, 0.15, 0.035, 0.05},      // upper lip
      {0, -0.42, 0.12, 0.04, 0.05},       // lower lip
      {0, -0.365, 0.16, 0.018, -0.03},    // between the lips
      {0, -0.63, 0.15, 0.10, 0.06},       // chin
  };
  const double u = x / HalfWidth;
  const double v = y / HalfHeight;
  double z = 0.55 * std::sqrt(std::max(0.0, 1 - 0.95 * (u * u + v * v)));
  for (const Hill& feature : Features) z += hill(x, y, feature);
  return z;
}

struct Expression {
  double x, y, radius;
  Displacement to;
};
constexpr Expression Expressions[] = {
    {0, -0.52, 0.22, {0, -0.14, -0.02}},       // open jaw
    {0.17, -0.36, 0.13, {0.06, 0.08, -0.02}},  // smile, one side, then the other
    {-0.17, -0.36, 0.13, {-0.06, 0.08, -0.02}},
    {0.24, 0.36, 0.16, {0, 0.09, 0.02}},  // raised brows
    {-0.24, 0.36, 0.16, {0, 0.09, 0.02}},
    {0, -0.36, 0.14, {0, 0, 0.10}},        // pursed lips
    {0.32, -0.18, 0.15, {0.03, 0, 0.08}},  // cheeks full of air
    {-0.32, -0.18, 0.15, {-0.03, 0, 0.08}},
};

Displacement expression(const Expression& e, double x, double y) {
  const double share =
      std::exp(-(std::pow(x - e.x, 2) + std::pow(y - e.y, 2)) / (e.radius * e.radius));
  return {share * e.to[0], share * e.to[1], share * e.to[2]};
}

// A wave over the face, the same on both sides. The higher its number, the shorter and the lower it
// is.
struct Wave {
  Wave(int number, Random& random) {
    frequency = {random.uniform(1, 2 + 0.3 * number), random.uniform(1, 2 + 0.3 * number)};
    phase = random.uniform(0, 2 * std::numbers::pi);
    for (double& c : to) c = random.normal() * 0.05 / (1 + 0.15 * number);
  }
  Displacement operator()(double x, double y) const {
    const double u = frequency[0] * x / HalfWidth;
    const double along = std::cos(frequency[1] * y / HalfHeight + phase);
    return {std::sin(u) * along * to[0], std::cos(u) * along * to[1], std::cos(u) * along * to[2]};
  }

  std::array<double, 2> frequency{};
  double phase = 0;
  Displacement to{};
};

Mesh make_mask(int across) {
  const int down = across * 4 / 3;
  Mesh mesh;
  for (int j = 0; j < down; ++j) {
    for (int i = 0; i < across; ++i) {
      // Maps the square onto an ellipse.
      const double u = 2.0 * i / (across - 1) - 1;
      const double v = 2.0 * j / (down - 1) - 1;
      const double x = HalfWidth * u * std::sqrt(1 - v * v / 2);
      const double y = HalfHeight * v * std::sqrt(1 - u * u / 2);
      mesh.positions.push_back({x, y, depth(x, y)});
    }
  }
  const auto vertex = [&](int i, int j) { return std::int32_t{j * across + i}; };
  for (int j = 0; j + 1 < down; ++j) {
    for (int i = 0; i + 1 < across; ++i) {
      mesh.triangles.push_back({vertex(i, j), vertex(i + 1, j), vertex(i + 1, j + 1)});
      mesh.triangles.push_back({vertex(i, j), vertex(i + 1, j + 1), vertex(i, j + 1)});
    }
  }
  return mesh;
}

}  // namespace

FaceModel make_face(int across, int num_shapes) {
  constexpr std::uint64_t FamilySeed = 12;
  const int num_expressions = std::min(8, num_shapes / 3);
  FaceModel model{.average = make_mask(across)};
  Random random(FamilySeed);
  const auto add_shape = [&](bool is_expression, const auto& shape) {
    model.is_expression.push_back(is_expression);
    for (const auto& p : model.average.positions) {
      for (const double c : shape(p[0], p[1])) {
        model.displacements.push_back(static_cast<float>(c));
      }
    }
  };
  for (int m = 0; m < num_shapes - num_expressions; ++m) add_shape(false, Wave(m, random));
  for (int m = 0; m < num_expressions; ++m) {
    add_shape(true, [&](double x, double y) { return expression(Expressions[m], x, y); });
  }
  normalize(model);
  return model;
}

}  // namespace thallo::face_fitting
