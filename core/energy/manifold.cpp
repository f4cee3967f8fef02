#include "core/energy/manifold.h"

#include <array>
#include <cmath>
#include <cstddef>

#include "core/base/error.h"

namespace thallo {
namespace {

// An expression that computes like a number, so that each formula below is written once.
struct Symbol {
  ExprGraph* graph = nullptr;
  ExprId id;
};
Symbol operator+(Symbol a, Symbol b) { return {a.graph, a.graph->add(a.id, b.id)}; }
Symbol operator-(Symbol a, Symbol b) { return {a.graph, a.graph->sub(a.id, b.id)}; }
Symbol operator*(Symbol a, Symbol b) { return {a.graph, a.graph->mul(a.id, b.id)}; }
Symbol operator*(double a, Symbol b) { return {b.graph, b.graph->mul(b.graph->constant(a), b.id)}; }
Symbol reciprocal(Symbol a) { return {a.graph, a.graph->powi(a.id, -1)}; }
Symbol sqrt(Symbol a) { return {a.graph, a.graph->unary(Op::Sqrt, a.id)}; }
Symbol sin(Symbol a) { return {a.graph, a.graph->unary(Op::Sin, a.id)}; }
Symbol cos(Symbol a) { return {a.graph, a.graph->unary(Op::Cos, a.id)}; }
Symbol constant_like(Symbol a, double value) { return {a.graph, a.graph->constant(value)}; }
Symbol select_less(Symbol a, double limit, Symbol then_value, Symbol else_value) {
  const ExprId less = a.graph->binary(Op::Less, a.id, a.graph->constant(limit));
  return {a.graph, a.graph->select(less, then_value.id, else_value.id)};
}

using std::cos;
using std::sin;
using std::sqrt;
double reciprocal(double a) { return 1 / a; }
Rounded constant_like(const Rounded&, double value) { return Rounded::constant(value); }
double constant_like(double, double value) { return value; }
double select_less(double a, double limit, double then_value, double else_value) {
  return a < limit ? then_value : else_value;
}

template <class T>
using Three = std::array<T, 3>;
template <class T>
using Quaternion = std::array<T, 4>;  // x y z w

template <class T>
Three<T> cross(const Three<T>& a, const Three<T>& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

// R(q) v = v + 2 u × (u × v + w v), where u is the imaginary part of q.
template <class T>
Three<T> rotate(const Quaternion<T>& q, const Three<T>& v) {
  const Three<T> u = {q[0], q[1], q[2]};
  Three<T> inner = cross(u, v);
  for (std::size_t i = 0; i < 3; ++i) inner[i] = inner[i] + q[3] * v[i];
  const Three<T> outer = cross(u, inner);
  return {v[0] + 2.0 * outer[0], v[1] + 2.0 * outer[1], v[2] + 2.0 * outer[2]};
}

template <class T>
Quaternion<T> multiply(const Quaternion<T>& a, const Quaternion<T>& b) {
  return {a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1],
          a[3] * b[1] + a[1] * b[3] + a[2] * b[0] - a[0] * b[2],
          a[3] * b[2] + a[2] * b[3] + a[0] * b[1] - a[1] * b[0],
          a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2]};
}

// exp(φ/2), the quaternion of the rotation by |φ| about φ. Near 0 it is computed by series, whose
// next terms are below rounding there.
template <class T>
Quaternion<T> exp_half(const Three<T>& phi) {
  constexpr double Small = 1e-8;
  const T square = phi[0] * phi[0] + phi[1] * phi[1] + phi[2] * phi[2];
  const T angle = sqrt(square);
  const T half = 0.5 * angle;
  const T one = constant_like(square, 1);
  const T sine =
      select_less(square, Small, 0.5 * one - (1.0 / 48) * square, sin(half) * reciprocal(angle));
  const T cosine = select_less(square, Small, one - (1.0 / 8) * square, cos(half));
  return {sine * phi[0], sine * phi[1], sine * phi[2], cosine};
}

template <class T>
Quaternion<T> rotation_of(std::span<const T> pose) {
  return {pose[3], pose[4], pose[5], pose[6]};
}

template <class T>
std::vector<T> plus_of(Manifold pose, std::span<const T> x, std::span<const T> step) {
  if (pose == Manifold::SE2) {
    const T c = cos(x[2]);
    const T s = sin(x[2]);
    return {x[0] + c * step[0] - s * step[1], x[1] + s * step[0] + c * step[1], x[2] + step[2]};
  }
  const Quaternion<T> q = rotation_of(x);
  const Three<T> shift = rotate(q, Three<T>{step[0], step[1], step[2]});
  const Quaternion<T> turned = multiply(q, exp_half(Three<T>{step[3], step[4], step[5]}));
  T square = turned[0] * turned[0];
  for (std::size_t i = 1; i < 4; ++i) square = square + turned[i] * turned[i];
  const T scale = reciprocal(sqrt(square));
  return {x[0] + shift[0],   x[1] + shift[1],   x[2] + shift[2],  scale * turned[0],
          scale * turned[1], scale * turned[2], scale * turned[3]};
}

template <class T>
std::vector<T> basis_row_of(Manifold pose, std::span<const T> x, int channel) {
  const T zero = constant_like(x[0], 0);
  const T one = constant_like(x[0], 1);
  if (pose == Manifold::SE2) {
    const T c = cos(x[2]);
    const T s = sin(x[2]);
    if (channel == 0) return {c, zero - s, zero};
    if (channel == 1) return {s, c, zero};
    return {zero, zero, one};
  }
  const auto row = static_cast<std::size_t>(channel);
  const Quaternion<T> q = rotation_of(x);
  std::vector<T> result(6, zero);
  for (std::size_t k = 0; k < 3; ++k) {
    Quaternion<T> direction = {zero, zero, zero, zero};
    direction[k] = one;
    if (row < 3) {
      result[k] = rotate(q, Three<T>{direction[0], direction[1], direction[2]})[row];
    } else {
      result[3 + k] = 0.5 * multiply(q, direction)[row - 3];
    }
  }
  return result;
}

std::vector<Symbol> symbols_of(ExprGraph& graph, std::span<const ExprId> ids) {
  std::vector<Symbol> result;
  for (const ExprId id : ids) result.push_back({&graph, id});
  return result;
}

std::vector<ExprId> ids_of(const std::vector<Symbol>& symbols) {
  std::vector<ExprId> result;
  for (const Symbol& symbol : symbols) result.push_back(symbol.id);
  return result;
}

}  // namespace

int stored_channels(Manifold pose) {
  THALLO_ASSERT(pose != Manifold::Euclidean);
  return pose == Manifold::SE2 ? 3 : 7;
}

int tangent_channels(Manifold pose) {
  THALLO_ASSERT(pose != Manifold::Euclidean);
  return pose == Manifold::SE2 ? 3 : 6;
}

std::vector<double> plus(Manifold pose, std::span<const double> x, std::span<const double> step) {
  return plus_of(pose, x, step);
}

std::vector<ExprId> plus(ExprGraph& graph, Manifold pose, std::span<const ExprId> x,
                         std::span<const ExprId> step) {
  const std::vector<Symbol> at = symbols_of(graph, x);
  const std::vector<Symbol> by = symbols_of(graph, step);
  return ids_of(plus_of<Symbol>(pose, at, by));
}

std::vector<Rounded> tangent_basis_row(Manifold pose, std::span<const Rounded> x, int channel) {
  return basis_row_of(pose, x, channel);
}

std::vector<ExprId> tangent_basis_row(ExprGraph& graph, Manifold pose, std::span<const ExprId> x,
                                      int channel) {
  const std::vector<Symbol> at = symbols_of(graph, x);
  return ids_of(basis_row_of<Symbol>(pose, at, channel));
}

bool is_point(Manifold pose, std::span<const double> x) {
  if (pose != Manifold::SE3) return true;
  double square = 0;
  for (std::size_t i = 3; i < 7; ++i) square += x[i] * x[i];
  return std::abs(square - 1) <= QuaternionTolerance;
}

}  // namespace thallo
