// Conjugate gradients with a V-cycle of smoothed aggregation, whose levels are made anew for each
// matrix: kept ones take more time in iterations than they save (docs/measurements.md).

#include <Eigen/Core>
#include <cstdint>
#include <limits>

#include "core/linear/own_solvers.h"
#include "core/linear/smoothed_aggregation.h"

namespace thallo {
namespace {

// Of the error that the preconditioner sees, as a share of that at the start. The cost after the
// step is then that of an exact one to 12 digits.
constexpr double Tolerance = 1e-6;
constexpr std::int64_t MostIterations = 500;

class AmgPcg final : public Factorization {
 public:
  explicit AmgPcg(const MatrixPattern& pattern) : pattern_(pattern) {}

  void set_modes(const RowModes& modes) override { modes_ = modes; }

  bool factorize(std::span<const double> values) override {
    values_.assign(values.begin(), values.end());
    return levels_.build(matrix(), modes_);
  }

  // From 0. A direction without curvature, of a matrix that is singular to rounding, ends it.
  void solve(std::span<double> x) override {
    Eigen::Map<Eigen::VectorXd> in_place(x.data(), static_cast<Eigen::Index>(x.size()));
    const SmoothedAggregation::MatrixView a = matrix();
    r_ = in_place;
    in_place.setZero();
    num_iterations_ = 0;
    levels_.cycle(a, r_, z_);
    p_ = z_;
    double rz = r_.dot(z_);
    const double end = Tolerance * Tolerance * rz;
    while (rz > end && num_iterations_ < MostIterations) {
      ap_.noalias() = a * p_;
      const double curvature = p_.dot(ap_);
      if (!(curvature > std::numeric_limits<double>::min())) return;
      const double alpha = rz / curvature;
      in_place += alpha * p_;
      r_ -= alpha * ap_;
      ++num_iterations_;
      levels_.cycle(a, r_, z_);
      const double next = r_.dot(z_);
      p_ = z_ + next / rz * p_;
      rz = next;
    }
  }

  std::int64_t num_iterations() const override { return num_iterations_; }

 private:
  SmoothedAggregation::MatrixView matrix() const {
    const auto n = static_cast<Eigen::Index>(pattern_.n);
    return {n,
            n,
            static_cast<Eigen::Index>(values_.size()),
            pattern_.offsets.data(),
            pattern_.columns.data(),
            values_.data()};
  }

  MatrixPattern pattern_;
  RowModes modes_;
  std::vector<double> values_;
  SmoothedAggregation levels_;
  std::int64_t num_iterations_ = 0;  // of the last solve
  Eigen::VectorXd r_, z_, p_, ap_;
};

}  // namespace

std::unique_ptr<Factorization> make_amg_pcg(const MatrixPattern& pattern) {
  return std::make_unique<AmgPcg>(pattern);
}

}  // namespace thallo
