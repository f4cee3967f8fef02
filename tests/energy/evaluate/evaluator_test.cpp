// Answers worked out by hand.

#include "core/energy/evaluate/evaluator.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "tests/support/energies.h"

namespace thallo {
namespace {

using test::bind;
using test::build;
using testing::DoubleNear, testing::ElementsAre, testing::Pointwise;

using Values = std::vector<double>;
using Matrix = std::vector<std::vector<double>>;

Matrix rows_of(const SparseMatrix& sparse) {
  const Values all = sparse.to_dense();
  Matrix result;
  for (auto row = all.begin(); row != all.end(); row += sparse.num_columns)
    result.emplace_back(row, row + sparse.num_columns);
  return result;
}

Matrix dense(const Linearization& l) { return rows_of(l.jacobian()); }

void expect_near(const Values& actual, const Values& expected) {
  EXPECT_THAT(actual, Pointwise(DoubleNear(1e-12), expected));
}
void expect_near(const Matrix& actual, const Matrix& expected) {
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t i = 0; i < actual.size(); ++i) expect_near(actual[i], expected[i]);
}

// r_i = x_i - x_{i+1} on a chain of three: the last point reads 0 beyond the border.
TEST(Evaluator, ChainLaplacian) {
  EnergyBuilder e("chain");
  const DimId N = e.dim("N");
  const auto X = e.unknown("X", {N});
  const auto i = e.domain(N);
  e.residual("step", X(i) - X(i + 1));
  const Energy energy = build(std::move(e));
  const Binding binding = bind(energy, {{{"N", 3}}, {{"X", Values{1, 4, 9}}}, {}, {}});
  EnergyEvaluator evaluator(energy, binding);

  const Linearization l = evaluator.linearize();
  EXPECT_THAT(l.residuals(), ElementsAre(-3, -5, 9));
  EXPECT_EQ(evaluator.residuals(), l.residuals());
  EXPECT_EQ(evaluator.cost(), (9 + 25 + 81) / 2.0);
  expect_near(dense(l), {{1, -1, 0}, {0, 1, -1}, {0, 0, 1}});
  expect_near(l.jtf(), {-3, -2, 14});
  expect_near(l.diagonal(), {1, 2, 2});
  expect_near(l.jtjp({1, 2, 3}), {-1, 0, 4});
  expect_near(rows_of(*l.jtj()), {{1, -1, 0}, {-1, 2, -1}, {0, -1, 2}});
  EXPECT_TRUE(l.jtj(7));
  EXPECT_FALSE(l.jtj(6)) << "two of the nine entries are none";
  expect_near(l.jtf_magnitude(), {1 + 4, (1 + 4) + (4 + 9), (4 + 9) + 9});
  expect_near(l.jtjp_magnitude({1, -2, 3}), {3, 8, 8});
}

// Masked differences on a 2 x 3 image, two residuals a point, a parameter.
TEST(Evaluator, StencilWithBorders) {
  EnergyBuilder e("smooth");
  const DimId W = e.dim("W"), H = e.dim("H");
  const auto X = e.unknown("X", {W, H});
  const Expr weight = e.param("weight");
  const auto x = e.domain(W), y = e.domain(H);
  e.residual("smooth", Vec{weight * e.in_bounds(x + 1) * (X(x, y) - X(x + 1, y)),
                           weight * e.in_bounds(y - 1) * (X(x, y) - X(x, y - 1))});
  const Energy energy = build(std::move(e));
  const Binding binding = bind(
      energy, {{{"W", 2}, {"H", 3}}, {{"X", Values{1, 2, 4, 8, 16, 32}}}, {}, {{"weight", 2}}});
  EnergyEvaluator evaluator(energy, binding);
  const Linearization l = evaluator.linearize();
  EXPECT_THAT(l.residuals(), ElementsAre(-2, 0, 0, 0, -8, 6, 0, 12, -32, 24, 0, 48));
  const Matrix J = dense(l);
  expect_near(J[0], {2, -2, 0, 0, 0, 0});  // (0, 0), right
  expect_near(J[1], {0, 0, 0, 0, 0, 0});   // (0, 0), above: outside
  expect_near(J[4], {0, 0, 2, -2, 0, 0});  // (0, 1), right
  expect_near(J[7], {0, -2, 0, 2, 0, 0});  // (1, 1), above
  const ResidualPlace place = evaluator.place(7);
  EXPECT_EQ(place.group, 0u);
  EXPECT_THAT(place.point, ElementsAre(1, 1));
  EXPECT_EQ(place.residual, 1u);
}

// Two maps that lead to the same node: J adds, d and the blocks do not cross.
TEST(Evaluator, AliasingMapsAddInJAndStaySeparateInD) {
  EnergyBuilder e("graph");
  const DimId N = e.dim("N"), E = e.dim("E");
  const auto X = e.unknown("X", {N});
  const auto v0 = e.map("v0", {E}, {N}), v1 = e.map("v1", {E}, {N});
  const auto edge = e.domain(E);
  e.residual("edge", 3 * X(v0(edge)) - 2 * X(v1(edge)));
  const Energy energy = build(std::move(e));
  const Binding binding = bind(
      energy, {{{"N", 2}, {"E", 2}}, {{"X", Values{5, 7}}}, {{"v0", {0, 1}}, {"v1", {1, 1}}}, {}});
  const Linearization l = EnergyEvaluator(energy, binding).linearize();
  EXPECT_THAT(l.residuals(), ElementsAre(1, 7));
  expect_near(dense(l), {{3, -2}, {0, 1}});
  expect_near(l.jtf(), {3, -2 + 7});
  expect_near(l.diagonal(), {9, 4 + 9 + 4});
  expect_near(l.jtjp({1, 1}), {3, -2 + 1});
  expect_near(l.blocks(0), {9, 17});
}

// The same access twice, written differently, is one access.
TEST(Evaluator, EqualAccessesAreAddedBeforeSquaring) {
  EnergyBuilder e("twice");
  const DimId N = e.dim("N");
  const auto X = e.unknown("X", {N});
  const auto i = e.domain(N);
  const auto T = e.intermediate("T", std::vector{i}, 2 * X(i));
  e.residual("r", 3 * X(i + 1) + T(i + 1));
  const Energy energy = build(std::move(e));
  const Binding binding = bind(energy, {{{"N", 2}}, {{"X", Values{1, 10}}}, {}, {}});
  const Linearization l = EnergyEvaluator(energy, binding).linearize();
  EXPECT_THAT(l.residuals(), ElementsAre(50, 0));
  expect_near(l.diagonal(), {0, 25});
}

TEST(Evaluator, NestedMaps) {
  EnergyBuilder e("nested");
  const DimId N = e.dim("N"), E = e.dim("E"), F = e.dim("F");
  const auto X = e.unknown("X", {N}, 2);
  const auto head = e.map("head", {E}, {N});
  const auto edge_of = e.map("edge_of", {F}, {E});
  const auto f = e.domain(F);
  e.residual("r", X(head(edge_of(f)))[1] * X(head(edge_of(f)) + 1)[0]);
  const Energy energy = build(std::move(e));
  const Binding binding = bind(energy, {{{"N", 3}, {"E", 2}, {"F", 2}},
                                        {{"X", Values{1, 2, 3, 4, 5, 6}}},
                                        {{"head", {2, 0}}, {"edge_of", {1, 0}}},
                                        {}});
  const Linearization l = EnergyEvaluator(energy, binding).linearize();
  // f = 0: node 0 and its successor 1; f = 1: node 2, whose successor is outside and reads 0.
  EXPECT_THAT(l.residuals(), ElementsAre(2 * 3, 0));
  expect_near(dense(l), {{0, 3, 2, 0, 0, 0}, {0, 0, 0, 0, 0, 0}});
}

// r_i = Σ_k A(k, i) x_k - y_i with the square of the sum: the points of the Sum count separately.
TEST(Evaluator, SumWithAnUnknownOutside) {
  EnergyBuilder e("sum");
  const DimId K = e.dim("K"), N = e.dim("N");
  const auto X = e.unknown("X", {K}), Y = e.unknown("Y", {N});
  const auto A = e.array("A", {K, N});
  const auto k = e.domain(K), i = e.domain(N);
  const Expr s = e.sum(std::vector{k}, A(k, i) * X(k));
  e.residual("r", s * s - Y(i));
  const Energy energy = build(std::move(e));
  const Binding binding =
      bind(energy, {{{"K", 2}, {"N", 2}},
                    {{"X", Values{1, 2}}, {"Y", Values{4, 5}}, {"A", Values{1, 2, 3, -1}}},
                    {},
                    {}});
  const Linearization l = EnergyEvaluator(energy, binding).linearize();
  // s = (5, 1); ∂r_i/∂x_k = 2 s_i A(k, i).
  EXPECT_THAT(l.residuals(), ElementsAre(21, -4));
  expect_near(dense(l), {{10, 20, -1, 0}, {6, -2, 0, -1}});
  expect_near(l.diagonal(), {100 + 36, 400 + 4, 1, 1});
}

// An unknown that does not move with the Sum is met once a point.
TEST(Evaluator, SumPointsOfOneUnknownCountSeparatelyInD) {
  EnergyBuilder e("sum");
  const DimId K = e.dim("K"), N = e.dim("N");
  const auto Y = e.unknown("Y", {N});
  const auto A = e.array("A", {K});
  const auto k = e.domain(K), i = e.domain(N);
  e.residual("r", e.sum(std::vector{k}, A(k) * Y(i)) + 4 * Y(i));
  const Energy energy = build(std::move(e));
  const Binding binding =
      bind(energy, {{{"K", 2}, {"N", 1}}, {{"Y", Values{1}}, {"A", Values{3, 5}}}, {}, {}});
  const Linearization l = EnergyEvaluator(energy, binding).linearize();
  expect_near(dense(l), {{12}});
  expect_near(l.diagonal(), {9 + 25 + 16});
}

// A Sum in an intermediate that is read inside a Sum over the same domain.
TEST(Evaluator, SumsOverOneDomainDoNotCaptureEachOther) {
  EnergyBuilder e("capture");
  const DimId K = e.dim("K");
  const auto X = e.unknown("X", {K});
  const auto A = e.array("A", {K, K});
  const auto t = e.domain(K, "t"), k = e.domain(K, "k"), i = e.domain(K, "i");
  const auto T = e.intermediate("T", std::vector{t}, e.sum(std::vector{k}, A(k, t) * X(k)));
  e.residual("r", e.sum(std::vector{k}, X(k) * T(k)) + 0 * X(i) + e.value_of(i));
  const Energy energy = build(std::move(e));
  const Binding binding =
      bind(energy, {{{"K", 2}}, {{"X", Values{1, 2}}, {"A", Values{1, 2, 3, 4}}}, {}, {}});
  const Linearization l = EnergyEvaluator(energy, binding).linearize();
  // xᵀ A' x with A'(t, k) = A(k, t): T = (1 + 4, 3 + 8).
  EXPECT_THAT(l.residuals(), ElementsAre(27, 28));
  expect_near(dense(l), {{5 + 1 + 6, 11 + 2 + 8}, {12, 21}});
}

// A Sum over the domain of the residual itself: inside, it is another variable.
TEST(Evaluator, SumsOverTheDomainOfTheResidual) {
  EnergyBuilder e("shadow");
  const DimId K = e.dim("K");
  const auto X = e.unknown("X", {K});
  const auto A = e.array("A", {K});
  const auto k = e.domain(K, "k");
  e.residual("r", A(k) * e.sum(std::vector{k}, X(k) * e.sum(std::vector{k}, A(k))) + X(k));
  const Energy energy = build(std::move(e));
  const DomainId free = energy.groups()[0].domains[0];
  for (const ExprId id : energy.graph().reachable(energy.groups()[0].residuals)) {
    if (energy.graph()[id].op != Op::Sum) continue;
    EXPECT_THAT(energy.graph().sum_domains(id), ::testing::Not(::testing::Contains(free)));
  }
  const Binding binding =
      bind(energy, {{{"K", 2}}, {{"X", Values{1, 2}}, {"A", Values{3, 4}}}, {}, {}});
  const Linearization l = EnergyEvaluator(energy, binding).linearize();
  // sum A = 7, sum X = 3.
  EXPECT_THAT(l.residuals(), ElementsAre(3 * 21 + 1, 4 * 21 + 2));
  expect_near(dense(l), {{22, 21}, {28, 29}});
}

// ... and what becomes of a Sum does not depend on where it stands: one in another one over the
// same domain is the Sum that stands alone.
TEST(Evaluator, ASumIsTheSameWhereverItStands) {
  EnergyBuilder e("nested");
  const DimId K = e.dim("K");
  const auto X = e.unknown("X", {K});
  const auto k = e.domain(K, "k");
  const Expr inner = e.sum(std::vector{k}, X(k) * X(k));
  const Expr outer = e.sum(std::vector{k}, X(k) * inner);
  e.name_sum(e.id_of(inner), "inner");
  e.name_sum(e.id_of(outer), "outer");
  const IndexExpr i = e.domain(K, "i");
  e.residual("r", {X(i) + outer, X(i) * inner});
  const Energy energy = build(std::move(e));
  ASSERT_EQ(energy.sums().size(), 2U);
  EXPECT_EQ(energy.sums()[0].name, "inner");
  EXPECT_EQ(energy.sums()[1].name, "outer");
  const Binding binding = bind(energy, {{{"K", 2}}, {{"X", Values{1, 2}}}, {}, {}});
  // sum X² = 5, sum X = 3.
  EXPECT_THAT(EnergyEvaluator(energy, binding).residuals(),
              ElementsAre(1 + 15, 1 * 5, 2 + 15, 2 * 5));
}

// T = x², U(j) = T(j) T(j+1), read beyond the border: 0, value and gradient.
TEST(Evaluator, IntermediateOfIntermediate) {
  EnergyBuilder e("intermediates");
  const DimId N = e.dim("N");
  const auto X = e.unknown("X", {N});
  const auto i = e.domain(N), j = e.domain(N);
  const auto T = e.intermediate("T", std::vector{i}, X(i) * X(i) + 1);
  const auto U = e.intermediate("U", std::vector{j}, T(j) + 2 * T(j + 1));
  e.residual("r", U(i + 1));
  const Energy energy = build(std::move(e));
  const Binding binding = bind(energy, {{{"N", 3}}, {{"X", Values{1, 2, 3}}}, {}, {}});
  const Linearization l = EnergyEvaluator(energy, binding).linearize();
  // T = (2, 5, 10); U(1) = 5 + 20, U(2) = 10 + 0, U(3) is outside.
  EXPECT_THAT(l.residuals(), ElementsAre(25, 10, 0));
  expect_near(dense(l), {{0, 4, 12}, {0, 0, 6}, {0, 0, 0}});
}

// One group for each list of domains that residuals of a group exist over.
TEST(Evaluator, ResidualsOverDifferentDomainsBecomeGroupsOfTheirOwn) {
  EnergyBuilder e("mixed");
  const DimId W = e.dim("W"), H = e.dim("H");
  const auto X = e.unknown("X", {W});
  const auto A = e.array("A", {W, H});
  const auto w = e.domain(W), h = e.domain(H), w2 = e.domain(W);
  e.residual("r_w", X(w));
  e.residual("r", Vec{X(w), X(w) - A(w, h), 2 * X(w)[0], X(w2), 1.0});
  const Energy energy = build(std::move(e));
  std::vector<std::string> names;
  std::vector<std::size_t> sizes;
  for (const ResidualGroup& group : energy.groups()) {
    names.push_back(group.name);
    sizes.push_back(group.residuals.size());
  }
  EXPECT_THAT(names, ElementsAre("r_w", "r_w_2", "r_w_h", "r_w2"));
  EXPECT_THAT(sizes, ElementsAre(1, 3, 1, 1));
  const Binding binding =
      bind(energy, {{{"W", 1}, {"H", 2}}, {{"X", Values{5}}, {"A", Values{1, 2}}}, {}, {}});
  EXPECT_THAT(EnergyEvaluator(energy, binding).residuals(), ElementsAre(5, 5, 10, 1, 4, 3, 5));
}

// rho, and its derivative as weight, of the squared norm of all residuals of a point.
TEST(Evaluator, LossesWeightPointsByTheirNorm) {
  EnergyBuilder e("robust");
  const DimId N = e.dim("N");
  const auto X = e.unknown("X", {N});
  const auto i = e.domain(N);
  const Expr a = e.param("a");
  e.residual("r", Vec{3 * X(i)[0], 4 * X(i)[0]});
  e.loss("r", "cauchy", 2 * a);
  const Energy energy = build(std::move(e));
  const Binding binding =
      bind(energy, {{{"N", 2}}, {{"X", Values{0.2, 1}}}, {}, {{"a", 1}}});  // norms 1 and 5
  EnergyEvaluator evaluator(energy, binding);
  const Linearization l = evaluator.linearize();
  EXPECT_NEAR(evaluator.cost(), 4 * (std::log(1 + 1.0 / 4) + std::log(1 + 25.0 / 4)) / 2, 1e-12);
  EXPECT_NEAR(l.cost(), evaluator.cost(), 1e-12);
  const double weight[] = {1 / (1 + 1.0 / 4), 1 / (1 + 25.0 / 4)};
  for (std::size_t n = 0; n < 2; ++n) {
    EXPECT_NEAR(l.jtf()[n], weight[n] * 25 * (n == 0 ? 0.2 : 1), 1e-12);
    EXPECT_NEAR(l.diagonal()[n], weight[n] * 25, 1e-12);
    EXPECT_NEAR(l.jtjp({1, 1})[n], weight[n] * 25, 1e-12);
  }
  // JtF is the gradient of the cost.
  constexpr double h = 1e-6;
  for (std::size_t n = 0; n < 2; ++n) {
    evaluator.set_unknowns({0.2 + (n == 0 ? h : 0), 1 + (n == 1 ? h : 0)});
    const double above = evaluator.cost();
    evaluator.set_unknowns({0.2 - (n == 0 ? h : 0), 1 - (n == 1 ? h : 0)});
    EXPECT_NEAR((above - evaluator.cost()) / (2 * h), l.jtf()[n], 1e-7);
  }
}

// What is missing in the data must not pass for an outlier.
TEST(Evaluator, NoLossOfNaNIsANumber) {
  for (const KnownLoss& loss : known_losses()) {
    EnergyBuilder e("robust");
    const DimId N = e.dim("N");
    const auto n = e.domain(N);
    e.residual("r", e.unknown("X", {N})(n) - e.array("A", {N})(n));
    e.loss("r", loss.name, e.param("a"));
    const Energy energy = build(std::move(e));
    const Binding binding =
        bind(energy, {{{"N", 1}}, {{"X", Values{1}}, {"A", Values{NAN}}}, {}, {{"a", 1}}});
    EXPECT_TRUE(std::isnan(EnergyEvaluator(energy, binding).cost())) << loss.name;
  }
}

// Texels that are outside or missing leave their weight to the others.
TEST(Evaluator, SamplesOfLayersSkipMissingTexels) {
  constexpr double Missing = -std::numeric_limits<double>::infinity();
  EnergyBuilder e("layers");
  const DimId W = e.dim("W"), H = e.dim("H"), L = e.dim("L"), N = e.dim("N");
  const auto S = e.array("S", {W, H, L}, 2);
  const auto at = e.array("at", {N}, 3);
  const auto U = e.unknown("U", {N});
  const auto n = e.domain(N);
  const Vec p = at(n);
  e.residual("r", e.sample_layer(S.id(), p[0] + U(n)[0], p[1], p[2]));
  const Energy energy = build(std::move(e));
  // Layer 0 is empty; layer 1 has the channels (10 c, c) with c = 1, 2 in its first row and a
  // missing texel and 4 in its second.
  Values texels(8, Missing);
  texels.insert(texels.end(), {10, 1, 20, 2, Missing, 3, 40, 4});
  const Values places = {0.25, 0, 1, 0, 0.5, 1, 0.5, 1, 1, 0.5,  0.5, 1,
                         9,    9, 1, 0, 0,   0, 0,   0, 2, -0.5, 0,   1};
  const Binding binding = bind(energy, {{{"W", 2}, {"H", 2}, {"L", 2}, {"N", 8}},
                                        {{"S", texels}, {"at", places}, {"U", Values(8)}},
                                        {},
                                        {}});
  const Linearization l = EnergyEvaluator(energy, binding).linearize();
  EXPECT_THAT(l.residuals(), ElementsAre(12.5, 1.25, 10, 1, 40, 4, 27.5, 2.75, Missing, Missing,
                                         Missing, Missing, Missing, Missing, 10, 1));
  for (const ResidualRow& row : l.rows()) EXPECT_TRUE(row.partials.empty());
}

TEST(Evaluator, MissingMapEntriesReadZero) {
  EnergyBuilder e("optional");
  const DimId N = e.dim("N"), E = e.dim("E");
  const auto X = e.unknown("X", {N});
  const auto v = e.map("v", {E}, {N}, -1, true);
  const auto edge = e.domain(E);
  e.residual("r",
             Vec{X(v(edge)) + 1, X(v(edge) + 1) + 1, e.in_bounds(v(edge), N) * (X(v(edge)) + 1)});
  const Energy energy = build(std::move(e));
  const Binding binding =
      bind(energy, {{{"N", 2}, {"E", 2}}, {{"X", Values{5, 7}}}, {{"v", {-1, 0}}}, {}});
  const Linearization l = EnergyEvaluator(energy, binding).linearize();
  EXPECT_THAT(l.residuals(), ElementsAre(1, 1, 0, 6, 8, 6));
  expect_near(dense(l), {{0, 0}, {0, 0}, {0, 0}, {1, 0}, {0, 1}, {1, 0}});
}

// A lookup that is missing, or made outside the map, is inside nothing, however it is shifted.
TEST(Evaluator, BoundsOfLookupsThatGiveNothing) {
  EnergyBuilder e("bounds");
  const DimId N = e.dim("N"), E = e.dim("E");
  const auto X = e.unknown("X", {N});
  const auto D = e.array("D", {E});
  const auto v = e.map("v", {E}, {N}), far = e.map("far", {E}, {N}, -1, true);
  const auto edge = e.domain(E);
  e.residual("r", Vec{e.in_bounds(v(edge), N) * (D(edge) + X(0)),
                      e.in_bounds(v(edge + 1) + 1, N) * (D(edge) + X(0)),
                      e.in_bounds(far(edge) + 1, N) * (D(edge) + X(0))});
  const Energy energy = build(std::move(e));
  const ExprGraph& graph = energy.graph();
  for (const ExprId id : graph.reachable(std::span(energy.groups()[0].residuals).first(1)))
    EXPECT_NE(graph[id].op, Op::InBounds) << "a map that must give something always does";
  const Binding binding = bind(energy, {{{"N", 3}, {"E", 2}},
                                        {{"X", Values(3)}, {"D", Values{1, 1}}},
                                        {{"v", {0, 1}}, {"far", {-1, 0}}},
                                        {}});
  EXPECT_THAT(EnergyEvaluator(energy, binding).residuals(), ElementsAre(1, 1, 0, 1, 0, 1));
}

TEST(Evaluator, MapsWithSeveralCoordinates) {
  EnergyBuilder e("pixels");
  const DimId W = e.dim("W"), H = e.dim("H"), E = e.dim("E");
  const auto X = e.unknown("X", {W, H});
  const auto pixel = e.map("pixel", {E}, {W, H});
  const auto edge = e.domain(E);
  e.residual("r", X(pixel.at({edge}, 0), pixel.at({edge}, 1)));
  const Energy energy = build(std::move(e));
  const Binding binding = bind(energy, {{{"W", 2}, {"H", 3}, {"E", 2}},
                                        {{"X", Values{0, 1, 2, 3, 4, 5}}},
                                        {{"pixel", {1, 2, 0, 1}}},
                                        {}});
  EXPECT_THAT(EnergyEvaluator(energy, binding).residuals(), ElementsAre(5, 2));
}

TEST(Evaluator, FreezeKeepsTheValueAndDropsTheDerivative) {
  EnergyBuilder e("frozen");
  const DimId N = e.dim("N");
  const auto X = e.unknown("X", {N});
  const auto i = e.domain(N);
  e.residual("r", freeze(X(i) * X(i)) * X(i));
  const Energy energy = build(std::move(e));
  const Binding binding = bind(energy, {{{"N", 1}}, {{"X", Values{3}}}, {}, {}});
  const Linearization l = EnergyEvaluator(energy, binding).linearize();
  EXPECT_THAT(l.residuals(), ElementsAre(27));
  expect_near(dense(l), {{9}});
}

TEST(Evaluator, FalseMasksHideWhatIsNotFinite) {
  EnergyBuilder e("masks");
  const DimId N = e.dim("N");
  const auto X = e.unknown("X", {N});
  const auto C = e.array("C", {N});
  const auto i = e.domain(N);
  const Expr valid = C(i) > -1e30;
  e.residual("r", Vec{valid * (X(i) - C(i)), select(valid, sqrt(X(i)) * C(i), 2 * X(i))});
  const Energy energy = build(std::move(e));
  const double infinity = std::numeric_limits<double>::infinity();
  const Binding binding =
      bind(energy, {{{"N", 2}}, {{"X", Values{4, 9}}, {"C", Values{1, -infinity}}}, {}, {}});
  const Linearization l = EnergyEvaluator(energy, binding).linearize();
  EXPECT_THAT(l.residuals(), ElementsAre(3, 2, 0, 18));
  expect_near(dense(l), {{1, 0}, {0.25, 0}, {0, 0}, {0, 2}});
}

TEST(Evaluator, SamplesBilinearlyWithDeclaredDerivatives) {
  EnergyBuilder e("flow");
  const DimId W = e.dim("W"), H = e.dim("H"), N = e.dim("N");
  const auto X = e.unknown("X", {N}, 2);
  const auto I = e.array("I", {W, H}), Ix = e.array("Ix", {W, H}), Iy = e.array("Iy", {W, H});
  const auto n = e.domain(N);
  e.residual("r", e.sample(I.id(), Ix.id(), Iy.id(), X(n)[0], X(n)[1]));
  const Energy energy = build(std::move(e));
  const Binding binding = bind(energy, {{{"W", 2}, {"H", 2}, {"N", 4}},
                                        {{"X", Values{0.25, 0.5, 1, 1, 1.5, 0, -3, 0}},
                                         {"I", Values{0, 4, 8, 12}},
                                         {"Ix", Values{1, 1, 1, 3}},
                                         {"Iy", Values{7, 7, 7, 7}}},
                                        {},
                                        {}});
  const Linearization l = EnergyEvaluator(energy, binding).linearize();
  // Inside; exact at an integer; half way out of the right border; far outside.
  EXPECT_THAT(l.residuals(), ElementsAre(5, 12, 2, 0));
  const Matrix J = dense(l);
  expect_near({J[0][0], J[0][1]}, {1.25, 7});
  expect_near({J[1][2], J[1][3]}, {3, 7});
  expect_near({J[2][4], J[2][5]}, {0.5, 3.5});
  expect_near({J[3][6], J[3][7]}, {0, 0});
}

TEST(Evaluator, MasksExcludedEntriesOfOneUnknown) {
  EnergyBuilder e("exclude");
  const DimId N = e.dim("N");
  const auto A = e.unknown("A", {N}), X = e.unknown("X", {N}, 2);
  const auto M = e.array("M", {N});
  const auto i = e.domain(N);
  e.residual("r", X(i) - A(i));
  e.exclude(X.id(), {i.domain()}, M(i) < 0);
  const Energy energy = build(std::move(e));
  const Binding binding = bind(
      energy, {{{"N", 2}}, {{"A", Values(2)}, {"X", Values(4)}, {"M", Values{1, -1}}}, {}, {}});
  EXPECT_THAT(EnergyEvaluator(energy, binding).excluded(), ElementsAre(0, 0, 0, 0, 1, 1));
}

// Two unknowns over the same dims are one space: the block couples their channels.
TEST(Evaluator, BlocksOfASpaceOfTwoUnknowns) {
  EnergyBuilder e("blocks");
  const DimId N = e.dim("N"), M = e.dim("M");
  const auto X = e.unknown("X", {N}, 2);
  const auto Z = e.unknown("Z", {M});
  const auto A = e.unknown("A", {N});
  const auto i = e.domain(N), m = e.domain(M);
  e.residual("r", 2 * X(i)[0] + 3 * X(i)[1] + 5 * A(i) + 7 * X(i + 1)[0]);
  e.residual("z", 11 * Z(m));
  const Energy energy = build(std::move(e));
  const Binding binding =
      bind(energy,
           {{{"N", 2}, {"M", 1}}, {{"X", Values(4)}, {"A", Values(2)}, {"Z", Values(1)}}, {}, {}});
  const Linearization l = EnergyEvaluator(energy, binding).linearize();
  ASSERT_EQ(l.layout().spaces().size(), 2u);
  EXPECT_EQ(l.layout().spaces()[0].channels, 3);
  // Element 0: (2, 3, 5)(2, 3, 5)ᵀ; element 1: the same + (7, 0, 0)(7, 0, 0)ᵀ.
  expect_near(l.blocks(0), {4, 6, 9, 10, 15, 25, 53, 6, 9, 10, 15, 25});
  expect_near(l.blocks(1), {121});
  // The unknown vector: X (4 scalars), Z (1), A (2).
  EXPECT_EQ(l.layout().column(A.id(), 1, 0), 6);
  EXPECT_EQ(l.layout().entry(6).unknown, A.id());
  EXPECT_EQ(l.layout().entry(3).channel, 1);
}

TEST(Evaluator, EmptyDims) {
  EnergyBuilder e("empty");
  const DimId N = e.dim("N"), K = e.dim("K");
  const auto X = e.unknown("X", {N}), Y = e.unknown("Y", {K});
  const auto i = e.domain(N), k = e.domain(K);
  e.residual("sum", X(i) + e.sum(std::vector{k}, Y(k)) + Y(0));
  e.residual("none", Y(k));
  const Energy energy = build(std::move(e));
  const Binding binding =
      bind(energy, {{{"N", 2}, {"K", 0}}, {{"X", Values{1, 2}}, {"Y", Values{}}}, {}, {}});
  const Linearization l = EnergyEvaluator(energy, binding).linearize();
  EXPECT_THAT(l.residuals(), ElementsAre(1, 2));
  expect_near(dense(l), {{1, 0}, {0, 1}});
}

// Every function against its derivative in closed form, at x = 0.3 (1.3 where it must be > 1).
TEST(Evaluator, DerivativesOfAllFunctions) {
  EnergyBuilder e("functions");
  const DimId N = e.dim("N");
  const auto X = e.unknown("X", {N});
  const auto i = e.domain(N);
  const Expr x = X(i);
  const auto apply = [&](Op op, Expr a) { return Expr(&e, e.graph().unary(op, a.id())); };
  e.residual("r", Vec{sqrt(x),
                      sin(x),
                      cos(x),
                      tan(x),
                      asin(x),
                      acos(x),
                      atan(x),
                      sinh(x),
                      cosh(x),
                      tanh(x),
                      apply(Op::Asinh, x),
                      apply(Op::Acosh, 1 + x),
                      apply(Op::Atanh, x),
                      exp(x),
                      log(x),
                      apply(Op::Log10, x),
                      abs(-x),
                      pow(x, 2.5),
                      pow(2.0, x),
                      pow(x, x),
                      pow(x, 3),
                      1 / x,
                      atan2(x, 2.0),
                      atan2(2.0, x),
                      apply(Op::Identity, x) * x});
  const Energy energy = build(std::move(e));
  const Binding binding = bind(energy, {{{"N", 1}}, {{"X", Values{0.3}}}, {}, {}});
  const Linearization l = EnergyEvaluator(energy, binding).linearize();
  const double v = 0.3;
  const Values expected = {0.5 / std::sqrt(v),
                           std::cos(v),
                           -std::sin(v),
                           1 / (std::cos(v) * std::cos(v)),
                           1 / std::sqrt(1 - v * v),
                           -1 / std::sqrt(1 - v * v),
                           1 / (1 + v * v),
                           std::cosh(v),
                           std::sinh(v),
                           1 / (std::cosh(v) * std::cosh(v)),
                           1 / std::sqrt(1 + v * v),
                           1 / std::sqrt(1.3 * 1.3 - 1),
                           1 / (1 - v * v),
                           std::exp(v),
                           1 / v,
                           1 / (v * std::log(10.0)),
                           1,
                           2.5 * std::pow(v, 1.5),
                           std::log(2.0) * std::pow(2.0, v),
                           std::pow(v, v) * (std::log(v) + 1),
                           3 * v * v,
                           -1 / (v * v),
                           2 / (4 + v * v),
                           -2 / (4 + v * v),
                           2 * v};
  const Matrix J = dense(l);
  ASSERT_EQ(J.size(), expected.size());
  for (std::size_t k = 0; k < J.size(); ++k) EXPECT_NEAR(J[k][0], expected[k], 1e-12) << k;
}

}  // namespace
}  // namespace thallo
