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
Symbol atan2(Symbol y, Symbol x) { return {y.graph, y.graph->binary(Op::Atan2, y.id, x.id)}; }
Symbol constant_like(Symbol a, double value) { return {a.graph, a.graph->constant(value)}; }
Symbol select_less(Symbol a, double limit, Symbol then_value, Symbol else_value) {
  const ExprId less = a.graph->binary(Op::Less, a.id, a.graph->constant(limit));
  return {a.graph, a.graph->select(less, then_value.id, else_value.id)};
}

using std::atan2;
using std::cos;
using std::sin;
using std::sqrt;
double reciprocal(double a) { return 1 / a; }
Rounded reciprocal(const Rounded& a) { return Rounded::factor(1) / a; }
Rounded constant_like(const Rounded&, double value) { return Rounded::constant(value); }
double constant_like(double, double value) { return value; }
Rounded select_less(const Rounded& a, double limit, const Rounded& then_value,
                    const Rounded& else_value) {
  return a.value < limit ? then_value : else_value;
}
double select_less(double a, double limit, double then_value, double else_value) {
  return a < limit ? then_value : else_value;
}

// Limits below which functions of an angle are computed by series, whose next terms are below
// rounding there: of sines and of their quotients by powers of the angle.
constexpr double SmallSquare = 1e-8, SmallPower = 1e-4;

template <class T>
using Values = std::vector<T>;
template <class T>
using Span = std::span<const T>;

template <class T>
Values<T> scaled(const T& factor, Span<T> v) {
  Values<T> result;
  for (const T& entry : v) result.push_back(factor * entry);
  return result;
}
template <class T>
Values<T> sum(Span<T> a, Span<T> b) {
  Values<T> result;
  for (std::size_t i = 0; i < a.size(); ++i) result.push_back(a[i] + b[i]);
  return result;
}
template <class T>
T dot(Span<T> a, Span<T> b) {
  T result = a[0] * b[0];
  for (std::size_t i = 1; i < a.size(); ++i) result = result + a[i] * b[i];
  return result;
}
template <class T>
Values<T> joined(Values<T> a, const Values<T>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}
template <class T>
Values<T> of_length_1(const Values<T>& v) {
  return scaled<T>(reciprocal(sqrt(dot<T>(v, v))), v);
}

template <class T>
Values<T> cross(Span<T> a, Span<T> b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

// Rotations are an angle or a quaternion x y z w.

template <class T>
Values<T> rotate(Span<T> q, Span<T> v) {
  if (q.size() == 1) {
    const T c = cos(q[0]), s = sin(q[0]);
    return {c * v[0] - s * v[1], s * v[0] + c * v[1]};
  }
  // v + 2 u x (u x v + w v), where u is the imaginary part of q
  const Span<T> u = q.first(3);
  const Values<T> inner = sum<T>(cross(u, v), scaled<T>(q[3], v)), outer = cross<T>(u, inner);
  return {v[0] + 2.0 * outer[0], v[1] + 2.0 * outer[1], v[2] + 2.0 * outer[2]};
}

template <class T>
Values<T> multiply(Span<T> a, Span<T> b) {
  if (a.size() == 1) return {a[0] + b[0]};
  return {a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1],
          a[3] * b[1] + a[1] * b[3] + a[2] * b[0] - a[0] * b[2],
          a[3] * b[2] + a[2] * b[3] + a[0] * b[1] - a[1] * b[0],
          a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2]};
}

template <class T>
Values<T> conjugate(Span<T> q) {
  Values<T> result = scaled(constant_like(q[0], -1), q);
  if (q.size() == 4) result[3] = q[3];
  return result;
}

// The rotation by φ, or by |φ| about φ: exp(φ/2) as a quaternion.
template <class T>
Values<T> rotation_by(Span<T> phi) {
  if (phi.size() == 1) return {phi[0]};
  const T square = dot(phi, phi);
  const T angle = sqrt(square);
  const T half = 0.5 * angle;
  const T one = constant_like(square, 1);
  const T sine = select_less(square, SmallSquare, 0.5 * one - (1.0 / 48) * square,
                             sin(half) * reciprocal(angle));
  const T cosine = select_less(square, SmallSquare, one - (1.0 / 8) * square, cos(half));
  return joined(scaled(sine, phi), {cosine});
}

// atan(s / c) / s, where s is the root of `square` and c is not negative where it is small.
template <class T>
T angle_over_sine(const T& square, const T& c) {
  const T s = sqrt(square), inverse = reciprocal(c);
  const T series = inverse - (1.0 / 3) * (square * (inverse * inverse * inverse));
  return select_less(square, SmallSquare, series, atan2(s, c) * reciprocal(s));
}

// Its inverse, at most π. q and -q are the same rotation.
template <class T>
Values<T> angle_of(Span<T> q) {
  if (q.size() == 1) return {atan2(sin(q[0]), cos(q[0]))};
  const Span<T> u = q.first(3);
  const T one = constant_like(q[0], 1);
  const T sign = select_less(q[3], 0, -1.0 * one, one);
  return scaled(2.0 * sign * angle_over_sine<T>(dot(u, u), sign * q[3]), u);
}

// v + a (φ x v) + b (φ x (φ x v)), in the plane with a quarter turn times φ for φ x.
template <class T>
Values<T> bent(Span<T> phi, const T& a, const T& b, Span<T> v) {
  const auto turned = [&](Span<T> w) {
    if (phi.size() == 3) return cross(phi, w);
    return Values<T>{-1.0 * phi[0] * w[1], phi[0] * w[0]};
  };
  const Values<T> once = turned(v), twice = turned(once);
  return sum<T>(sum<T>(v, scaled<T>(a, once)), scaled<T>(b, twice));
}

// The shift of a motion whose velocity is v while it turns by φ, and the velocity of a shift.
template <class T>
Values<T> shift_of(Span<T> phi, Span<T> v) {
  const T square = dot(phi, phi), angle = sqrt(square), one = constant_like(square, 1);
  const T inverse = reciprocal(angle), half_sine = sin(0.5 * angle) * inverse;
  const T a = select_less(square, SmallPower,
                          0.5 * one - (1.0 / 24) * square + (1.0 / 720) * (square * square),
                          2.0 * (half_sine * half_sine));
  const T b = select_less(square, SmallPower,
                          (1.0 / 6) * one - (1.0 / 120) * square + (1.0 / 5040) * (square * square),
                          (one - sin(angle) * inverse) * (inverse * inverse));
  return bent(phi, a, b, v);
}
template <class T>
Values<T> velocity_of(Span<T> phi, Span<T> shift) {
  const T square = dot(phi, phi), angle = sqrt(square), one = constant_like(square, 1);
  const T half = 0.5 * angle, inverse = reciprocal(angle);
  const T b =
      select_less(square, SmallPower,
                  (1.0 / 12) * one + (1.0 / 720) * square + (1.0 / 30240) * (square * square),
                  (one - half * cos(half) * reciprocal(sin(half))) * (inverse * inverse));
  return bent(phi, -0.5 * one, b, shift);
}

// A motion, or a step, in parts. SO3 has no shift.
template <class T>
struct Parts {
  Parts(Manifold group, Span<T> x)
      : shift(x.first(static_cast<std::size_t>(shift_channels(group)))),
        rotation(x.subspan(shift.size())) {}
  Span<T> shift, rotation;
};

template <class T>
Values<T> moved(const Parts<T>& a, Span<T> point) {
  const Values<T> turned = rotate(a.rotation, point);
  return a.shift.empty() ? turned : sum<T>(a.shift, turned);
}
// The shift of a motion that follows `a`, which has none if `a` has none.
template <class T>
Values<T> moved_shift(const Parts<T>& a, Span<T> shift) {
  return shift.empty() ? Values<T>() : moved(a, shift);
}

template <class T>
Values<T> compose_of(Manifold group, Span<T> x, Span<T> y) {
  const Parts<T> a(group, x), b(group, y);
  return joined(moved_shift(a, b.shift), multiply(a.rotation, b.rotation));
}

template <class T>
Values<T> between_of(Manifold group, Span<T> x, Span<T> y) {
  const Parts<T> a(group, x), b(group, y);
  const Values<T> back = conjugate(a.rotation);
  Values<T> way;
  for (std::size_t i = 0; i < b.shift.size(); ++i) way.push_back(b.shift[i] - a.shift[i]);
  if (!way.empty()) way = rotate<T>(back, way);
  return joined(way, multiply<T>(back, b.rotation));
}

template <class T>
Values<T> inverse_of(Manifold group, Span<T> x) {
  const Parts<T> a(group, x);
  const Values<T> back = conjugate(a.rotation);
  if (a.shift.empty()) return back;
  return joined(scaled<T>(constant_like(x[0], -1), rotate<T>(back, a.shift)), back);
}

template <class T>
Values<T> exp_of(Manifold group, Span<T> step) {
  const Parts<T> by(group, step);
  const Values<T> rotation = rotation_by(by.rotation);
  return by.shift.empty() ? rotation : joined(shift_of(by.rotation, by.shift), rotation);
}

template <class T>
Values<T> log_of(Manifold group, Span<T> x) {
  const Parts<T> a(group, x);
  const Values<T> phi = angle_of(a.rotation);
  return a.shift.empty() ? phi : joined(velocity_of<T>(phi, a.shift), phi);
}

// Two directions that are orthogonal to the direction x and to each other (T. Duff et al., Building
// an Orthonormal Basis, Revisited, JCGT 2017).
template <class T>
std::array<Values<T>, 2> tangents(Span<T> x) {
  const T one = constant_like(x[0], 1), none = constant_like(x[0], 0);
  const T sign = select_less(x[2], 0, none - one, one);
  const T a = (none - one) * reciprocal(sign + x[2]);
  const T b = x[0] * x[1] * a;
  return {Values<T>{one + sign * (x[0] * x[0] * a), sign * b, none - sign * x[0]},
          Values<T>{b, sign + x[1] * x[1] * a, none - x[1]}};
}

template <class T>
Values<T> plus_of(Manifold pose, Span<T> x, Span<T> step) {
  if (pose == Manifold::S2) {
    // Of twice the step, this is the rotation by its length about it.
    const auto [u, v] = tangents(x);
    const Values<T> turn =
        rotation_by<T>(Values<T>{2.0 * step[0], 2.0 * step[1], constant_like(x[0], 0)});
    const Values<T> way = sum<T>(scaled<T>(turn[0], u), scaled<T>(turn[1], v));
    return of_length_1(sum<T>(scaled(turn[3], x), way));
  }
  const Parts<T> at(pose, x), by(pose, step);
  Values<T> rotation = multiply<T>(at.rotation, rotation_by(by.rotation));
  if (rotation.size() > 1) rotation = of_length_1(rotation);
  return joined(moved_shift(at, by.shift), rotation);
}

template <class T>
Values<T> minus_of(Manifold pose, Span<T> y, Span<T> x) {
  if (pose == Manifold::S2) {
    const auto [u, v] = tangents(x);
    const Values<T> way = {dot<T>(u, y), dot<T>(v, y)};
    return scaled<T>(angle_over_sine<T>(dot<T>(way, way), dot(x, y)), way);
  }
  const Values<T> way = between_of(pose, x, y);
  const Parts<T> parts(pose, way);
  return joined(Values<T>(parts.shift.begin(), parts.shift.end()), angle_of(parts.rotation));
}

template <class T>
Values<T> basis_row_of(Manifold pose, Span<T> x, int channel) {
  const auto row = static_cast<std::size_t>(channel);
  if (pose == Manifold::S2) {
    const auto [u, v] = tangents(x);
    return {u[row], v[row]};
  }
  const T zero = constant_like(x[0], 0), one = constant_like(x[0], 1);
  const Parts<T> at(pose, x);
  Values<T> result;
  for (std::size_t k = 0; k < at.shift.size(); ++k) {
    Values<T> direction(at.shift.size(), zero);
    direction[k] = one;
    result.push_back(row < at.shift.size() ? rotate<T>(at.rotation, direction)[row] : zero);
  }
  const bool is_shift = row < at.shift.size();
  if (at.rotation.size() == 1) return joined(result, {is_shift ? zero : one});
  for (std::size_t k = 0; k < 3; ++k) {
    Values<T> direction(4, zero);
    direction[k] = one;
    result.push_back(is_shift ? zero
                              : 0.5 * multiply<T>(at.rotation, direction)[row - at.shift.size()]);
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
  switch (pose) {
    case Manifold::SE2:
    case Manifold::S2: return 3;
    case Manifold::SE3: return 7;
    case Manifold::SO3: return 4;
    case Manifold::Euclidean: break;
  }
  THALLO_UNREACHABLE();
}

int tangent_channels(Manifold pose) {
  return stored_channels(pose) - (first_of_unit(pose) ? 1 : 0);
}

int shift_channels(Manifold pose) {
  return pose == Manifold::SE2 ? 2 : pose == Manifold::SE3 ? 3 : 0;
}

std::optional<int> first_of_unit(Manifold pose) {
  return pose == Manifold::SE2 ? std::nullopt : std::optional(shift_channels(pose));
}

bool is_group(Manifold manifold) {
  return manifold != Manifold::Euclidean && manifold != Manifold::S2;
}

int point_channels(Manifold group) { return group == Manifold::SE2 ? 2 : 3; }

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

std::vector<ExprId> minus(ExprGraph& graph, Manifold pose, Exprs y, Exprs x) {
  return ids_of(minus_of<Symbol>(pose, symbols_of(graph, y), symbols_of(graph, x)));
}
std::vector<ExprId> compose(ExprGraph& graph, Manifold group, Exprs a, Exprs b) {
  return ids_of(compose_of<Symbol>(group, symbols_of(graph, a), symbols_of(graph, b)));
}
std::vector<ExprId> inverse(ExprGraph& graph, Manifold group, Exprs a) {
  return ids_of(inverse_of<Symbol>(group, symbols_of(graph, a)));
}
std::vector<ExprId> between(ExprGraph& graph, Manifold group, Exprs a, Exprs b) {
  return ids_of(between_of<Symbol>(group, symbols_of(graph, a), symbols_of(graph, b)));
}
std::vector<ExprId> act(ExprGraph& graph, Manifold group, Exprs a, Exprs point) {
  const std::vector<Symbol> motion = symbols_of(graph, a);
  return ids_of(moved<Symbol>(Parts<Symbol>(group, motion), symbols_of(graph, point)));
}
std::vector<ExprId> exp(ExprGraph& graph, Manifold group, Exprs step) {
  return ids_of(exp_of<Symbol>(group, symbols_of(graph, step)));
}
std::vector<ExprId> log(ExprGraph& graph, Manifold group, Exprs a) {
  return ids_of(log_of<Symbol>(group, symbols_of(graph, a)));
}

bool is_point(Manifold pose, std::span<const double> x) {
  const std::optional<int> first = first_of_unit(pose);
  if (!first) return true;
  const Span<double> unit = x.subspan(static_cast<std::size_t>(*first));
  return std::abs(dot(unit, unit) - 1) <= QuaternionTolerance;
}

}  // namespace thallo
