// What linear solvers ask about the systems of one instance of an energy, answered from its
// extents, its maps and the pattern of JtJ. Nothing is compiled for it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "core/energy/binding.h"
#include "core/linear/linear_case.h"
#include "core/linear/linear_solver.h"
#include "core/problem/sampled_rows.h"
#include "core/solve/options.h"

namespace thallo {

class InstanceCase final : public LinearCase {
 public:
  // All must outlive this object. If the tables of JtJ would take more than `memory_limit` bytes,
  // there is no factor.
  InstanceCase(const Energy& energy, const Binding& binding, const SolverOptions& options,
               const SampledRows& rows, std::int64_t memory_limit)
      : energy_(energy),
        binding_(binding),
        options_(options),
        rows_(rows),
        memory_limit_(memory_limit) {}

  // Sets the preconditioner that iterated() is about; at first it is jacobi.
  void ask_about(const Preconditioner* preconditioner) { preconditioner_ = preconditioner; }

  std::int64_t num_unknowns() const override { return binding_.num_unknowns(energy_); }
  bool is_damped() const override { return options_.solver == SolverKind::LevenbergMarquardt; }
  bool are_all_poses() const override;
  bool can_eliminate() const override;
  std::size_t most_read() const override { return longest_residual().read; }
  bool varies_weights() const override;
  int max_linear_iterations() const override { return options_.num_linear_iterations; }
  double diagonal_iterations() const override;
  IteratedSteps iterated() const override;
  Expected<EliminatedUnknowns> elimination(const LinearSolver& solver) const override;
  Expected<void> check_matrix() const override;
  Expected<FactorSize> factor() const override;
  Expected<FactorSize> kept_factor(const LinearSolver& solver) const override;
  // True if rounding in float hides what conjugate gradients with that solver have to find.
  bool outgrows_float(const LinearSolver& solver) const;
  // Returns up to how many linear iterations a first step pays beside one that forms and factors
  // the Schur complement which is left without that space; 0 if a solve is over before it does. It
  // is counted in operations, so that it is the same on every device.
  int loose_iterations(FieldId eliminated, const LinearSolver& solver) const;

 private:
  struct Graph {
    Expected<FactorSize> factor;
    double hops = 0;  // across the graph of elements; 0 if it is not known
  };
  // The residual that reads the most unknown scalars.
  struct LongestResidual {
    std::string group;
    std::size_t read = 0;
  };
  const LongestResidual& longest_residual() const;
  const Graph& graph() const;
  Graph make_graph() const;
  double num_points(const std::vector<DimId>& dims) const;
  double most_pairs(FieldId eliminated) const;
  const Field* find_grid() const;

  const Energy& energy_;
  const Binding& binding_;
  const SolverOptions& options_;
  const SampledRows& rows_;
  std::int64_t memory_limit_;
  const Preconditioner* preconditioner_ = jacobi_preconditioner();
  mutable std::map<const LinearSolver*, Expected<EliminatedUnknowns>> eliminations_;
  mutable std::optional<LongestResidual> longest_residual_;
  mutable std::optional<Graph> graph_;
  mutable std::optional<double> kept_hops_;
  mutable std::optional<Expected<FactorSize>> kept_factor_;
};

}  // namespace thallo
