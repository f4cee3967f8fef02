// Which transposed products can be computed at the output, and which JtJ can be stored.

#include "core/schedule/gather.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "tests/support/energies.h"

namespace thallo {
namespace {

using testing::ElementsAre, testing::HasSubstr;

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

// Along a column, whose residuals all read its one unknown, and along a row.
TEST(Gather, NeighborsShareElementsThatDoNotVaryWithTheFastestDomain) {
  const Energy energy = test::columns_energy();
  Part part = default_plan(energy).parts.front();
  for (int turn = 0; turn < 2; ++turn) {
    const bool along_column =
        energy.graph().indices().domain(part.order.front()).dim == energy.find_dim("H");
    EXPECT_EQ(neighbors_share_elements(energy, part), along_column);
    std::ranges::reverse(part.order);
  }
}

TEST(Gather, AMapIsInvertedButTheOffsetsBetweenItsElementsAreNotKnown) {
  EnergyBuilder e("graph");
  const DimId N = e.dim("N"), E = e.dim("E");
  const auto X = e.unknown("X", {N});
  const auto head = e.map("head", {E}, {N});
  const IndexExpr edge = e.domain(E, "e");
  e.residual("r", X(head(edge)) - 1.0);
  const Energy energy = test::build(std::move(e));
  EXPECT_TRUE(check_gather(energy, first_residual));
  EXPECT_TRUE(reads_through_map(energy, first_residual));
  const Expected<void> legal = check_jtj(energy, first_residual);
  ASSERT_FALSE(legal);
  EXPECT_EQ(legal.error().what,
            "X(head(e)) of residual r has no inverse: it goes through a sparse map");
}

TEST(Gather, IsSaidOfAnyOfSeveralSpaces) {
  EnergyBuilder e("spaces");
  const DimId N = e.dim("N"), M = e.dim("M"), K = e.dim("K"), E = e.dim("E");
  const auto X = e.unknown("X", {N}), Y = e.unknown("Y", {M}), Z = e.unknown("Z", {K}),
             same = e.unknown("same", {N});
  const auto head = e.map("head", {E}, {N});
  const auto other = e.map("other", {E}, {M});
  const IndexExpr edge = e.domain(E, "e");
  e.residual("r", X(head(edge)) * same(head(edge)) * Y(other(edge) + 1) * Z(0) - 1.0);
  e.residual("one", X(head(edge)) - 1.0);
  const Energy energy = test::build(std::move(e));
  EXPECT_THAT(spaces_read(energy, first_residual), ElementsAre(0, 1, 2));
  EXPECT_THAT(gathers_of(energy, first_residual),
              ElementsAre(ComputeAt::Output, ComputeAt::output_of({0}), ComputeAt::output_of({1}),
                          ComputeAt::output_of({0, 1}), ComputeAt::output_of({2}),
                          ComputeAt::output_of({0, 2}), ComputeAt::output_of({1, 2})));
  EXPECT_TRUE(check_gather(energy, first_residual, ComputeAt::output_of({0})));
  EXPECT_EQ(
      check_gather(energy, first_residual, ComputeAt::output_of({0, 1})).error().what,
      "Y(other(e) + 1) of residual r has no inverse: it reads beside the element a sparse map "
      "says");
  EXPECT_EQ(check_gather(energy, first_residual, ComputeAt::output_of({2})).error().what,
            "Z(0) of residual r has no inverse: one of its components is the same everywhere");
  EXPECT_THAT(gathers_of(energy, {{1, 0}}), ElementsAre(ComputeAt::Output)) << "of a single space";
}

TEST(Gather, AMapHasNoInverseWhereItIsShiftedNestedOrReadTwice) {
  EnergyBuilder e("graph");
  const DimId N = e.dim("N"), E = e.dim("E");
  const auto X = e.unknown("X", {N});
  const auto Y = e.unknown("Y", {N, N});
  const auto head = e.map("head", {E}, {N});
  const auto edges = e.map("edges", {E}, {E});
  const IndexExpr edge = e.domain(E, "e");
  e.residual("shifted", X(head(edge) + 1) - 1.0);
  e.residual("nested", X(head(edges(edge))) - 1.0);
  e.residual("twice", Y(head(edge), head(edge)) - 1.0);
  const Energy energy = test::build(std::move(e));
  const char* reasons[] = {"it reads beside the element a sparse map says",
                           "the sparse map head is not read at a domain of the residual",
                           "a domain occurs in several of its components"};
  for (std::size_t group = 0; group < std::size(reasons); ++group) {
    const Expected<void> legal = check_gather(energy, {{group, 0}});
    ASSERT_FALSE(legal) << group;
    EXPECT_THAT(legal.error().what, HasSubstr(reasons[group]));
  }
}

}  // namespace
}  // namespace thallo
