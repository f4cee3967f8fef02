#include "tests/support/eigen_pose_graph.h"

#include <Eigen/Core>
#include <Eigen/SparseCholesky>
#include <Eigen/SparseCore>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <type_traits>
#include <vector>

namespace thallo::test {
namespace {

using Eigen::VectorXd;
using Matrix = Eigen::SparseMatrix<double>;
using std::cos;
using std::sin;

// A value and its derivatives by the steps of both poses of an edge.
template <int N>
struct Jet {
  double v = 0;
  Eigen::Matrix<double, N, 1> d = Eigen::Matrix<double, N, 1>::Zero();

  friend Jet operator+(const Jet& a, const Jet& b) { return {a.v + b.v, a.d + b.d}; }
  friend Jet operator-(const Jet& a, const Jet& b) { return {a.v - b.v, a.d - b.d}; }
  friend Jet operator-(const Jet& a) { return {-a.v, -a.d}; }
  friend Jet operator*(const Jet& a, const Jet& b) { return {a.v * b.v, a.d * b.v + a.v * b.d}; }
  friend Jet operator*(double a, const Jet& b) { return {a * b.v, a * b.d}; }
  friend Jet cos(const Jet& a) { return {std::cos(a.v), -std::sin(a.v) * a.d}; }
  friend Jet sin(const Jet& a) { return {std::sin(a.v), std::cos(a.v) * a.d}; }
};

template <class T>
std::array<T, 4> multiply(const std::array<T, 4>& a, const std::array<T, 4>& b) {
  return {a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1],
          a[3] * b[1] - a[0] * b[2] + a[1] * b[3] + a[2] * b[0],
          a[3] * b[2] + a[0] * b[1] - a[1] * b[0] + a[2] * b[3],
          a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2]};
}
template <class T>
std::array<T, 3> rotate(const std::array<T, 4>& q, const std::array<T, 3>& p) {
  const std::array<T, 4> conjugate{-q[0], -q[1], -q[2], q[3]};
  const auto r = multiply(multiply(q, {p[0], p[1], p[2], T{}}), conjugate);
  return {r[0], r[1], r[2]};
}

// B in the frame of A: x y θ, or x y z qx qy qz qw.
template <class T>
std::array<T, 3> between(const std::array<T, 3>& a, const std::array<T, 3>& b) {
  const T c = cos(a[2]), s = sin(a[2]), x = b[0] - a[0], y = b[1] - a[1];
  return {c * x + s * y, c * y - s * x, b[2] - a[2]};
}
template <class T>
std::array<T, 7> between(const std::array<T, 7>& a, const std::array<T, 7>& b) {
  const std::array<T, 4> back{-a[3], -a[4], -a[5], a[6]};
  const auto t = rotate(back, std::array<T, 3>{b[0] - a[0], b[1] - a[1], b[2] - a[2]});
  const auto q = multiply(back, std::array<T, 4>{b[3], b[4], b[5], b[6]});
  return {t[0], t[1], t[2], q[0], q[1], q[2], q[3]};
}

// X ⊞ δ (core/energy/manifold.h), to first order where T has derivatives.
template <class T>
std::array<T, 3> plus(const std::array<T, 3>& x, const std::array<T, 3>& step) {
  const T c = cos(x[2]), s = sin(x[2]);
  return {x[0] + c * step[0] - s * step[1], x[1] + s * step[0] + c * step[1], x[2] + step[2]};
}
template <class T>
std::array<T, 7> plus(const std::array<T, 7>& x, const std::array<T, 6>& step) {
  const std::array<T, 4> q{x[3], x[4], x[5], x[6]};
  const auto t = rotate(q, std::array<T, 3>{step[0], step[1], step[2]});
  std::array<T, 4> turn{0.5 * step[3], 0.5 * step[4], 0.5 * step[5], T{1}};
  if constexpr (std::is_same_v<T, double>) {
    const double half = std::sqrt(turn[0] * turn[0] + turn[1] * turn[1] + turn[2] * turn[2]);
    const double ratio = half > 0 ? std::sin(half) / half : 1;
    turn = {ratio * turn[0], ratio * turn[1], ratio * turn[2], std::cos(half)};
  }
  const auto r = multiply(q, turn);
  return {x[0] + t[0], x[1] + t[1], x[2] + t[2], r[0], r[1], r[2], r[3]};
}

template <int Tangent>
class Solver {
 public:
  Solver(const PoseGraph& graph, const SolverOptions& options) : graph_(graph), o_(options) {
    free_ = VectorXd::Ones(Tangent * static_cast<Eigen::Index>(graph.num_vertices()));
    const std::vector<std::int32_t> first{0};
    for (const std::int32_t vertex : graph.fixed.empty() ? first : graph.fixed)
      free_.segment<Tangent>(Tangent * vertex).setZero();
  }

  EigenResult solve() {
    const auto start = std::chrono::steady_clock::now();
    std::vector<double> x = graph_.poses;
    double cost = cost_of(x), radius = o_.trust_region_radius, factor = o_.radius_decrease_factor;
    EigenResult result{.initial_cost = cost, .final_cost = cost};
    Eigen::SimplicialLDLT<Matrix> factorization;
    Matrix h;
    VectorXd b, scale;
    bool is_linearized = false;
    while (result.num_iterations < o_.num_iterations) {
      if (!is_linearized) linearize(x, h, b);
      if (scale.size() == 0) {
        factorization.analyzePattern(h);
        scale = (1 + h.diagonal().array().sqrt()).square();
      }
      is_linearized = true;
      const VectorXd damping = h.diagonal()
                                   .array()
                                   .max(o_.min_lm_diagonal * scale.array())
                                   .min(o_.max_lm_diagonal * scale.array()) /
                               radius;
      Matrix damped = h;
      damped.diagonal() += damping;
      factorization.factorize(damped);
      const VectorXd step = factorization.solve(b);
      const std::vector<double> trial = moved(x, step);
      const double next = cost_of(trial), change = cost - next;
      const double promised = 0.5 * step.dot(b) + 0.5 * step.dot(damping.cwiseProduct(step));
      ++result.num_iterations;
      if (change >= 0 && promised > 0 && change / promised > o_.min_relative_decrease) {
        x = trial;
        is_linearized = false;
        const double before = cost;
        result.final_cost = cost = next;
        if (change <= *o_.effective_function_tolerance() * before) break;
        factor = o_.radius_decrease_factor;
        radius /= std::max(1.0 / 3, 1 - std::pow(2 * change / promised - 1, 3));
        radius = std::min(radius, o_.max_trust_region_radius);
      } else {
        radius /= factor;
        factor *= 2;
      }
    }
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    result.seconds = seconds.count();
    return result;
  }

 private:
  using J = Jet<2 * Tangent>;
  using Information = Eigen::Matrix<double, Tangent, Tangent>;
  static constexpr std::size_t Size = Tangent == 3 ? 3 : 7;
  template <class T>
  using Pose = std::array<T, Size>;

  Information information(std::size_t edge) const {
    return Eigen::Map<const Information>(graph_.information.data() + edge * Tangent * Tangent);
  }

  template <class T>
  Pose<T> measured(std::size_t edge) const {
    Pose<T> z;
    for (std::size_t c = 0; c < Size; ++c) z[c] = T{graph_.measurements[edge * Size + c]};
    return z;
  }

  // What a quaternion or an angle says of a rotation, twice its imaginary part.
  template <class T>
  static std::array<T, Tangent> error(const Pose<T>& d, double last) {
    std::array<T, Tangent> e;
    for (std::size_t c = 0; c < Tangent; ++c) e[c] = d[c];
    if constexpr (Tangent == 6) {
      for (std::size_t c = 3; c < 6; ++c) e[c] = (last < 0 ? -2.0 : 2.0) * e[c];
    }
    return e;
  }

  double cost_of(const std::vector<double>& x) const {
    double cost = 0;
    for (std::size_t edge = 0; edge < graph_.num_edges(); ++edge) {
      const auto [i, j] = graph_.edges[edge];
      const auto d = between(measured<double>(edge), between(pose(x, i), pose(x, j)));
      auto e = error(d, d.back());
      if constexpr (Tangent == 3) e[2] = std::atan2(std::sin(e[2]), std::cos(e[2]));
      const Eigen::Map<const Eigen::Matrix<double, Tangent, 1>> r(e.data());
      cost += 0.5 * r.dot(information(edge) * r);
    }
    return cost;
  }

  static Pose<double> pose(const std::vector<double>& x, std::int32_t vertex) {
    Pose<double> result;
    std::copy_n(x.begin() + static_cast<std::ptrdiff_t>(Size) * vertex, Size, result.begin());
    return result;
  }

  // The pose with its derivatives by its step, which are numbers `first` ... of the edge's.
  static Pose<J> jets(const std::vector<double>& x, std::int32_t vertex, int first) {
    Pose<J> at;
    const Pose<double> values = pose(x, vertex);
    for (std::size_t c = 0; c < Size; ++c) at[c].v = values[c];
    std::array<J, Tangent> step;
    for (int k = 0; k < Tangent; ++k) step[static_cast<std::size_t>(k)].d[first + k] = 1;
    return plus(at, step);
  }

  void linearize(const std::vector<double>& x, Matrix& h, VectorXd& b) const {
    std::vector<Eigen::Triplet<double>> triplets;
    triplets.reserve(graph_.num_edges() * 4 * Tangent * Tangent);
    b = VectorXd::Zero(free_.size());
    for (std::size_t edge = 0; edge < graph_.num_edges(); ++edge) {
      const auto [i, j] = graph_.edges[edge];
      const auto d = between(measured<J>(edge), between(jets(x, i, 0), jets(x, j, Tangent)));
      auto e = error(d, d.back().v);
      if constexpr (Tangent == 3) e[2].v = std::atan2(std::sin(e[2].v), std::cos(e[2].v));
      Eigen::Matrix<double, Tangent, 1> r;
      Eigen::Matrix<double, Tangent, 2 * Tangent> jacobian;
      for (int c = 0; c < Tangent; ++c) {
        r[c] = e[static_cast<std::size_t>(c)].v;
        jacobian.row(c) = e[static_cast<std::size_t>(c)].d.transpose();
      }
      jacobian.template leftCols<Tangent>() *= free_[Tangent * i];
      jacobian.template rightCols<Tangent>() *= free_[Tangent * j];
      const auto weighted = (jacobian.transpose() * information(edge)).eval();
      const auto block = (weighted * jacobian).eval();
      const auto gradient = (weighted * r).eval();
      const auto column = [&](int k) {
        return k < Tangent ? Tangent * i + k : Tangent * j + k - Tangent;
      };
      for (int k = 0; k < 2 * Tangent; ++k) {
        b[column(k)] -= gradient[k];
        for (int l = 0; l < 2 * Tangent; ++l) {
          if (column(k) >= column(l)) triplets.emplace_back(column(k), column(l), block(k, l));
        }
      }
    }
    for (Eigen::Index k = 0; k < free_.size(); ++k) {
      if (free_[k] == 0) triplets.emplace_back(k, k, 1.0);
    }
    h.resize(free_.size(), free_.size());
    h.setFromTriplets(triplets.begin(), triplets.end());
  }

  std::vector<double> moved(const std::vector<double>& x, const VectorXd& step) const {
    std::vector<double> result;
    result.reserve(x.size());
    for (std::int32_t vertex = 0; vertex < static_cast<std::int32_t>(graph_.num_vertices());
         ++vertex) {
      std::array<double, Tangent> by;
      std::copy_n(step.data() + Tangent * vertex, Tangent, by.begin());
      const Pose<double> next = plus(pose(x, vertex), by);
      result.insert(result.end(), next.begin(), next.end());
    }
    return result;
  }

  const PoseGraph& graph_;
  const SolverOptions& o_;
  VectorXd free_;
};

}  // namespace

EigenResult minimize_pose_graph_with_eigen(const PoseGraph& graph, const SolverOptions& options) {
  return graph.dimension == 2 ? Solver<3>(graph, options).solve()
                              : Solver<6>(graph, options).solve();
}

}  // namespace thallo::test
