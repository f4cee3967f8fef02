// Energies of n like things take about n times the work, from what is found in them to their code.
// Work is counted in steps (core/base/stop_scope.h), which are the same on every machine.

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <limits>
#include <string>

#include "core/base/stop_scope.h"
#include "core/energy/builder.h"
#include "core/energy/found/intermediates.h"
#include "core/kernel/generate.h"
#include "core/kernel/lower.h"
#include "tests/support/damped_blocks.h"
#include "tests/support/energies.h"

namespace thallo {
namespace {

struct Growing {
  const char* name;
  // Makes the residual of n things, of an unknown X and an array A over the points i.
  std::function<Expr(EnergyBuilder& e, const FieldHandle& X, const FieldHandle& A,
                     const IndexExpr& i, int n)>
      residual;
};

std::int64_t steps_of(const Growing& growing, int n) {
  EnergyBuilder e("growing");
  const DimId N = e.dim("N");
  const auto X = e.unknown("X", {N});
  const auto A = e.array("A", {N});
  const IndexExpr i = e.domain(N);
  e.residual("r", growing.residual(e, X, A, i, n) + 0.1 * A(i)[0]);
  const Energy energy = test::build(std::move(e));
  const StepLimit limit(std::numeric_limits<std::int64_t>::max());
  const Energy found = with_found_intermediates(energy, FoundSites::None);
  generate(make_program(found, default_plan(found), test::damped_blocks));
  return limit.steps();
}

Expr functions_of_functions(EnergyBuilder&, const FieldHandle& X, const FieldHandle&,
                            const IndexExpr& i, int n) {
  Expr x = X(i)[0];
  for (int k = 1; k <= n; ++k) x = sin(x) + 0.5;
  return x;
}

// A text may nest expressions 10,000 deep.
TEST(Growth, InDepthFitsTheStack) { EXPECT_GT(steps_of({"", functions_of_functions}, 4900), 4900); }

TEST(Growth, IsInProportionToTheEnergy) {
  const Growing growing[] = {
      {"terms",
       [](auto&, auto& X, auto& A, auto& i, int n) {
         Expr sum = 0;
         for (int k = 1; k <= n; ++k) sum = sum + sin(X(i)[0] * k) * A(i)[0];
         return sum;
       }},
      {"reads",
       [](auto&, auto& X, auto&, auto& i, int n) {
         Expr sum = 0;
         for (int k = 1; k <= n; ++k) sum = sum + X(i + k)[0] * X(i + k)[0] * k;
         return sum;
       }},
      {"factors",
       [](auto&, auto& X, auto&, auto& i, int n) {
         Expr product = 1;
         for (int k = 1; k <= n; ++k) product = product * (X(i)[0] + k);
         return product;
       }},
      {"factors that read",
       [](auto&, auto& X, auto&, auto& i, int n) {
         Expr product = 1;
         for (int k = 1; k <= n; ++k) product = product * (X(i + k)[0] + 1);
         return product;
       }},
      {"functions of functions", functions_of_functions},
      {"multiples of sums",
       [](auto&, auto& X, auto&, auto& i, int n) {
         Expr x = X(i)[0];
         for (int k = 1; k <= n; ++k) x = (x * x + x) * 0.3;
         return x;
       }},
      {"sums that repeat",
       [](auto&, auto& X, auto& A, auto& i, int n) {
         Expr x = X(i)[0];
         for (int k = 1; k <= n; ++k) x = x + x * A(i)[0] + X(i)[0];
         return x;
       }},
      {"intermediates of intermediates",
       [](auto& e, auto& X, auto& A, auto& i, int n) {
         Expr x = X(i)[0];
         for (int k = 1; k <= n; ++k)
           x = e.intermediate("x" + std::to_string(k), {i}, 0.5 * x + A(i)[0])(i)[0];
         return x;
       }},
  };
  for (const Growing& g : growing) {
    const std::int64_t steps = steps_of(g, 100);
    // Up to some hundred operands, sums are made as they are written, which takes n^2 for so many.
    EXPECT_LT(steps_of(g, 400), 8 * steps) << g.name << ": " << steps;
  }
}

}  // namespace
}  // namespace thallo
