#include "core/linear/smoothed_aggregation.h"

#include <Eigen/Core>
#include <Eigen/Eigenvalues>
#include <Eigen/SparseCore>
#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <utility>

#include "core/linear/aggregates.h"

namespace thallo {
namespace {

// Both triangles, columns ascending in each row, with the whole diagonal.
using Matrix = Eigen::SparseMatrix<double, Eigen::RowMajor, std::int32_t>;
using MatrixView = Eigen::Map<const Matrix>;
using VectorView = Eigen::Map<const Eigen::VectorXd>;

// Up to so many rows, the last level is inverted.
constexpr Eigen::Index FewRows = 200;
// A level that has more of the rows or the entries of the one before saves nothing.
constexpr double MostLeft = 0.8;
constexpr std::size_t MostLevels = 20;
// What is left of a mode of an aggregate beside the modes before it, relative to the mode, must be
// larger than rounding.
constexpr double Independent = 1e-8;
// The step of the smoothing of the prolongation, relative to the sums of the rows' magnitudes.
constexpr double Relaxation = 4.0 / 3;

std::size_t index(Eigen::Index i) { return static_cast<std::size_t>(i); }

std::span<const std::int32_t> offsets_of(const MatrixView& matrix) {
  return {matrix.outerIndexPtr(), index(matrix.rows()) + 1};
}
std::span<const std::int32_t> columns_of(const MatrixView& matrix) {
  return {matrix.innerIndexPtr(), index(matrix.nonZeros())};
}

MatrixView view(const Matrix& matrix) {
  return {matrix.rows(),          matrix.cols(),          matrix.nonZeros(),
          matrix.outerIndexPtr(), matrix.innerIndexPtr(), matrix.valuePtr()};
}

// The tentative prolongation, whose columns are the modes of each aggregate, made orthonormal, and
// the modes of the coarse level, which it maps to those of this one.
class Tentative {
 public:
  Tentative(const RowModes& fine, const Aggregates& aggregates)
      : fine_(fine), num_modes_(fine.num_modes) {
    coarse.num_modes = fine.num_modes;
    std::vector<std::vector<std::int32_t>> rows(static_cast<std::size_t>(aggregates.count));
    std::vector<std::int32_t> kinds(rows.size());
    for (std::size_t row = 0; row < fine.element_of.size(); ++row) {
      const auto element = static_cast<std::size_t>(fine.element_of[row]);
      const auto aggregate = static_cast<std::size_t>(aggregates.of[element]);
      rows[aggregate].push_back(static_cast<std::int32_t>(row));
      kinds[aggregate] = fine.kind_of[element];
    }
    for (std::size_t a = 0; a < rows.size(); ++a) add(rows[a], kinds[a]);
    prolongation.resize(static_cast<Eigen::Index>(fine.element_of.size()),
                        static_cast<Eigen::Index>(coarse.element_of.size()));
    prolongation.setFromTriplets(entries_.begin(), entries_.end());
  }

  Matrix prolongation;
  RowModes coarse;

 private:
  // By Gram-Schmidt, twice; a mode that depends on those before it has no column.
  void add(const std::vector<std::int32_t>& rows, std::int32_t kind) {
    Eigen::MatrixXd q(rows.size(), num_modes_);
    for (Eigen::Index i = 0; i < q.rows(); ++i)
      for (Eigen::Index m = 0; m < num_modes_; ++m) q(i, m) = mode(rows[index(i)], m);
    Eigen::MatrixXd r = Eigen::MatrixXd::Zero(num_modes_, num_modes_);
    Eigen::Index rank = 0;
    for (Eigen::Index m = 0; m < num_modes_ && rank < q.rows(); ++m) {
      Eigen::VectorXd left = q.col(m);
      const double size = left.norm();
      for (int pass = 0; pass < 2; ++pass) {
        const Eigen::VectorXd shares = q.leftCols(rank).transpose() * left;
        left -= q.leftCols(rank) * shares;
        r.col(m).head(rank) += shares;
      }
      const double rest = left.norm();
      if (!(rest > Independent * size)) continue;
      r(rank, m) = rest;
      q.col(rank++) = left / rest;
    }
    if (rank == 0) return;
    const auto element = static_cast<std::int32_t>(coarse.kind_of.size());
    coarse.kind_of.push_back(kind);
    for (Eigen::Index c = 0; c < rank; ++c) {
      const auto column = static_cast<std::int32_t>(coarse.element_of.size());
      coarse.element_of.push_back(element);
      for (Eigen::Index m = 0; m < num_modes_; ++m) coarse.values.push_back(r(c, m));
      for (Eigen::Index i = 0; i < q.rows(); ++i)
        if (q(i, c) != 0) entries_.emplace_back(rows[index(i)], column, q(i, c));
    }
  }

  double mode(std::int32_t row, Eigen::Index m) const {
    return fine_.values[static_cast<std::size_t>(row) * index(num_modes_) + index(m)];
  }

  const RowModes& fine_;
  Eigen::Index num_modes_;
  std::vector<Eigen::Triplet<double, std::int32_t>> entries_;
};

// How far from 0 the matrix sends the modes: the sum of |A b|^2 / |b|^2.
double defect(const MatrixView& a, const std::vector<double>& modes, int num_modes) {
  using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const Eigen::Map<const Rows> b(modes.data(), a.rows(), num_modes);
  double sum = 0;
  for (Eigen::Index m = 0; m < num_modes; ++m) {
    const Eigen::VectorXd mode = b.col(m);
    if (const double size = mode.squaredNorm(); size > 0) sum += (a * mode).squaredNorm() / size;
  }
  return sum;
}

// (I - 4/3 W^-1 A) T, where W has the sums of the magnitudes of A's rows.
Matrix smoothed(const MatrixView& a, const Matrix& tentative) {
  Matrix step = (a * tentative).pruned();
  for (Eigen::Index row = 0; row < a.rows(); ++row) {
    double sum = 0;
    for (MatrixView::InnerIterator entry(a, row); entry; ++entry) sum += std::abs(entry.value());
    for (Matrix::InnerIterator entry(step, row); entry; ++entry)
      entry.valueRef() *= sum > 0 ? Relaxation / sum : 0;
  }
  return tentative - step;
}

// z = (D + L)^-1 r. A row without a positive diagonal takes no part.
void sweep_forward(const MatrixView& a, const VectorView& r, Eigen::Map<Eigen::VectorXd>& z) {
  for (Eigen::Index row = 0; row < a.rows(); ++row) {
    double rest = r[row], diagonal = 0;
    for (MatrixView::InnerIterator entry(a, row); entry && entry.col() <= row; ++entry) {
      if (entry.col() == row)
        diagonal = entry.value();
      else
        rest -= entry.value() * z[entry.col()];
    }
    z[row] = diagonal > 0 ? rest / diagonal : 0;
  }
}

// z += (D + U)^-1 (r - A z), in place.
void sweep_backward(const MatrixView& a, const VectorView& r, Eigen::Map<Eigen::VectorXd>& z) {
  for (Eigen::Index row = a.rows() - 1; row >= 0; --row) {
    double rest = r[row], diagonal = 0;
    for (MatrixView::InnerIterator entry(a, row); entry; ++entry) {
      if (entry.col() == row)
        diagonal = entry.value();
      else
        rest -= entry.value() * z[entry.col()];
    }
    if (diagonal > 0) z[row] = rest / diagonal;
  }
}

// The inverse, or where the matrix is singular the pseudo-inverse; nothing if an eigenvalue is
// negative.
std::optional<Eigen::MatrixXd> inverse_of(const Eigen::MatrixXd& matrix) {
  constexpr double Rounding = 1e-12;
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> found(matrix);
  const double smallest = Rounding * found.eigenvalues().cwiseAbs().maxCoeff();
  Eigen::VectorXd inverse = found.eigenvalues();
  if (inverse.minCoeff() < -smallest) return {};
  for (double& value : inverse) value = value > smallest ? 1 / value : 0;
  return found.eigenvectors() * inverse.asDiagonal() * found.eigenvectors().transpose();
}

VectorView view(std::span<const double> vector) { return {vector.data(), std::ssize(vector)}; }

}  // namespace

class SmoothedAggregation::Levels {
 public:
  explicit Levels(const MatrixPattern& pattern) : pattern_(pattern) {}

  bool build(std::span<const double> values, const RowModes& modes) {
    values_ = values;
    coarse_.clear();
    RowModes here = modes;
    if (!here.alternative.empty() && defect(matrix(), here.alternative, here.num_modes) <
                                         defect(matrix(), here.values, here.num_modes))
      here.values = here.alternative;
    const auto last = [&] { return coarse_.empty() ? matrix() : view(coarse_.back().matrix); };
    while (last().rows() > FewRows && coarse_.size() < MostLevels) {
      const MatrixView a = last();
      Tentative tentative(here, aggregate(element_graph(offsets_of(a), columns_of(a),
                                                        here.element_of, here.kind_of)));
      const auto num_columns = static_cast<double>(tentative.prolongation.cols());
      if (num_columns == 0 || num_columns > MostLeft * static_cast<double>(a.rows())) break;
      Level level;
      level.prolongation = smoothed(a, tentative.prolongation);
      level.restriction = level.prolongation.transpose();
      level.matrix = level.restriction * (a * level.prolongation).eval();
      if (level.matrix.nonZeros() > a.nonZeros()) break;
      level.residual.resize(level.matrix.rows());
      level.correction.resize(level.matrix.rows());
      coarse_.push_back(std::move(level));
      here = std::move(tentative.coarse);
    }
    inverse_of_last_.resize(0, 0);
    if (last().rows() > FewRows) return true;
    auto inverse = inverse_of(Eigen::MatrixXd(last()));
    if (inverse) inverse_of_last_ = *std::move(inverse);
    return inverse.has_value();
  }

  // Level 0 is the matrix that was given, level l the one of coarse_[l - 1].
  void solve(std::size_t level, const MatrixView& a, const VectorView& r,
             Eigen::Map<Eigen::VectorXd> z) {
    const bool is_last = level == coarse_.size();
    if (is_last && inverse_of_last_.size() > 0) {
      z.noalias() = inverse_of_last_ * r;
      return;
    }
    sweep_forward(a, r, z);
    if (!is_last) {
      Level& below = coarse_[level];
      rest_ = r - a * z;
      below.residual.noalias() = below.restriction * rest_;
      solve(level + 1, view(below.matrix),
            view(std::span(below.residual.data(), index(below.residual.size()))),
            {below.correction.data(), below.correction.size()});
      z.noalias() += below.prolongation * below.correction;
    }
    sweep_backward(a, r, z);
  }

  MatrixView matrix() const {
    const auto n = static_cast<Eigen::Index>(pattern_.n);
    return {n,
            n,
            std::ssize(values_),
            pattern_.offsets.data(),
            pattern_.columns.data(),
            values_.data()};
  }
  std::size_t count() const { return coarse_.size() + 1; }

 private:
  struct Level {
    Matrix prolongation;  // from this level to the one before
    Matrix restriction;   // its transpose
    Matrix matrix;
    Eigen::VectorXd residual, correction;
  };

  MatrixPattern pattern_;
  std::span<const double> values_;
  std::vector<Level> coarse_;        // all but the first
  Eigen::MatrixXd inverse_of_last_;  // empty if the last level is too large
  Eigen::VectorXd rest_;
};

SmoothedAggregation::SmoothedAggregation(const MatrixPattern& pattern)
    : levels_(std::make_unique<Levels>(pattern)) {}
SmoothedAggregation::~SmoothedAggregation() = default;

bool SmoothedAggregation::build(std::span<const double> values, const RowModes& modes) {
  return levels_->build(values, modes);
}

void SmoothedAggregation::cycle(std::span<const double> r, std::span<double> z) {
  levels_->solve(0, levels_->matrix(), view(r), {z.data(), std::ssize(z)});
}

void SmoothedAggregation::multiply(std::span<const double> x, std::span<double> to) const {
  Eigen::Map<Eigen::VectorXd>(to.data(), std::ssize(to)).noalias() = levels_->matrix() * view(x);
}

std::size_t SmoothedAggregation::num_levels() const { return levels_->count(); }

}  // namespace thallo
