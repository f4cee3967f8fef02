#include "problems/pose_graph/initialize.h"

#include <Eigen/Geometry>
#include <Eigen/SVD>
#include <Eigen/SparseCholesky>
#include <Eigen/SparseCore>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "core/linear/symbolic_factor.h"

namespace thallo::pose_graph {
namespace {

// What a measurement counts at least, as a share of the mean: so that one without information still
// connects what nothing else does.
constexpr double LeastShare = 1e-8;
// Of a factor: 4 GB.
constexpr double MostEntries = 5e8;

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

  // Returns whether all X are finite, and the factorization takes no more than `most_flops`.
  bool solve(double most_flops) {
    if (num_free_ == 0) return true;
    const auto n = right_.rows();
    Eigen::SparseMatrix<double> matrix(n, n);
    matrix.setFromTriplets(entries_.begin(), entries_.end());
    if (flops_of_factor(matrix) > most_flops) return false;
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

  static double flops_of_factor(const Eigen::SparseMatrix<double>& matrix) {
    const auto n = static_cast<std::size_t>(matrix.outerSize());
    const MatrixPattern pattern{
        .n = matrix.outerSize(),
        .offsets = {matrix.outerIndexPtr(), n + 1},
        .columns = {matrix.innerIndexPtr(), static_cast<std::size_t>(matrix.nonZeros())}};
    const auto size = SymbolicFactor(pattern).size(MostEntries);
    return size ? size->flops : std::numeric_limits<double>::infinity();
  }

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

// The edges of a graph in D dimensions.
template <int D>
class Edges {
 public:
  using Rotation = Eigen::Matrix<double, D, D>;
  using Shift = Eigen::Matrix<double, D, 1>;

  explicit Edges(const PoseGraph& graph) : graph_(graph) {}

  double cost() const {
    constexpr int T = D == 2 ? 3 : 6;
    double cost = 0;
    for (std::size_t e = 0; e < graph_.num_edges(); ++e) {
      const auto [i, j] = ends(e);
      const Rotation here = rotation_at(pose(i)), frame = here * rotation_at(measurement(e));
      const Shift off = shift_at(pose(j)) - shift_at(pose(i)) - here * shift_at(measurement(e));
      Eigen::Matrix<double, T, 1> error;
      error << frame.transpose() * off, angles_of(frame.transpose() * rotation_at(pose(j)));
      using Information = Eigen::Matrix<double, T, T>;
      cost += error.dot(Eigen::Map<const Information>(&graph_.information[e * T * T]) * error) / 2;
    }
    return cost;
  }

  const double* pose(std::size_t i) const { return &graph_.poses[i * graph_.pose_size()]; }
  static Rotation rotation_at(const double* pose) {
    if constexpr (D == 2) {
      return Eigen::Rotation2Dd(pose[2]).toRotationMatrix();
    } else {
      return Eigen::Quaterniond(pose + 3).toRotationMatrix();
    }
  }
  static Shift shift_at(const double* pose) { return Shift(pose); }
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

 private:
  // As the energies measure them: the angle, or twice the vector of the quaternion.
  static auto angles_of(const Rotation& rotation) {
    if constexpr (D == 2) {
      return std::atan2(rotation(1, 0), rotation(0, 0));
    } else {
      const Eigen::Quaterniond q(rotation);
      return Eigen::Vector3d((q.w() < 0 ? -2 : 2) * q.vec());
    }
  }

  const PoseGraph& graph_;
};

// Chordal relaxation.
template <int D>
class Chords {
 public:
  using Rotation = typename Edges<D>::Rotation;
  using Shift = typename Edges<D>::Shift;

  explicit Chords(PoseGraph& graph)
      : graph_(graph), edges_(graph), stays_(poses_that_stay(graph)) {}

  bool place(double most_flops) {
    std::vector<Rotation> rotations;
    if (!find_rotations(rotations, most_flops)) return false;
    LinearPoses<D, 1> shifts = make_shifts(rotations);
    if (!shifts.solve(most_flops)) return false;
    for (std::size_t i = 0; i < graph_.num_vertices(); ++i)
      if (!stays_[i]) write_pose(i, rotations[i], shifts.values()[i]);
    return true;
  }

 private:
  using Information = Eigen::Matrix<double, D, D>;

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

  // Of X = Rᵀ, for which a term is κ ‖Xⱼ − Zᵀ Xᵢ‖².
  bool find_rotations(std::vector<Rotation>& rotations, double most_flops) const {
    std::vector<Rotation> transposed;
    for (std::size_t i = 0; i < graph_.num_vertices(); ++i)
      transposed.push_back(Edges<D>::rotation_at(edges_.pose(i)).transpose());
    LinearPoses<D, D> linear(stays_, std::move(transposed));
    const double least = edges_.least_information(D, graph_.tangent_size());
    for (std::size_t e = 0; e < graph_.num_edges(); ++e) {
      const auto [i, j] = edges_.ends(e);
      const double weight = least + edges_.mean_information(e, D, graph_.tangent_size());
      linear.add(i, j, weight * Rotation::Identity(),
                 weight * Edges<D>::rotation_at(edges_.measurement(e)), Rotation::Zero(),
                 Rotation::Zero());
    }
    if (!linear.solve(most_flops)) return false;
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
      start.push_back(Edges<D>::shift_at(edges_.pose(i)));
    LinearPoses<D, 1> linear(stays_, std::move(start));
    const double least = edges_.least_information(0, D);
    for (std::size_t e = 0; e < graph_.num_edges(); ++e) {
      const auto [i, j] = edges_.ends(e);
      Information measured = least * Information::Identity();
      for (int row = 0; row < D; ++row)
        for (int column = 0; column < D; ++column)
          measured(row, column) += edges_.information(e, static_cast<std::size_t>(row),
                                                      static_cast<std::size_t>(column));
      const Rotation frame = rotations[i] * Edges<D>::rotation_at(edges_.measurement(e));
      const Information here = frame * measured * frame.transpose();
      const Shift right = here * (rotations[i] * Edges<D>::shift_at(edges_.measurement(e)));
      linear.add(i, j, here, here, -right, right);
    }
    return linear;
  }

  PoseGraph& graph_;
  Edges<D> edges_;
  std::vector<bool> stays_;
};

}  // namespace

void initialize_along_tree(PoseGraph& graph) {
  place_along_edges(graph, poses_that_stay(graph));
  place_landmarks(graph, landmarks_that_stay(graph));
}

bool initialize_by_chords(PoseGraph& graph, double most_flops) {
  const bool are_placed = graph.dimension == 2 ? Chords<2>(graph).place(most_flops)
                                               : Chords<3>(graph).place(most_flops);
  if (are_placed) place_landmarks(graph, landmarks_that_stay(graph));
  return are_placed;
}

double cost_of_edges(const PoseGraph& graph) {
  return graph.dimension == 2 ? Edges<2>(graph).cost() : Edges<3>(graph).cost();
}

}  // namespace thallo::pose_graph
