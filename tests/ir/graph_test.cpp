#include "core/ir/graph.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <memory>
#include <optional>

#include "core/energy/builder.h"

namespace thallo {
namespace {

using testing::ElementsAre, testing::IsEmpty;

// An image X, a map v and domains x, y of the image and k of a small window.
struct Graph : ::testing::Test {
  EnergyBuilder e{"graph"};
  DimId W = e.dim("W"), H = e.dim("H"), K = e.dim("K");
  FieldHandle X = e.unknown("X", {W, H}), A = e.array("A", {K, W});
  MapHandle v = e.map("v", {W}, {W});
  IndexExpr x = e.domain(W, "x"), y = e.domain(H, "y"), k = e.domain(K, "k");
  ExprGraph& g = e.graph();

  static Affine plus(const IndexExpr& index, int offset) { return (index + offset).affine(); }
};

TEST_F(Graph, OperandsHaveSmallerIdsAndExpressionsKnowTheirDomains) {
  const Expr r = sin(X(x, y) * X(x + 1, y)) / (2 + X(x, y)) + e.sum(std::vector{k}, A(k, x));
  for (const ExprId id : g.reachable(std::vector{r.id()}))
    for (const ExprId operand : g.operands(id)) EXPECT_LT(operand, id);
  const Expr sum = e.sum(std::vector{k}, A(k, x) * e.value_of(y));
  EXPECT_THAT(g.free_domains(sum.id()), ElementsAre(x.domain(), y.domain()));
  const Expr masked = e.in_bounds(y + 1) * X(v(x), 0);
  EXPECT_THAT(g.free_domains(masked.id()), ElementsAre(x.domain(), y.domain()));
  EXPECT_THAT(g.access_domains(masked.id()), ElementsAre(x.domain()))
      << "a bounds test gives a residual no domain";
}

TEST_F(Graph, HashAndOperandOrderDoNotDependOnTheBuildOrder) {
  const auto build = [](bool backwards) {
    auto builder = std::make_unique<EnergyBuilder>("order");
    const DimId N = builder->dim("N");
    const auto P = builder->unknown("P", {N}), Q = builder->array("Q", {N});
    const auto i = builder->domain(N);
    std::vector<Expr> parts(4);
    for (int n = 0; n < 4; ++n) {
      const int part = backwards ? 3 - n : n;
      const Expr p = P(i + part);
      const Expr q = Q(i);
      parts[static_cast<std::size_t>(part)] = backwards ? q * sin(p) - p : sin(p) * q - p;
    }
    const Expr sum = backwards ? parts[3] * parts[2] + parts[1] * parts[0]
                               : parts[0] * parts[1] + parts[2] * parts[3];
    return std::pair(std::move(builder), sum.id());
  };
  const auto [one, first] = build(false);
  const auto [two, second] = build(true);
  EXPECT_EQ(one->graph().hash(first), two->graph().hash(second));
  const auto hashes = [](const ExprGraph& graph, ExprId root) {
    std::vector<Hash128> result;
    for (const ExprId operand : graph.operands(root)) result.push_back(graph.hash(operand));
    return result;
  };
  EXPECT_EQ(hashes(one->graph(), first), hashes(two->graph(), second));
}

TEST_F(Graph, DecidesBoundsThatAreKnown) {
  EXPECT_TRUE(g.is_constant(g.in_bounds(x.affine(), W), 1)) << "x runs over W";
  EXPECT_FALSE(g.is_constant(g.in_bounds(x.affine(), H)));
  EXPECT_FALSE(g.is_constant(g.in_bounds(plus(x, 1), W)));
  EXPECT_TRUE(g.is_constant(g.in_bounds(IndexTable::component(std::int64_t{-1}), W), 0));
  EXPECT_FALSE(g.is_constant(g.in_bounds(IndexTable::component(std::int64_t{0}), W)))
      << "extents may be 0";
}

TEST_F(Graph, SubstitutesDomainsAndSimplifiesAgain) {
  const Expr r = X(x, y) * X(v(x + 1), y) + e.in_bounds(x - 1) * e.value_of(x);
  const DomainSubstitution shift = {{x.domain(), plus(x, 2)}};
  const Expr expected = X(x + 2, y) * X(v(x + 3), y) + e.in_bounds(x + 1) * e.value_of(x + 2);
  EXPECT_EQ(g.substitute(r.id(), shift), expected.id());
  EXPECT_EQ(g.substitute(r.id(), {{k.domain(), plus(x, 2)}}), r.id()) << "k does not occur";
  const Expr simpler = X(x, y) - X(x + 1, y);
  const IndexExpr fixed = 3;
  const ExprId both = g.substitute(simpler.id(), {{x.domain(), fixed.affine()}});
  EXPECT_EQ(both, (X(3, y) - X(4, y))[0].id());
  const ExprId product = (X(x, 0) * X(y, 0))[0].id();
  EXPECT_EQ(g.substitute(product, {{y.domain(), x.affine()}}), pow(X(x, 0), 2).id());
}

TEST_F(Graph, SubstitutionDoesNotCaptureBoundDomains) {
  // sum_k A(k, x) at x = k must not become sum_k A(k, k).
  const Expr sum = e.sum(std::vector{k}, A(k, x) * X(x, 0));
  const DomainSubstitution at_k = {{x.domain(), k.affine()}};
  const ExprId moved = g.substitute(sum.id(), at_k);
  EXPECT_THAT(g.free_domains(moved), ElementsAre(k.domain()));
  ASSERT_EQ(g.sum_domains(moved).size(), 1u);
  const DomainId renamed = g.sum_domains(moved)[0];
  EXPECT_NE(renamed, k.domain());
  const IndexExpr other(&e, g.indices().component(renamed));
  EXPECT_EQ(moved, e.sum(std::vector{other}, A(other, k) * X(k, 0)).id());
  // Done again it is the same expression.
  EXPECT_EQ(g.substitute(sum.id(), at_k), moved);
  // The bound domain itself is not there to be replaced.
  EXPECT_EQ(g.substitute(sum.id(), {{k.domain(), plus(x, 1)}}), sum.id());
}

TEST_F(Graph, RewritesLeavesAndSumsOverAllTheirDomains) {
  const Expr r = sin(X(x, y)) + X(x, y) * A(k, x);
  const ExprId read = Expr(X(x, y)).id();
  const ExprId result = g.rewrite(r.id(), [&](ExprId leaf) -> std::optional<ExprId> {
    if (leaf == read) return g.constant(2);
    return std::nullopt;
  });
  EXPECT_EQ(result, (sin(e.constant(2)) + 2 * A(k, x))[0].id());
  EXPECT_EQ(g.sum({}, read), read);
  const ExprId repeated = g.sum({k.domain()}, read);
  EXPECT_NE(repeated, read) << "k is not mentioned, but has points";
  EXPECT_TRUE(g.is_constant(g.sum({k.domain()}, g.constant(0)), 0));
  EXPECT_EQ(g.sum({x.domain(), k.domain()}, read), g.sum({k.domain(), x.domain()}, read));
}

TEST_F(Graph, FindsAccesses) {
  const Expr r = X(x, y) + 2 * A(k, x) * X(x, y);
  EXPECT_EQ(g.accesses(std::vector{r.id()}).size(), 2u);
  EXPECT_THAT(g.accesses(std::vector{g.constant(1)}), IsEmpty());
}

TEST_F(Graph, RewindingTakesBackWhatWasAddedSince) {
  const Expr kept = sin(X(x, y)) + A(k, x);
  const ExprGraph::Mark mark = g.mark();
  const auto add_more = [&] {
    const DomainId twin = g.indices().rename(k.domain(), std::vector{k.domain()});
    const ExprId read = g.access(A.id(), g.indices().intern(std::vector{twin, x.domain()}), 0);
    return g.mul(std::vector{kept.id(), read, g.constant(17)});
  };
  const std::size_t nodes = g.size();
  const std::size_t domains = g.indices().num_domains();
  const ExprId added = add_more();
  const Hash128 hash = g.hash(added);
  g.rewind(mark);
  EXPECT_EQ(g.size(), nodes);
  EXPECT_EQ(g.indices().num_domains(), domains);
  EXPECT_EQ(Expr(sin(X(x, y)) + A(k, x)).id(), kept.id()) << "what was there is found again";
  EXPECT_EQ(add_more(), added) << "ids are given again";
  EXPECT_EQ(g.hash(added), hash);
}

TEST_F(Graph, MasksProductsWhateverElseIsInThem) {
  const double infinity = std::numeric_limits<double>::infinity();
  const double values[] = {infinity, 0, 2};
  const bool second_is_boolean[] = {false, true, false};
  const bool none[] = {false, false, false};
  EXPECT_EQ(ExprGraph::evaluate_product(values, second_is_boolean), 0);
  EXPECT_TRUE(std::isnan(ExprGraph::evaluate_product(values, none)));
}

TEST_F(Graph, NodesHaveTheLineWhereTheyWereFirstWrittenOrThatOfTheirOperands) {
  const auto on = [this](int line, const auto& make) {
    const ExprGraph::LineScope scope(g, line);
    return make();
  };
  const ExprId a = on(3, [&] { return X(x, y)[0].id(); });
  const ExprId b = on(4, [&] { return A(k, x)[0].id(); });
  EXPECT_EQ(g.line(on(7, [&] { return X(x, y)[0].id(); })), 3);
  const ExprId square = g.powi(a, 2);
  const ExprId product = g.mul(square, b);
  EXPECT_EQ(g.line(square), 3);
  EXPECT_EQ(g.line(g.add(square, g.constant(2))), 3);
  EXPECT_EQ(g.line(product), 0);
  EXPECT_EQ(g.line(g.add(product, square)), 0);
  EXPECT_EQ(g.line(g.constant(12345)), 0);
  EXPECT_THAT(g.lines(std::vector{product}), ElementsAre(3));

  const ExprId written = on(5, [&] { return g.unary(Op::Sin, product); });
  const DomainId domain = g.indices().domains_of(x.affine()).front();
  const ExprId moved = g.substitute(written, {{domain, plus(x, 1)}});
  EXPECT_NE(moved, written);
  EXPECT_EQ(g.line(moved), 5);
  EXPECT_THAT(g.lines(std::vector{moved}), ElementsAre(3, 5));
}

TEST_F(Graph, RewindingForgetsLines) {
  const ExprGraph::Mark mark = g.mark();
  {
    const ExprGraph::LineScope scope(g, 8);
    EXPECT_EQ(g.line(A(k, x)[0].id()), 8);
  }
  g.rewind(mark);
  EXPECT_EQ(g.line(A(k, x)[0].id()), 0);
}

}  // namespace
}  // namespace thallo
