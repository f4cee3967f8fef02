#include "problems/pose_graph/initialize.h"

#include <Eigen/Geometry>
#include <Eigen/SVD>
#include <Eigen/SparseCholesky>
#include <Eigen/SparseCore>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

namespace thallo::pose_graph {
namespace {

// What a measurement counts at least, as a share of the mean: so that one without information still
// connects what nothing else does.
constexpr double LeastShare = 1e-8;

std::vector<bool> poses_that_stay(const PoseGraph& graph) {
  const std::vector<std::size_t> first = first_connected(graph);
  std::vector<bool> stays(graph.num_vertices()), is_held(graph.num_vertices());
  for (const std::int32_t vertex : graph.fixed) {
    stays[static_cast<std::size_t>(vertex)] = true;
    is_held[first[static_cast<std::size_t>(vertex)]] = true;
  }
  for (std::size_t vertex = 0; vertex < first.size(); ++vertex)
    if (!is_held[first[vertex]]) stays[first[vertex]] = true;
  return stays;
}

std::vector<bool> landmarks_that_stay(const PoseGraph& graph) {
  std::vector<bool> stays(graph.landmarks.size());
  for (const std::int32_t landmark : graph.landmarks.fixed)
    stays[static_cast<std::size_t>(landmark)] = true;
  return stays;
}

// Linear least squares over a D x K matrix X of each pose, with terms between two poses of each.
// What is known of poses that stay goes to the right-hand side.
template <int D, int K>
class LinearPoses {
 public:
  using Block = Eigen::Matrix<double, D, D>;
  using Value = Eigen::Matrix<double, D, K>;

  LinearPoses(const std::vector<bool>& stays, std::vector<Value> values)
      : values_(std::move(values)) {
    for (const bool stays_here : stays)
      row_of_.push_back(stays_here ? Stays : D * static_cast<Eigen::Index>(num_free_++));
    right_.setZero(D * static_cast<Eigen::Index>(num_free_), K);
  }

  // The term whose quadratic part is (Xᵢ, Xⱼ)ᵀ (H -B; -Bᵀ H) (Xᵢ, Xⱼ), and its right-hand sides.
  void add(std::size_t i, std::size_t j, const Block& h, const Block& b, const Value& right_i,
           const Value& right_j) {
    add_rows(i, h, right_i);
    add_rows(j, h, right_j);
    couple(i, j, -b);
    couple(j, i, -b.transpose());
  }

  // Returns whether all X are finite.
  bool solve() {
    if (num_free_ == 0) return true;
    const auto n = right_.rows();
    Eigen::SparseMatrix<double> matrix(n, n);
    matrix.setFromTriplets(entries_.begin(), entries_.end());
    const Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>> factor(matrix);
    if (factor.info() != Eigen::Success) return false;
    const Eigen::Matrix<double, Eigen::Dynamic, K> solution = factor.solve(right_);
    for (std::size_t i = 0; i < values_.size(); ++i)
      if (row_of_[i] != Stays) values_[i] = solution.template middleRows<D>(row_of_[i]);
    return solution.allFinite();
  }

  const std::vector<Value>& values() const { return values_; }

 private:
  static constexpr Eigen::Index Stays = -1;

  void add_rows(std::size_t i, const Block& h, const Value& right) {
    if (row_of_[i] == Stays) return;
    add_block(row_of_[i], row_of_[i], h);
    right_.template middleRows<D>(row_of_[i]) += right;
  }

  void couple(std::size_t row, std::size_t column, const Block& block) {
    if (row_of_[row] == Stays) return;
    if (row_of_[column] == Stays) {
      right_.template middleRows<D>(row_of_[row]) -= block * values_[column];
    } else {
      add_block(row_of_[row], row_of_[column], block);
    }
  }

  void add_block(Eigen::Index row, Eigen::Index column, const Block& block) {
    for (int r = 0; r < D; ++r)
      for (int c = 0; c < D; ++c)
        entries_.emplace_back(static_cast<int>(row) + r, static_cast<int>(column) + c, block(r, c));
  }

  std::vector<Value> values_;
  std::vector<Eigen::Index> row_of_;  // the first row of the pose, or Stays
  std::size_t num_free_ = 0;
  std::vector<Eigen::Triplet<double>> entries_;
  Eigen::Matrix<double, Eigen::Dynamic, K> right_;
};

// In D dimensions.
template <int D>
class Chords {
 public:
  using Rotation = Eigen::Matrix<double, D, D>;
  using Shift = Eigen::Matrix<double, D, 1>;

  explicit Chords(PoseGraph& graph) : graph_(graph), stays_(poses_that_stay(graph)) {}

  bool place() {
    std::vector<Rotation> rotations;
    if (!find_rotations(rotations)) return false;
    LinearPoses<D, 1> shifts = make_shifts(rotations);
    if (!shifts.solve()) return false;
    for (std::size_t i = 0; i < graph_.num_vertices(); ++i)
      if (!stays_[i]) write_pose(i, rotations[i], shifts.values()[i]);
    return true;
  }

 private:
  using Information = Eigen::Matrix<double, D, D>;

  static Rotation rotation_at(const double* pose) {
    if constexpr (D == 2) {
      return Eigen::Rotation2Dd(pose[2]).toRotationMatrix();
    } else {
      return Eigen::Quaterniond(pose + 3).toRotationMatrix();
    }
  }
  static Shift shift_at(const double* pose) { return Shift(pose); }

  // The nearest in the Frobenius norm.
  static Rotation nearest_rotation(const Rotation& matrix) {
    const Eigen::JacobiSVD<Rotation> svd(matrix, Eigen::ComputeFullU | Eigen::ComputeFullV);
    Shift signs = Shift::Ones();
    signs(D - 1) = (svd.matrixU() * svd.matrixV().transpose()).determinant() < 0 ? -1 : 1;
    return svd.matrixU() * signs.asDiagonal() * svd.matrixV().transpose();
  }

  void write_pose(std::size_t i, const Rotation& rotation, const Shift& shift) {
    double* pose = &graph_.poses[i * graph_.pose_size()];
    Eigen::Map<Shift>{pose} = shift;
    if constexpr (D == 2) {
      pose[2] = std::atan2(rotation(1, 0), rotation(0, 0));
    } else {
      Eigen::Map<Eigen::Quaterniond>{pose + 3} = Eigen::Quaterniond(rotation).normalized();
    }
  }

  const double* measurement(std::size_t e) const {
    return &graph_.measurements[e * graph_.pose_size()];
  }
  std::pair<std::size_t, std::size_t> ends(std::size_t e) const {
    return {static_cast<std::size_t>(graph_.edges[e][0]),
            static_cast<std::size_t>(graph_.edges[e][1])};
  }
  double information(std::size_t e, std::size_t row, std::size_t column) const {
    const std::size_t n = graph_.tangent_size();
    return graph_.information[(e * n + row) * n + column];
  }
  // Of the diagonal, from one row to before another.
  double mean_information(std::size_t e, std::size_t begin, std::size_t end) const {
    double sum = 0;
    for (std::size_t row = begin; row < end; ++row) sum += information(e, row, row);
    return sum / static_cast<double>(end - begin);
  }
  double least_information(std::size_t begin, std::size_t end) const {
    double sum = 0;
    for (std::size_t e = 0; e < graph_.num_edges(); ++e) sum += mean_information(e, begin, end);
    return sum > 0 ? LeastShare * sum / static_cast<double>(graph_.num_edges()) : 1;
  }

  // Of X = Rᵀ, for which a term is κ ‖Xⱼ − Zᵀ Xᵢ‖².
  bool find_rotations(std::vector<Rotation>& rotations) const {
    std::vector<Rotation> transposed;
    for (std::size_t i = 0; i < graph_.num_vertices(); ++i)
      transposed.push_back(rotation_at(&graph_.poses[i * graph_.pose_size()]).transpose());
    LinearPoses<D, D> linear(stays_, std::move(transposed));
    const double least = least_information(D, graph_.tangent_size());
    for (std::size_t e = 0; e < graph_.num_edges(); ++e) {
      const auto [i, j] = ends(e);
      const double weight = least + mean_information(e, D, graph_.tangent_size());
      linear.add(i, j, weight * Rotation::Identity(), weight * rotation_at(measurement(e)),
                 Rotation::Zero(), Rotation::Zero());
    }
    if (!linear.solve()) return false;
    for (std::size_t i = 0; i < graph_.num_vertices(); ++i) {
      const Rotation rotation = linear.values()[i].transpose();
      rotations.push_back(stays_[i] ? rotation : nearest_rotation(rotation));
    }
    return true;
  }

  // A term is ‖Zᵀ (Rᵢᵀ (tⱼ − tᵢ) − z)‖² by the information of the position.
  LinearPoses<D, 1> make_shifts(const std::vector<Rotation>& rotations) const {
    std::vector<Shift> start;
    for (std::size_t i = 0; i < graph_.num_vertices(); ++i)
      start.push_back(shift_at(&graph_.poses[i * graph_.pose_size()]));
    LinearPoses<D, 1> linear(stays_, std::move(start));
    const double least = least_information(0, D);
    for (std::size_t e = 0; e < graph_.num_edges(); ++e) {
      const auto [i, j] = ends(e);
      Information measured = least * Information::Identity();
      for (int row = 0; row < D; ++row)
        for (int column = 0; column < D; ++column)
          measured(row, column) +=
              information(e, static_cast<std::size_t>(row), static_cast<std::size_t>(column));
      const Rotation frame = rotations[i] * rotation_at(measurement(e));
      const Information here = frame * measured * frame.transpose();
      const Shift right = here * (rotations[i] * shift_at(measurement(e)));
      linear.add(i, j, here, here, -right, right);
    }
    return linear;
  }

  PoseGraph& graph_;
  std::vector<bool> stays_;
};

}  // namespace

void initialize_along_tree(PoseGraph& graph) {
  place_along_edges(graph, poses_that_stay(graph));
  place_landmarks(graph, landmarks_that_stay(graph));
}

bool initialize_by_chords(PoseGraph& graph) {
  const bool are_placed =
      graph.dimension == 2 ? Chords<2>(graph).place() : Chords<3>(graph).place();
  if (are_placed) place_landmarks(graph, landmarks_that_stay(graph));
  return are_placed;
}

}  // namespace thallo::pose_graph
