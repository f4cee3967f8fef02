#include "core/problem/blended_constraints.h"

#include <cstddef>
#include <string>

#include <fmt/format.h>

namespace thallo {

BlendedConstraints::~BlendedConstraints() = default;

Expected<bool> BlendedProblem::advance(Instance& instance, int solve,
                                       const Solution& /*solution*/) const {
  const auto& data = dynamic_cast<const BlendedConstraints&>(*instance.data);
  if (solve + 1 >= data.num_solves) return false;
  instance.binding.field(data.constraints) = data.at_solve(solve + 1);
  return true;
}

ReportTable blended_solves(const BlendedConstraints& data, const Solution& solution) {
  ReportTable table{"solves",
                    "The solves: the handles' fraction of their way, the cost before and after",
                    {"solve", "fraction", "initial cost", "final cost"}};
  for (std::size_t i = 0; i < solution.solves.size(); ++i) {
    const SolverSummary& solve = solution.solves[i];
    table.rows.push_back(
        {std::to_string(i + 1), fmt::format("{:.4f}", data.fraction(static_cast<int>(i))),
         fmt::format("{:.6e}", solve.initial_cost), fmt::format("{:.6e}", solve.final_cost)});
  }
  return table;
}

}  // namespace thallo
