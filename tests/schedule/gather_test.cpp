// Which transposed products can be computed at the output, and which JtJ can be stored.

#include "core/schedule/gather.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/energies.h"

namespace thallo {
namespace {

using testing::HasSubstr;

const std::vector<ResidualRef> first_residual = {{0, 0}};

TEST(Gather, AStencilHasInversesAndFixedOffsets) {
  EnergyBuilder e("stencil");
  const DimId W = e.dim("W");
  const auto X = e.unknown("X", {W});
  const IndexExpr x = e.domain(W, "x");
  e.residual("r", 2 * X(x) - X(x - 1) - X(x + 1));
  const Energy energy = test::build(std::move(e));
  EXPECT_TRUE(check_gather(energy, first_residual));
  EXPECT_TRUE(check_jtj(energy, first_residual));
}

TEST(Gather, OffsetsThatASumVariesAreNotFixed) {
  EnergyBuilder e("convolution");
  const DimId W = e.dim("W"), K = e.dim("K");
  const auto X = e.unknown("X", {W});
  const auto kernel = e.array("Kernel", {K});
  const IndexExpr x = e.domain(W, "x"), k = e.domain(K, "k");
  e.residual("r", e.sum({k}, kernel(k) * X(x + k)) - 1.0 * e.value_of(x));
  const Energy energy = test::build(std::move(e));
  EXPECT_TRUE(check_gather(energy, first_residual));
  const Expected<void> jtj = check_jtj(energy, first_residual);
  ASSERT_FALSE(jtj);
  EXPECT_THAT(jtj.error().what, HasSubstr("at no fixed offset: it varies with the domain 'k'"));
}

TEST(Gather, AMapHasNoInverse) {
  EnergyBuilder e("graph");
  const DimId N = e.dim("N"), E = e.dim("E");
  const auto X = e.unknown("X", {N});
  const auto head = e.map("head", {E}, {N});
  const IndexExpr edge = e.domain(E, "e");
  e.residual("r", X(head(edge)) - 1.0);
  const Energy energy = test::build(std::move(e));
  for (const auto& check : {check_gather, check_jtj}) {
    const Expected<void> legal = check(energy, first_residual);
    ASSERT_FALSE(legal);
    EXPECT_EQ(legal.error().what,
              "X(head(e)) of residual r has no inverse: it goes through a sparse map");
  }
}

}  // namespace
}  // namespace thallo
