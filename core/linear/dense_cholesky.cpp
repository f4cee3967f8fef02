#include <Eigen/Cholesky>
#include <Eigen/Core>

#include "core/linear/own_solvers.h"

namespace thallo {
namespace {

class DenseCholesky final : public Factorization {
 public:
  explicit DenseCholesky(std::int64_t n) : n_(n) {}

  bool factorize(std::span<const double> values) override {
    factor_.compute(Eigen::Map<const Eigen::MatrixXd>(values.data(), n_, n_));
    return factor_.info() == Eigen::Success;
  }
  void solve(std::span<double> x) override {
    Eigen::Map<Eigen::VectorXd> in_place(x.data(), n_);
    factor_.solveInPlace(in_place);
  }

 private:
  Eigen::Index n_;
  Eigen::LLT<Eigen::MatrixXd> factor_;
};

}  // namespace

std::unique_ptr<Factorization> make_dense_cholesky(const MatrixPattern& pattern) {
  return std::make_unique<DenseCholesky>(pattern.n);
}

}  // namespace thallo
