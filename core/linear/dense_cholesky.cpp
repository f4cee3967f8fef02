#include <algorithm>

#include <Eigen/Cholesky>
#include <Eigen/Core>

#include "core/base/stop_scope.h"
#include "core/linear/own_solvers.h"

namespace thallo {
namespace {

// Columns that are factored at a time. Between panels a stop ends the factorization: one of 20,000
// rows takes minutes, and a panel of it a second at most.
constexpr Eigen::Index PanelWidth = 128;

class DenseCholesky final : public Factorization {
 public:
  explicit DenseCholesky(std::int64_t n) : n_(n) {}

  bool factorize(std::span<const double> values) override {
    factor_ = Eigen::Map<const Eigen::MatrixXd>(values.data(), n_, n_);
    for (Eigen::Index k = 0; k < n_; k += PanelWidth) {
      check_stop();
      const Eigen::Index width = std::min(PanelWidth, n_ - k), below = n_ - k - width;
      if (k > 0) {
        factor_.block(k, k, n_ - k, width).noalias() -=
            factor_.block(k, 0, n_ - k, k) * factor_.block(k, 0, width, k).transpose();
      }
      Eigen::Ref<Eigen::MatrixXd> diagonal = factor_.block(k, k, width, width);
      const Eigen::LLT<Eigen::Ref<Eigen::MatrixXd>> pivot(diagonal);
      if (pivot.info() != Eigen::Success) return false;
      auto rest = factor_.block(k + width, k, below, width);
      pivot.matrixU().solveInPlace<Eigen::OnTheRight>(rest);
    }
    return true;
  }
  void solve(std::span<double> x) override {
    Eigen::Map<Eigen::VectorXd> in_place(x.data(), n_);
    factor_.triangularView<Eigen::Lower>().solveInPlace(in_place);
    factor_.triangularView<Eigen::Lower>().transpose().solveInPlace(in_place);
  }

 private:
  Eigen::Index n_;
  Eigen::MatrixXd factor_;  // in the lower triangle
};

}  // namespace

std::unique_ptr<Factorization> make_dense_cholesky(const MatrixPattern& pattern) {
  return std::make_unique<DenseCholesky>(pattern.n);
}

}  // namespace thallo
