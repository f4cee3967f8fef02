#include "tests/support/ceres_pose_graph.h"

#include <ceres/ceres.h>
#include <ceres/manifold.h>

#include <Eigen/Cholesky>
#include <Eigen/Geometry>

#include <cstddef>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "tests/support/ceres_solve.h"

namespace thallo::test {
namespace {

template <int Size>
using Root = Eigen::Matrix<double, Size, Size, Eigen::RowMajor>;

template <int Size>
Root<Size> root_of(const double* information) {
  const Root<Size> matrix = Eigen::Map<const Root<Size>>(information);
  const Eigen::LLT<Eigen::Matrix<double, Size, Size>> factor(matrix);
  THALLO_ASSERT(factor.info() == Eigen::Success);
  return factor.matrixU();
}

struct PlanarEdge {
  Eigen::Vector3d measured;
  Root<3> root;

  template <class T>
  bool operator()(const T* a, const T* b, T* residuals) const {
    using Vector2 = Eigen::Matrix<T, 2, 1>;
    const Vector2 shift(b[0] - a[0], b[1] - a[1]);
    const Vector2 seen = Eigen::Rotation2D<T>(-a[2]) * shift;
    const T back(-measured[2]);
    const Vector2 error =
        Eigen::Rotation2D<T>(back) * Vector2(seen[0] - measured[0], seen[1] - measured[1]);
    T angle = b[2] - a[2] - measured[2];
    angle -= ceil((angle - M_PI) / (2 * M_PI)) * (2 * M_PI);
    const Eigen::Matrix<T, 3, 1> all(error[0], error[1], angle);
    Eigen::Map<Eigen::Matrix<T, 3, 1>> out(residuals);
    out = root.template cast<T>() * all;
    return true;
  }
};

struct SpatialEdge {
  Eigen::Vector3d shift;
  Eigen::Quaterniond turn;
  Root<6> root;

  template <class T>
  bool operator()(const T* ta, const T* qa, const T* tb, const T* qb, T* residuals) const {
    using Vector3 = Eigen::Matrix<T, 3, 1>;
    const Eigen::Map<const Vector3> at(ta);
    const Eigen::Map<const Vector3> bt(tb);
    const Eigen::Map<const Eigen::Quaternion<T>> aq(qa);
    const Eigen::Map<const Eigen::Quaternion<T>> bq(qb);
    const Eigen::Quaternion<T> measured = turn.cast<T>();
    const Vector3 seen = aq.conjugate() * (bt - at);
    Eigen::Quaternion<T> error = measured.conjugate() * (aq.conjugate() * bq);
    if (error.w() < T(0)) error.coeffs() = -error.coeffs();
    Eigen::Matrix<T, 6, 1> all;
    all.template head<3>() = measured.conjugate() * (seen - shift.cast<T>());
    all.template tail<3>() = T(2) * error.vec();
    Eigen::Map<Eigen::Matrix<T, 6, 1>> out(residuals);
    out = root.template cast<T>() * all;
    return true;
  }
};

void add_edge(ceres::Problem& problem, const PoseGraph& graph, std::size_t e,
              std::vector<double>& poses) {
  const std::size_t size = graph.pose_size();
  double* a = poses.data() + size * static_cast<std::size_t>(graph.edges[e][0]);
  double* b = poses.data() + size * static_cast<std::size_t>(graph.edges[e][1]);
  const double* z = graph.measurements.data() + size * e;
  const double* information =
      graph.information.data() + graph.tangent_size() * graph.tangent_size() * e;
  if (graph.dimension == 2) {
    problem.AddResidualBlock(new ceres::AutoDiffCostFunction<PlanarEdge, 3, 3, 3>(new PlanarEdge{
                                 Eigen::Vector3d(z[0], z[1], z[2]), root_of<3>(information)}),
                             nullptr, a, b);
  } else {
    problem.AddResidualBlock(
        new ceres::AutoDiffCostFunction<SpatialEdge, 6, 3, 4, 3, 4>(
            new SpatialEdge{Eigen::Vector3d(z[0], z[1], z[2]),
                            Eigen::Quaterniond(z[6], z[3], z[4], z[5]), root_of<6>(information)}),
        nullptr, a, a + 3, b, b + 3);
  }
}

}  // namespace

CeresResult minimize_pose_graph_with_ceres(const PoseGraph& graph, const CeresOptions& options) {
  std::vector<double> poses = graph.poses;
  ceres::Problem problem;
  for (std::size_t e = 0; e < graph.num_edges(); ++e) add_edge(problem, graph, e, poses);
  const auto hold = [&](std::size_t vertex) {
    double* pose = poses.data() + graph.pose_size() * vertex;
    problem.SetParameterBlockConstant(pose);
    if (graph.dimension == 3) problem.SetParameterBlockConstant(pose + 3);
  };
  if (graph.fixed.empty()) hold(0);
  for (const std::int32_t vertex : graph.fixed) hold(static_cast<std::size_t>(vertex));
  if (graph.dimension == 3) {
    for (std::size_t i = 0; i < graph.num_vertices(); ++i) {
      problem.SetManifold(poses.data() + 7 * i + 3, new ceres::EigenQuaternionManifold);
    }
  }

  CeresResult result = solve_with_ceres(problem, options);
  result.unknowns = std::move(poses);
  return result;
}

}  // namespace thallo::test
