#include "core/energy/vector_math.h"

#include <initializer_list>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.h"

namespace thallo {
namespace {

bool has_size(const Vec& v, std::size_t size, const char* what) {
  if (v.size() == size) return true;
  if (v.builder())
    v.builder()->report(
        {fmt::format("{} needs a vector of size {}, found size {}", what, size, v.size()), {}, {}});
  return false;
}

// The result of an operation on the numbers of the operands, each of its size.
template <class Operation>
Vec motion_of(std::initializer_list<std::pair<const Vec*, int>> operands,
              const Operation& operation) {
  EnergyBuilder* builder = nullptr;
  for (const auto& [operand, size] : operands) {
    if (!has_size(*operand, static_cast<std::size_t>(size), "a motion")) return *operand;
    if (builder == nullptr) builder = operand->builder();
  }
  THALLO_ASSERT(builder != nullptr, "an operation on motions of numbers alone");
  std::vector<std::vector<ExprId>> ids;
  for (const auto& [operand, size] : operands) {
    ids.emplace_back();
    for (const Expr& entry : *operand) ids.back().push_back(builder->id_of(entry));
  }
  std::vector<Expr> result;
  for (const ExprId id : operation(builder->graph(), ids)) result.emplace_back(builder, id);
  return result;
}

}  // namespace

Expr dot(const Vec& a, const Vec& b) {
  Expr result = 0;
  for (const Expr& product : a* b) result = result + product;
  return result;
}

Expr squared_norm(const Vec& a) { return dot(a, a); }
Expr norm(const Vec& a) { return sqrt(squared_norm(a)); }
Vec normalize(const Vec& a) { return a / norm(a); }

Vec cross(const Vec& a, const Vec& b) {
  if (!has_size(a, 3, "a cross product") || !has_size(b, 3, "a cross product")) return a;
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

Vec gemv(const Vec& matrix, const Vec& v) {
  if (v.size() == 0 || matrix.size() % v.size() != 0) {
    if (matrix.builder())
      matrix.builder()->report({fmt::format(
          "a matrix of {} elements cannot multiply a vector of {}", matrix.size(), v.size())});
    return v;
  }
  std::vector<Expr> rows;
  for (std::size_t row = 0; row < matrix.size(); row += v.size())
    rows.push_back(dot(matrix.slice(row, row + v.size()), v));
  return rows;
}

Vec rotate_2d(Expr angle, const Vec& v) {
  if (!has_size(v, 2, "a rotation in the plane")) return v;
  return gemv({cos(angle), -sin(angle), sin(angle), cos(angle)}, v);
}

Vec rotate_3d(const Vec& angles, const Vec& v) {
  if (!has_size(angles, 3, "a rotation by Euler angles") || !has_size(v, 3, "a rotation")) return v;
  const Expr ca = cos(angles[0]), cb = cos(angles[1]), cc = cos(angles[2]);
  const Expr sa = sin(angles[0]), sb = sin(angles[1]), sc = sin(angles[2]);
  return gemv({cc * cb, -sc * ca + cc * sb * sa, sc * sa + cc * sb * ca,  //
               sc * cb, cc * ca + sc * sb * sa, -cc * sa + sc * sb * ca,  //
               -sb, cb * sa, cb * ca},
              v);
}

Vec rotate_angle_axis(const Vec& w, const Vec& p) {
  if (!has_size(w, 3, "an angle-axis rotation") || !has_size(p, 3, "a rotation")) return p;
  const Expr theta2 = squared_norm(w);
  const Expr is_large = Expr(1e-8) < theta2;
  // Where w is small the other branch is taken, but the derivatives of this one must be finite too:
  // any theta but 0 will do there.
  const Expr theta = sqrt(select(is_large, theta2, 1.0));
  const Vec axis = w / theta;
  const Vec turned =
      p * cos(theta) + cross(axis, p) * sin(theta) + axis * (dot(axis, p) * (1 - cos(theta)));
  return select(is_large, turned, p + cross(w, p));
}

Vec compose(Manifold group, const Vec& a, const Vec& b) {
  return motion_of({{&a, stored_channels(group)}, {&b, stored_channels(group)}},
                   [&](ExprGraph& g, const auto& of) { return compose(g, group, of[0], of[1]); });
}
Vec inverse(Manifold group, const Vec& a) {
  return motion_of({{&a, stored_channels(group)}},
                   [&](ExprGraph& g, const auto& of) { return inverse(g, group, of[0]); });
}
Vec between(Manifold group, const Vec& a, const Vec& b) {
  return motion_of({{&a, stored_channels(group)}, {&b, stored_channels(group)}},
                   [&](ExprGraph& g, const auto& of) { return between(g, group, of[0], of[1]); });
}
Vec act(Manifold group, const Vec& a, const Vec& point) {
  return motion_of({{&a, stored_channels(group)}, {&point, point_channels(group)}},
                   [&](ExprGraph& g, const auto& of) { return act(g, group, of[0], of[1]); });
}
Vec exp(Manifold group, const Vec& step) {
  return motion_of({{&step, tangent_channels(group)}},
                   [&](ExprGraph& g, const auto& of) { return exp(g, group, of[0]); });
}
Vec log(Manifold group, const Vec& a) {
  return motion_of({{&a, stored_channels(group)}},
                   [&](ExprGraph& g, const auto& of) { return log(g, group, of[0]); });
}
Vec plus(Manifold manifold, const Vec& x, const Vec& step) {
  return motion_of({{&x, stored_channels(manifold)}, {&step, tangent_channels(manifold)}},
                   [&](ExprGraph& g, const auto& of) { return plus(g, manifold, of[0], of[1]); });
}
Vec minus(Manifold manifold, const Vec& y, const Vec& x) {
  return motion_of({{&y, stored_channels(manifold)}, {&x, stored_channels(manifold)}},
                   [&](ExprGraph& g, const auto& of) { return minus(g, manifold, of[0], of[1]); });
}

}  // namespace thallo
