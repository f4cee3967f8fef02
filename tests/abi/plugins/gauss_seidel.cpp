// Provides the linear solver 'gauss_seidel', which needs no factor: sweeps over the rows of the
// matrix until nothing changes any more.
#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "core/linear/linear_solver.h"
#include "core/plugin/abi.h"

namespace {

constexpr int MostSweeps = 10000;
constexpr double SmallChange = 1e-14;

class Sweeps final : public thallo::Factorization {
 public:
  explicit Sweeps(const thallo::MatrixPattern& pattern) : pattern_(pattern) {}

  bool factorize(std::span<const double> values) override {
    values_.assign(values.begin(), values.end());
    return true;
  }

  void solve(std::span<double> x) override {
    const std::vector<double> b(x.begin(), x.end());
    double change = 1;
    for (int sweep = 0; sweep < MostSweeps && change > SmallChange; ++sweep) {
      change = 0;
      for (std::size_t row = 0; row < x.size(); ++row) {
        const double next = b[row] - off_diagonal(row, x);  // the diagonal is 1
        change = std::max(change, std::abs(next - x[row]));
        x[row] = next;
      }
    }
  }

 private:
  double off_diagonal(std::size_t row, std::span<const double> x) const {
    double sum = 0;
    for (auto k = static_cast<std::size_t>(pattern_.offsets[row]);
         k < static_cast<std::size_t>(pattern_.offsets[row + 1]); ++k) {
      const auto column = static_cast<std::size_t>(pattern_.columns[k]);
      if (column != row) sum += values_[k] * x[column];
    }
    return sum;
  }

  thallo::MatrixPattern pattern_;
  std::vector<double> values_;
};

class GaussSeidel final : public thallo::LinearSolver {
 public:
  std::string_view name() const override { return "gauss_seidel"; }
  std::string_view doc() const override { return "sweeps over the rows of a sparse JtJ"; }
  thallo::MatrixForm form() const override { return thallo::MatrixForm::Csr; }
  std::int64_t max_unknowns() const override { return 100; }
  std::unique_ptr<thallo::Factorization> analyze(
      const thallo::MatrixPattern& pattern) const override {
    return std::make_unique<Sweeps>(pattern);
  }
};

thallo::Expected<void> register_into(thallo::Registrar& registrar) {
  return registrar.add<thallo::LinearSolver>("gauss_seidel", std::make_unique<GaussSeidel>());
}

}  // namespace

THALLO_PLUGIN("gauss_seidel", "1.0.0", "", register_into);
