// Conjugate gradients with a V-cycle of smoothed aggregation, whose levels are made anew for each
// matrix: kept ones double the iterations (docs/measurements.md).

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

#include "core/base/stop_scope.h"
#include "core/linear/own_solvers.h"
#include "core/linear/smoothed_aggregation.h"

namespace thallo {
namespace {

// Of the error that the preconditioner sees, as a share of that at the start. Costs after a step
// are then those of an exact one to 9 digits.
constexpr double Tolerance = 1e-8;
constexpr std::int64_t MostIterations = 500;

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

class AggregatedPcg final : public Factorization {
 public:
  explicit AggregatedPcg(const MatrixPattern& pattern)
      : levels_(pattern),
        r_(static_cast<std::size_t>(pattern.n)),
        z_(r_.size()),
        p_(r_.size()),
        ap_(r_.size()) {}

  void set_modes(const RowModes& modes) override { modes_ = modes; }

  bool factorize(std::span<const double> values) override {
    values_.assign(values.begin(), values.end());
    return levels_.build(values_, modes_);
  }

  // From 0. A direction without curvature, of a matrix that is singular to rounding, ends it.
  void solve(std::span<double> x) override {
    r_.assign(x.begin(), x.end());
    std::ranges::fill(x, 0.0);
    num_iterations_ = 0;
    levels_.cycle(r_, z_);
    p_ = z_;
    double rz = dot(r_, z_);
    const double end = Tolerance * Tolerance * rz;
    while (rz > end && num_iterations_ < MostIterations) {
      check_stop();
      levels_.multiply(p_, ap_);
      const double curvature = dot(p_, ap_);
      if (!(curvature > std::numeric_limits<double>::min())) return;
      const double alpha = rz / curvature;
      for (std::size_t i = 0; i < r_.size(); ++i) {
        x[i] += alpha * p_[i];
        r_[i] -= alpha * ap_[i];
      }
      ++num_iterations_;
      levels_.cycle(r_, z_);
      const double beta = dot(r_, z_) / rz;
      for (std::size_t i = 0; i < r_.size(); ++i) p_[i] = z_[i] + beta * p_[i];
      rz *= beta;
    }
  }

  std::int64_t num_iterations() const override { return num_iterations_; }

 private:
  RowModes modes_;
  std::vector<double> values_;
  SmoothedAggregation levels_;
  std::int64_t num_iterations_ = 0;  // of the last solve
  std::vector<double> r_, z_, p_, ap_;
};

}  // namespace

std::unique_ptr<Factorization> make_amg_pcg(const MatrixPattern& pattern) {
  return std::make_unique<AggregatedPcg>(pattern);
}

}  // namespace thallo
