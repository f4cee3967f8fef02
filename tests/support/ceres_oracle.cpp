#include "tests/support/ceres_oracle.h"

#include <ceres/ceres.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "core/base/error.h"
#include "core/diff/symbolic_jacobian.h"
#include "core/energy/evaluate/evaluator.h"
#include "tests/support/ceres_solve.h"

namespace thallo::test {
namespace {

// All residuals and derivatives at the point that Ceres is about to look at, evaluated once; the
// cost functions below read their rows from it. Unknowns that are excluded or not finite (missing
// data) stay as they are: Ceres does not hear of them, since it takes finite parameters only.
class SharedEvaluation : public ceres::EvaluationCallback {
 public:
  SharedEvaluation(const Energy& energy, const Binding& binding)
      : evaluator_(energy, binding), x(evaluator_.unknowns()) {
    // Poses have a manifold, which ceres_pose_graph.h knows.
    THALLO_ASSERT_EQ(evaluator_.layout().size(), evaluator_.layout().num_values());
    linearize();
    std::vector<std::uint8_t> held = evaluator_.excluded();
    for (std::size_t i = 0; i < held.size(); ++i) {
      if (!std::isfinite(x[i])) held[i] = 1;
    }
    // Symbolic derivatives name all that a row may depend on, as conditions on the unknowns turn.
    const SparseMatrix symbolic = SymbolicJacobian(energy, binding).linearize().jacobian();
    for (std::size_t row = 0; row + 1 < symbolic.offsets.size(); ++row) {
      std::vector<std::int64_t>& columns = columns_.emplace_back();
      for (std::size_t k = symbolic.offsets[row]; k < symbolic.offsets[row + 1]; ++k) {
        const std::int64_t column = symbolic.columns[k];
        if (held[static_cast<std::size_t>(column)] == 0) columns.push_back(column);
      }
    }
  }

  void PrepareForEvaluation(bool evaluate_jacobians, bool new_point) override {
    if (!new_point && (has_jacobian_ || !evaluate_jacobians)) return;
    evaluator_.set_unknowns(x);
    if (evaluate_jacobians) {
      linearize();
    } else {
      residuals_ = evaluator_.residuals();
      has_jacobian_ = false;
    }
  }

  double residual(std::size_t row) const { return residuals_[row]; }
  // Unknowns that the row's residual may depend on.
  const std::vector<std::int64_t>& columns(std::size_t row) const { return columns_[row]; }
  double derivative(std::size_t row, std::int64_t column) const {
    for (std::size_t k = jacobian_.offsets[row]; k < jacobian_.offsets[row + 1]; ++k) {
      if (jacobian_.columns[k] == column) return jacobian_.values[k];
    }
    return 0;
  }
  std::size_t num_rows() const { return columns_.size(); }

 private:
  void linearize() {
    const Linearization at_x = evaluator_.linearize();
    residuals_ = at_x.residuals();
    jacobian_ = at_x.jacobian();
    has_jacobian_ = true;
  }

  EnergyEvaluator evaluator_;
  std::vector<double> residuals_;
  SparseMatrix jacobian_;
  std::vector<std::vector<std::int64_t>> columns_;
  bool has_jacobian_ = false;

 public:
  std::vector<double> x;  // Ceres' parameter blocks, one per scalar
};

class Row : public ceres::CostFunction {
 public:
  Row(const SharedEvaluation& evaluation, std::size_t row) : evaluation_(evaluation), row_(row) {
    set_num_residuals(1);
    mutable_parameter_block_sizes()->assign(evaluation.columns(row).size(), 1);
  }
  bool Evaluate(double const* const*, double* residuals, double** jacobians) const override {
    residuals[0] = evaluation_.residual(row_);
    if (!jacobians) return true;
    const auto& columns = evaluation_.columns(row_);
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (jacobians[i]) jacobians[i][0] = evaluation_.derivative(row_, columns[i]);
    }
    return true;
  }

 private:
  const SharedEvaluation& evaluation_;
  std::size_t row_;
};

}  // namespace

CeresResult minimize_with_ceres(const Energy& energy, const Binding& binding,
                                const CeresOptions& options) {
  SharedEvaluation evaluation(energy, binding);
  ceres::Problem::Options problem_options;
  problem_options.evaluation_callback = &evaluation;
  ceres::Problem problem(problem_options);
  for (std::size_t row = 0; row < evaluation.num_rows(); ++row) {
    std::vector<double*> blocks;
    for (const std::int64_t column : evaluation.columns(row)) {
      blocks.push_back(&evaluation.x[static_cast<std::size_t>(column)]);
    }
    problem.AddResidualBlock(std::make_unique<Row>(evaluation, row).release(), nullptr, blocks);
  }

  const EnergyEvaluator::Box box = EnergyEvaluator(energy, binding).bounds();
  for (std::size_t i = 0; i < evaluation.x.size(); ++i) {
    double* x = &evaluation.x[i];
    if (!problem.HasParameterBlock(x)) continue;
    *x = std::clamp(*x, box.lower[i], box.upper[i]);
    if (box.lower[i] == box.upper[i]) {
      problem.SetParameterBlockConstant(x);
      continue;
    }
    if (std::isfinite(box.lower[i])) problem.SetParameterLowerBound(x, 0, box.lower[i]);
    if (std::isfinite(box.upper[i])) problem.SetParameterUpperBound(x, 0, box.upper[i]);
  }

  CeresResult result = solve_with_ceres(problem, options);
  result.unknowns = evaluation.x;
  return result;
}

}  // namespace thallo::test
