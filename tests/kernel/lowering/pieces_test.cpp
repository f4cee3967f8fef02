#include "core/kernel/lowering/pieces.h"

#include <gmock/gmock.h>

#include <vector>

#include "core/kernel/generate.h"
#include "core/kernel/lower.h"
#include "tests/support/energies.h"

namespace thallo {
namespace {

using testing::ElementsAre, testing::SizeIs;

// `count` residuals in one group, of an unknown of their own each: exp(a) sin(b) - c.
Energy wide_group(int count) {
  EnergyBuilder e("wide");
  const DimId M = e.dim("M"), N = e.dim("N");
  const auto A = e.unknown("A", {M, N}), B = e.unknown("B", {M, N});
  const auto C = e.array("C", {M, N});
  const IndexExpr n = e.domain(N, "n");
  std::vector<Expr> residuals;
  for (int i = 0; i < count; ++i)
    residuals.push_back(exp(A(IndexExpr(i), n)) * sin(B(IndexExpr(i), n)) - C(IndexExpr(i), n));
  e.residual("fit", residuals);
  return test::build(std::move(e));
}

std::vector<std::size_t> ends(const Energy& energy, std::size_t max_nodes) {
  const Plan plan = default_plan(energy);
  ProgramBuilder builder(energy, plan, {});
  const PartExpressions e = part_expressions(builder, plan.parts.front());
  return piece_ends(builder.graph(), e, max_nodes);
}

TEST(Pieces, HaveConsecutiveResidualsUnlessAGroupIsSmallOrHasALoss) {
  EXPECT_THAT(ends(wide_group(4), 2000), ElementsAre(4));
  EXPECT_THAT(ends(wide_group(4), 1), ElementsAre(1, 2, 3, 4));
  const std::vector<std::size_t> some = ends(wide_group(100), 200);
  EXPECT_GT(some.size(), 3u);
  EXPECT_LT(some.size(), 20u);
  EXPECT_EQ(some.back(), 100u);
  EXPECT_TRUE(std::ranges::is_sorted(some));
  // Each piece would compute the weight, which is made of all residuals.
  EnergyBuilder e("robust");
  const DimId N = e.dim("N");
  const auto X = e.unknown("X", {N}, 12);
  const IndexExpr n = e.domain(N, "n");
  std::vector<Expr> residuals;
  for (int c = 0; c < 12; ++c) residuals.push_back(sin(X(n)[c]));
  e.residual("r", residuals);
  e.loss("r", "cauchy", 2);
  EXPECT_THAT(ends(test::build(std::move(e)), 1), ElementsAre(12));
}

TEST(Pieces, ShareOutResidualsAndTargets) {
  const Energy energy = wide_group(3);
  const Plan plan = default_plan(energy);
  ProgramBuilder builder(energy, plan, {});
  const PartExpressions whole = part_expressions(builder, plan.parts.front());
  const std::vector<PartExpressions> pieces = in_pieces(builder.graph(), whole, 1);
  ASSERT_THAT(pieces, SizeIs(3));
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    EXPECT_THAT(pieces[i].residuals, ElementsAre(whole.residuals[i]));
    EXPECT_THAT(pieces[i].costs, ElementsAre(whole.costs[i]));
    ASSERT_THAT(pieces[i].targets, SizeIs(2));
    for (const Target& target : pieces[i].targets) {
      ASSERT_THAT(target.entries, SizeIs(1));
      EXPECT_EQ(target.entries[0].residual, 0u);
    }
  }
}

// What no compiler can take long for: every kernel of a very large group is small.
TEST(Pieces, BoundTheKernelsOfAVeryLargeGroup) {
  const Energy energy = wide_group(2000);
  const GeneratedProgram generated = generate(make_program(energy, default_plan(energy), {}));
  std::size_t largest = 0;
  for (const KernelCode& code : generated.codes) {
    std::size_t values = 0;
    for (const CodeBody& section : code.sections) values += section.values.size();
    largest = std::max(largest, values);
  }
  EXPECT_GT(generated.codes.size(), 30u);
  EXPECT_LT(largest, 6000u);
}

}  // namespace
}  // namespace thallo
