// How to write an energy in C++, step by step. (In Lua the same energy for one formula is
//
//   local N, P = Dims("N", "P")
//   Inputs { b = Unknown(float, {P}, 0), x1 = Array(float, {N}, 1), y = Array(float, {N}, 2) }
//   local i = N()
//   Residuals { fit = y(i) - b(0) * (1 - exp(-b(1) * x1(i))) }
//
// The builder is the better way where the energy is computed, as it is here from a table of twenty
// formulas.)
#include "problems/curve_fit/energy.h"

#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/energy/builder.h"

namespace thallo::curve_fit {

Expected<Energy> make_energy(const Model& model) {
  // 1. A builder collects the energy. Its name appears in reports and file names.
  EnergyBuilder e(fmt::format("curve_fit_{}", model.name));

  // 2. Dims are named extents. How large they are is not said here: that comes with the data of a
  //    solve, and one compiled energy serves every size.
  const DimId N = e.dim("N");  // observations
  const DimId P = e.dim("P");  // parameters

  // 3. Fields live over dims: unknowns are solved for, arrays are given. Names are what the data
  //    will be bound by.
  const FieldHandle b = e.unknown("b", {P});
  const FieldHandle y = e.array("y", {N});
  std::vector<FieldHandle> predictors;
  for (int k = 1; k <= model.num_predictors; ++k) {
    predictors.push_back(e.array(fmt::format("x{}", k), {N}));
  }

  // 4. A domain is a loop variable over a dim. Reading a field at a domain makes the expression
  //    depend on it; reading at a constant picks one element, the same one for every i.
  const IndexExpr i = e.domain(N);
  std::vector<Expr> parameters;
  for (int k = 0; k < model.num_parameters; ++k) parameters.push_back(b(k));
  std::vector<Expr> values;
  for (const FieldHandle& predictor : predictors) values.push_back(predictor(i));

  // 5. Expressions compute like numbers; derivatives are taken for you. models.cpp has the
  //    formulas.
  const Expr f = model.expression(Numbered<Expr>(parameters), Numbered<Expr>(values));
  const Expr observed = model.log_response ? log(y(i)) : Expr(y(i));

  // 6. A residual exists for every point of the domains it reads, here for every i. The energy is
  //    half the sum of their squares.
  e.residual("fit", {observed - f});

  // 7. Building checks everything at once (ranks, dims, unused inputs ...) and hands out an
  //    immutable Energy, or a Diagnostic that lists all faults.
  return std::move(e).build();
}

}  // namespace thallo::curve_fit
