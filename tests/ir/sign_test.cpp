#include "core/ir/sign.h"

#include <gtest/gtest.h>

#include "core/energy/builder.h"

namespace thallo {
namespace {

class Signs : public testing::Test {
 protected:
  bool is_nonnegative(const Expr& expr) { return thallo::is_nonnegative(e.graph(), e.id_of(expr)); }

  EnergyBuilder e{"signs"};
  const Expr x = e.param("x"), y = e.param("y");
};

TEST_F(Signs, OfSquaresAndWhatAComparisonFoundPositive) {
  for (const Expr& expr : {x * x, 1 + pow(y, 4), abs(x) * exp(y), sqrt(x), 1 / sqrt(x), x < y,
                           select(x < y, abs(x), sqrt(y)), freeze(x * x)})
    EXPECT_TRUE(is_nonnegative(expr));
  for (const Expr& expr :
       {x, x * y, x * x - 1, -abs(x), log(x), pow(x, 3), select(x < y, x, abs(y))})
    EXPECT_FALSE(is_nonnegative(expr));
  // It is not looked for as deep as an expression can be.
  Expr deep = x * x;
  for (int level = 0; level < 3000; ++level) deep = exp(deep) * y + abs(x);
  EXPECT_FALSE(is_nonnegative(deep));
  EXPECT_TRUE(is_nonnegative(select(0 < x, x, 1e-4)));
  EXPECT_TRUE(is_nonnegative(select(2 <= x, x, abs(y))));
  EXPECT_FALSE(is_nonnegative(select(0 < y, x, 1e-4)));
  EXPECT_FALSE(is_nonnegative(select(-1 < x, x, 1e-4)));
  EXPECT_FALSE(is_nonnegative(select(x < 0, x, 1e-4)));
  EXPECT_TRUE(is_nonnegative(select(x <= 1e-4, 1e-4, x)));
  EXPECT_TRUE(is_nonnegative(select(x < 0, abs(y), x)));
  EXPECT_FALSE(is_nonnegative(select(x < 0, y, x)));
  EXPECT_FALSE(is_nonnegative(select(x < -1, 1e-4, x)));
}

}  // namespace
}  // namespace thallo
