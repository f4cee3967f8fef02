// An up-looking LDL^T by Eigen. The matrix is brought into the order of elimination while its
// values are taken over, so that Eigen neither orders nor copies it.

#include <Eigen/SparseCholesky>
#include <Eigen/SparseCore>
#include <algorithm>
#include <utility>
#include <vector>

#include "core/base/stop_scope.h"
#include "core/linear/own_solvers.h"
#include "core/linear/symbolic_factor.h"

namespace thallo {
namespace {

using Matrix = Eigen::SparseMatrix<double, Eigen::ColMajor, std::int32_t>;

std::size_t index(std::int32_t i) { return static_cast<std::size_t>(i); }

class SparseCholesky final : public Factorization {
 public:
  explicit SparseCholesky(const MatrixPattern& pattern)
      : order_(SymbolicFactor(pattern).order()), upper_(pattern.n, pattern.n) {
    take_upper_triangle(pattern);
    check_stop();
    factor_.analyzePattern(upper_);
    permuted_.resize(pattern.n);
  }

  bool factorize(std::span<const double> values) override {
    double* to = upper_.valuePtr();
    for (const std::size_t from : source_) *to++ = values[from];
    check_stop();
    factor_.factorize(upper_);
    return factor_.info() == Eigen::Success && (factor_.vectorD().array() > 0).all();
  }

  void solve(std::span<double> x) override {
    for (std::size_t place = 0; place < order_.size(); ++place)
      permuted_[static_cast<Eigen::Index>(place)] = x[index(order_[place])];
    permuted_ = factor_.solve(permuted_).eval();
    for (std::size_t place = 0; place < order_.size(); ++place)
      x[index(order_[place])] = permuted_[static_cast<Eigen::Index>(place)];
  }

 private:
  void take_upper_triangle(const MatrixPattern& pattern) {
    std::vector<std::int32_t> place_of(order_.size());
    for (std::size_t place = 0; place < order_.size(); ++place)
      place_of[index(order_[place])] = static_cast<std::int32_t>(place);
    const auto num_entries =
        (static_cast<Eigen::Index>(pattern.columns.size()) + pattern.n) / 2;  // it is symmetric
    upper_.resizeNonZeros(num_entries);
    source_.reserve(static_cast<std::size_t>(num_entries));
    std::vector<std::pair<std::int32_t, std::size_t>> column;  // row, entry of the pattern
    std::int32_t* outer = upper_.outerIndexPtr();
    std::int32_t* inner = upper_.innerIndexPtr();
    outer[0] = 0;
    for (std::size_t place = 0; place < order_.size(); ++place) {
      column.clear();
      const std::size_t row = index(order_[place]);
      for (std::size_t k = index(pattern.offsets[row]); k < index(pattern.offsets[row + 1]); ++k) {
        const std::int32_t other = place_of[index(pattern.columns[k])];
        if (other <= static_cast<std::int32_t>(place)) column.emplace_back(other, k);
      }
      std::ranges::sort(column);
      for (const auto& [other, entry] : column) {
        *inner++ = other;
        source_.push_back(entry);
      }
      outer[place + 1] = static_cast<std::int32_t>(source_.size());
    }
  }

  std::vector<std::int32_t> order_;  // place -> row
  Matrix upper_;                     // in the order of elimination
  std::vector<std::size_t> source_;  // the entry of the pattern that each of its entries is
  Eigen::SimplicialLDLT<Matrix, Eigen::Upper, Eigen::NaturalOrdering<std::int32_t>> factor_;
  Eigen::VectorXd permuted_;
};

}  // namespace

std::unique_ptr<Factorization> make_sparse_cholesky(const MatrixPattern& pattern) {
  return std::make_unique<SparseCholesky>(pattern);
}

}  // namespace thallo
