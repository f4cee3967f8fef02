#include "core/kernel/lowering/part_expressions.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <functional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "core/kernel/lowering/sum.h"
#include "tests/support/energies.h"

namespace thallo {
namespace {

using testing::ElementsAre, testing::IsEmpty, testing::SizeIs;

// Expressions that are equal are one node of the graph: what is expected is written down as its
// mathematics, and ids are compared.
class PartExpressionsOf {
 public:
  PartExpressionsOf(Energy energy, const std::function<void(Plan&)>& change_plan = {})
      : energy_(std::move(energy)), plan_(default_plan(energy_)) {
    if (change_plan) change_plan(plan_);
    for (const PlannedSum& sum : plan_.sums)
      if (sum.is_parallel) lower_sum(b, sum);
    e = part_expressions(b, plan_.parts.front());
  }

  DomainId domain(std::size_t i = 0) const { return plan_.parts.front().order.at(i); }
  IndexId at(DomainId domain, std::int64_t offset = 0) {
    IndexTable& indices = g.indices();
    return indices.intern(
        MultiIndex{indices.add(indices.component(domain), IndexTable::component(offset))});
  }
  // Where two loop variables are added.
  IndexId at(DomainId first, DomainId second) {
    IndexTable& indices = g.indices();
    return indices.intern(
        MultiIndex{indices.add(indices.component(first), indices.component(second))});
  }
  ExprId read(const char* field, IndexId index, int channel = 0) {
    return b.read(energy_.find_field(field), index, channel);
  }
  ExprId p(const char* unknown, IndexId index) {
    return b.read(b.vector_view(SolverVector::P, energy_.find_field(unknown)), index);
  }
  ExprId number(double value) { return g.constant(value); }

  // The target of the unknown X at an index.
  const Target& target(IndexId index, int channel = 0) const {
    const auto found = std::ranges::find_if(e.targets, [&](const Target& t) {
      return t.unknown == energy_.find_field("X") && t.index == index && t.channel == channel;
    });
    if (found == e.targets.end()) throw std::runtime_error("no such target");
    return *found;
  }
  // The derivatives of the part's residuals by a target, 0 where there is no entry.
  std::vector<ExprId> derivatives(const Target& target) {
    std::vector<ExprId> result(e.residuals.size(), number(0));
    for (const JacobianEntry& entry : target.entries) result.at(entry.residual) = entry.derivative;
    return result;
  }

 private:
  Energy energy_;
  Plan plan_;

 public:
  ProgramBuilder b{energy_, plan_, {}};
  ExprGraph& g = b.graph();
  PartExpressions e;
};

// X(w)^2 - X(w + 1) and 3 X(w) A(w)
Energy two_residuals() {
  EnergyBuilder e("two");
  const DimId W = e.dim("W");
  const auto X = e.unknown("X", {W});
  const auto A = e.array("A", {W});
  const IndexExpr w = e.domain(W);
  e.residual("r", {X(w) * X(w) - X(w + 1), 3 * (X(w) * A(w))});
  return test::build(std::move(e));
}

TEST(PartExpressions, CollectPartialsByTheUnknownScalarTheyBelongTo) {
  PartExpressionsOf part(two_residuals());
  ExprGraph& g = part.g;
  const IndexId here = part.at(part.domain()), next = part.at(part.domain(), 1);
  const ExprId x = part.read("X", here), three = part.number(3);
  EXPECT_THAT(part.e.residuals, ElementsAre(g.sub(g.powi(x, 2), part.read("X", next)),
                                            g.mul(three, g.mul(x, part.read("A", here)))));
  ASSERT_THAT(part.e.targets, SizeIs(2));
  EXPECT_THAT(part.derivatives(part.target(here)),
              ElementsAre(g.mul(part.number(2), x), g.mul(three, part.read("A", here))));
  EXPECT_THAT(part.derivatives(part.target(next)), ElementsAre(part.number(-1), part.number(0)));
  EXPECT_THAT(part.target(next).entries, SizeIs(1)) << "only what is not 0";
}

// X(w) + s(w), where s = sin X(w) + X(w + 1): X(w) is reached in two ways.
TEST(PartExpressions, AddThePartialsOfAllWaysToAnUnknown) {
  EnergyBuilder e("ways");
  const DimId W = e.dim("W");
  const auto X = e.unknown("X", {W});
  const IndexExpr w = e.domain(W);
  const auto s = e.intermediate("s", std::vector{w}, sin(X(w)) + X(w + 1));
  e.residual("r", X(w) + s(w));
  PartExpressionsOf part(test::build(std::move(e)));
  const IndexId here = part.at(part.domain());
  const ExprId cosine = part.g.unary(Op::Cos, part.read("X", here));
  EXPECT_THAT(part.derivatives(part.target(here)), ElementsAre(part.g.add(part.number(1), cosine)));
}

TEST(PartExpressions, TellTheChannelsOfAnUnknownApart) {
  EnergyBuilder e("channels");
  const DimId W = e.dim("W");
  const auto X = e.unknown("X", {W}, 2);
  const IndexExpr w = e.domain(W);
  e.residual("r", X(w)[0] * sin(X(w)[1]));
  PartExpressionsOf part(test::build(std::move(e)));
  ExprGraph& g = part.g;
  const IndexId here = part.at(part.domain());
  const ExprId x = part.read("X", here, 0), y = part.read("X", here, 1);
  EXPECT_THAT(part.e.targets, SizeIs(2));
  EXPECT_THAT(part.derivatives(part.target(here, 0)), ElementsAre(g.unary(Op::Sin, y)));
  EXPECT_THAT(part.derivatives(part.target(here, 1)), ElementsAre(g.mul(x, g.unary(Op::Cos, y))));
}

TEST(PartExpressions, OfResidualsWithoutLossHaveWeightOneAndTheirSquaresAsCosts) {
  PartExpressionsOf part(two_residuals());
  const std::vector<ExprId>& r = part.e.residuals;
  EXPECT_THAT(part.e.weights, ElementsAre(part.number(1), part.number(1)));
  EXPECT_THAT(part.e.costs, ElementsAre(part.g.powi(r[0], 2), part.g.powi(r[1], 2)));
}

// The Cauchy loss of scale 2: rho(s) = 4 log(1 + s / 4), rho'(s) = 1 / (1 + s / 4), with the square
// of both residuals for s, also in a part that has one of them.
TEST(PartExpressions, OfAGroupWithLossShareOneCostAndOneWeightInJtJToo) {
  const auto make = [] {
    EnergyBuilder e("robust");
    const DimId W = e.dim("W");
    const auto X = e.unknown("X", {W}, 2);
    const IndexExpr w = e.domain(W);
    e.residual("r", {X(w)[0] - 1, 5 * X(w)[1]});
    e.loss("r", "cauchy", 2);
    return test::build(std::move(e));
  };
  PartExpressionsOf whole(make());
  ExprGraph& g = whole.g;
  const IndexId here = whole.at(whole.domain());
  const ExprId first = g.sub(whole.read("X", here, 0), whole.number(1));
  const ExprId second = g.mul(whole.number(5), whole.read("X", here, 1));
  const ExprId s = g.add(g.powi(first, 2), g.powi(second, 2));
  const ExprId inner = g.add(whole.number(1), g.mul(whole.number(0.25), s));
  const ExprId weight = g.powi(inner, -1);
  EXPECT_THAT(whole.e.weights, ElementsAre(weight, weight));
  EXPECT_THAT(whole.e.costs,
              ElementsAre(g.mul(whole.number(4), g.unary(Op::Log, inner)), whole.number(0)));
  const Target& y = whole.target(here, 1);
  EXPECT_EQ(normal_entry(g, whole.e, y, y), g.mul(whole.number(25), weight));

  PartExpressionsOf last(make(), [](Plan& plan) {
    std::erase(plan.parts.front().residuals, ResidualRef{0, 0});
  });
  EXPECT_THAT(last.e.residuals, SizeIs(1));
  EXPECT_THAT(last.e.costs, ElementsAre(last.number(0)))
      << "it is added by the part that has the first residual";
  ASSERT_THAT(last.e.weights, SizeIs(1));
  const auto num_reads = [&](ExprId root) { return last.g.accesses(std::span(&root, 1)).size(); };
  EXPECT_EQ(num_reads(last.e.weights[0]), 2u) << "of both channels";
}

// Groups over the same dim, each with a loop variable of its own.
TEST(PartExpressions, OfAMergedPartAreOverItsOwnDomains) {
  EnergyBuilder e("merged");
  const DimId W = e.dim("W");
  const auto X = e.unknown("X", {W});
  const auto A = e.array("A", {W});
  const IndexExpr i = e.domain(W, "i"), j = e.domain(W, "j");
  e.residual("first", X(i) - 1);
  e.residual("second", X(j) * A(j + 1));
  PartExpressionsOf part(test::build(std::move(e)), [](Plan& plan) {
    plan.parts[0].residuals.push_back(plan.parts[1].residuals.front());
    plan.parts.pop_back();
  });
  const IndexId here = part.at(part.domain());
  const ExprId next = part.read("A", part.at(part.domain(), 1));
  EXPECT_EQ(part.e.residuals.at(1), part.g.mul(part.read("X", here), next));
  ASSERT_THAT(part.e.targets, SizeIs(1));
  EXPECT_THAT(part.derivatives(part.target(here)), ElementsAre(part.number(1), next));
}

// Jt q at X(w) is 2 X(w) q0 + 3 A(w) q1, at X(w + 1) it is -q0.
TEST(PartExpressions, GiveTheTransposedProduct) {
  PartExpressionsOf part(two_residuals());
  ExprGraph& g = part.g;
  const IndexId here = part.at(part.domain()), next = part.at(part.domain(), 1);
  const ExprId q[] = {part.b.state(StateSlot::SumA), part.b.state(StateSlot::SumB)};
  const auto product = [&](const Target& target) {
    return transposed_product(g, target,
                              [&](const JacobianEntry& entry) { return q[entry.residual]; });
  };
  const ExprId factors[] = {part.number(2), part.read("X", here), q[0]};
  const ExprId other[] = {part.number(3), part.read("A", here), q[1]};
  EXPECT_EQ(product(part.target(here)), g.add(g.mul(factors), g.mul(other)));
  EXPECT_EQ(product(part.target(next)), g.neg(q[0]));
}

// Jp is 2 X(w) p(w) - p(w + 1) and 3 A(w) p(w).
TEST(PartExpressions, GiveTheProductOfJWithTheDirection) {
  PartExpressionsOf part(two_residuals());
  ExprGraph& g = part.g;
  const IndexId here = part.at(part.domain()), next = part.at(part.domain(), 1);
  const ExprId p = part.p("X", here);
  const ExprId first[] = {part.number(2), part.read("X", here), p};
  const ExprId second[] = {part.number(3), part.read("A", here), p};
  EXPECT_THAT(jacobian_product(part.b, part.e),
              ElementsAre(g.sub(g.mul(first), part.p("X", next)), g.mul(second)));
}

// The entry of X(w) and X(w) is 4 X(w)^2 + 9 A(w)^2, that of X(w) and X(w + 1) is -2 X(w): the
// second residual does not read X(w + 1).
TEST(PartExpressions, GiveTheEntriesOfJtJ) {
  PartExpressionsOf part(two_residuals());
  ExprGraph& g = part.g;
  const IndexId here = part.at(part.domain()), next = part.at(part.domain(), 1);
  const Target &x = part.target(here), &y = part.target(next);
  const ExprId squares[] = {g.mul(part.number(4), g.powi(part.read("X", here), 2)),
                            g.mul(part.number(9), g.powi(part.read("A", here), 2))};
  const ExprId mixed = g.mul(part.number(-2), part.read("X", here));
  EXPECT_EQ(normal_entry(g, part.e, x, x), g.add(squares));
  EXPECT_EQ(normal_entry(g, part.e, x, y), mixed);
  EXPECT_EQ(normal_entry(g, part.e, y, x), mixed);
}

// A(n) + sum over k of T(k) X(n + k)
class PartExpressionsOfASum : public testing::Test {
 protected:
  static Energy make_energy() {
    EnergyBuilder e("blur");
    const DimId N = e.dim("N"), K = e.dim("K");
    const auto X = e.unknown("X", {N});
    const auto A = e.array("A", {N}), T = e.array("T", {K});
    const IndexExpr n = e.domain(N, "n"), k = e.domain(K, "k");
    e.residual("r", A(n) + e.sum({k}, T(k) * X(n + k)));
    return test::build(std::move(e));
  }
};

TEST_F(PartExpressionsOfASum, HaveItsDomainsAsLoops) {
  PartExpressionsOf part(make_energy());
  ASSERT_THAT(part.e.targets, SizeIs(1));
  const Target& target = part.e.targets.front();
  ASSERT_THAT(target.loops, SizeIs(1));
  const DomainId k = target.loops.front();
  EXPECT_EQ(target.index, part.at(part.domain(), k));
  const ExprId weight = part.read("T", part.at(k));
  EXPECT_THAT(part.derivatives(target), ElementsAre(weight));
  EXPECT_FALSE(part.e.has_parallel_sums);
  const ExprId direction = part.p("X", part.at(part.domain(), k));
  EXPECT_THAT(jacobian_product(part.b, part.e),
              ElementsAre(part.g.sum({k}, part.g.mul(weight, direction))));
}

// The sum over k and k' of T(k) T(k') pairs each point of the Sum with every other.
TEST_F(PartExpressionsOfASum, HaveOtherLoopsAtTheOtherEndOfAnEntryOfJtJ) {
  PartExpressionsOf part(make_energy());
  const Target row = part.e.targets.at(0);
  const Target col = with_fresh_loops(part.b, part.e.targets).at(0);
  ASSERT_THAT(col.loops, SizeIs(1));
  const DomainId k = row.loops[0], other = col.loops[0];
  EXPECT_NE(k, other);
  EXPECT_EQ(part.g.indices().domain(other).dim, part.g.indices().domain(k).dim);
  EXPECT_EQ(col.index, part.at(part.domain(), other));
  EXPECT_EQ(normal_entry(part.g, part.e, row, col),
            part.g.mul(part.read("T", part.at(k)), part.read("T", part.at(other))));
}

// Jp reads the Sum's own Jp, which another kernel adds up; the transposed product goes on to X.
TEST_F(PartExpressionsOfASum, EndAtItInJpWhereItIsParallel) {
  PartExpressionsOf part(make_energy(), [](Plan& plan) { plan.sums.at(0).is_parallel = true; });
  EXPECT_TRUE(part.e.has_parallel_sums);
  ASSERT_THAT(part.e.targets, SizeIs(1));
  EXPECT_THAT(part.e.targets[0].loops, SizeIs(1));
  ASSERT_THAT(part.e.jp_targets, SizeIs(1));
  const Target& direct = part.e.jp_targets.front();
  EXPECT_THAT(direct.loops, IsEmpty());
  const StoredSum* sum = part.b.find_stored_sum(direct.unknown);
  ASSERT_NE(sum, nullptr);
  EXPECT_THAT(part.derivatives(direct), ElementsAre(part.number(1)));
  const std::vector<ExprId> product = jacobian_product(part.b, part.e);
  EXPECT_THAT(product, ElementsAre(part.b.read(sum->product, part.at(part.domain()))));
}

TEST(PartKernel, IsEmptyAndSaysWhatItIsOf) {
  const Part part{.name = "fit"};
  const Kernel kernel = part_kernel(part, Role::JtJp, "apply_jtjp");
  EXPECT_EQ(kernel.role, "apply_jtjp");
  EXPECT_EQ(kernel.label, "apply_jtjp [fit]");
  EXPECT_EQ(kernel.part, "fit");
  EXPECT_EQ(kernel.part_role, Role::JtJp);
  EXPECT_THAT(kernel.sections, IsEmpty());
}

}  // namespace
}  // namespace thallo
