#include "core/diff/check.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "core/diff/displacement.h"
#include "core/diff/symbolic_jacobian.h"
#include "core/energy/evaluate/evaluator.h"
#include "tests/support/energies.h"
#include "tests/support/sample_energies.h"

namespace thallo {
namespace {

using test::bind;
using test::build;
using ::testing::HasSubstr;

using Values = std::vector<double>;

JacobianRows evaluator_rows(EnergyEvaluator& evaluator) {
  return [&](std::size_t group, std::int64_t position) {
    return evaluator.linearize(group, position);
  };
}

// A rotation of a point about an unknown axis, projected: what bundle adjustment is made of.
struct Projection {
  Energy energy = [] {
    EnergyBuilder e("projection");
    const DimId N = e.dim("N");
    const auto P = e.unknown("P", {N}, 3);
    const auto i = e.domain(N);
    const Vec p = P(i);
    const Expr depth = 5 + sin(p[0]) * exp(p[1]);
    e.residual("project",
               Vec{p[0] / depth, log(2 + p[1] * p[1]) * sqrt(1 + p[2] * p[2]), p[0] * P(i + 1)[2]});
    return build(std::move(e));
  }();
  Binding binding = bind(energy, {{{"N", 2}}, {{"P", Values{1, 2, 3, -1, 0.5, 0}}}, {}, {}});
};

TEST(Check, AcceptsTheDerivativesOfBothOracles) {
  const Projection p;
  const CheckResult symbolic = check_derivatives(p.energy, p.binding);
  EXPECT_LT(symbolic.worst_relative_error, 1e-9) << symbolic.brief();
  EXPECT_EQ(symbolic.num_points, 2);
  // P(1)[2] = 0 and P(2) is outside, which makes some of the 6 derivatives of a point 0.
  EXPECT_EQ(symbolic.num_checked, 5 + 3);
  EXPECT_EQ(symbolic.num_skipped, 0);

  EnergyEvaluator evaluator(p.energy, p.binding);
  const CheckResult dual = check_jacobian(p.energy, p.binding, evaluator_rows(evaluator));
  EXPECT_LT(dual.worst_relative_error, 1e-9) << dual.brief();
}

// At x = 0 the derivatives of x^m are their limits, where there is one.
TEST(Check, APowerOfZeroHasDerivatives) {
  EnergyBuilder e("power");
  const DimId N = e.dim("N");
  const auto x = e.unknown("x", {N}), m = e.unknown("m", {N});
  const auto i = e.domain(N);
  e.residual("r", pow(x(i)[0], m(i)[0]));
  const Energy energy = build(std::move(e));
  const Values exponents = {0, 0.5, 1, 1.5, 2};
  const Binding binding = bind(energy, {{{"N", 5}}, {{"x", Values(5)}, {"m", exponents}}, {}, {}});
  EnergyEvaluator evaluator(energy, binding);
  SymbolicJacobian symbolic(energy, binding);
  const double inf = std::numeric_limits<double>::infinity();
  const Values by_x = {0, inf, 1, 0, 0}, by_m = {-inf, 0, 0, 0, 0};
  for (const Linearization& found : {evaluator.linearize(), symbolic.linearize()}) {
    for (std::size_t n = 0; n < exponents.size(); ++n) {
      double slope = 0, by_exponent = 0;
      for (const SparseEntry& entry : sparse_row(found.rows()[n]))
        (entry.column == static_cast<std::int64_t>(n) ? slope : by_exponent) = entry.value;
      EXPECT_EQ(slope, by_x[n]) << exponents[n];
      EXPECT_EQ(by_exponent, by_m[n]) << exponents[n];
    }
  }
}

// Products of many factors are derived as products of two halves.
TEST(Check, AcceptsTheDerivativesOfLongProducts) {
  EnergyBuilder e("product");
  const DimId N = e.dim("N");
  const auto x = e.unknown("x", {N}), a = e.array("a", {N});
  const auto i = e.domain(N);
  Expr product = (0.5 < a(i)[0]) * sqrt(a(i)[0] + x(i)[0]);
  for (int k = 0; k < 100; ++k) product = product * (1 + 0.01 * x(i + k % 3)[0] * k);
  e.residual("r", product);
  const Energy energy = build(std::move(e));
  // Where the mask is false, the root is of a negative number.
  const Binding binding =
      bind(energy, {{{"N", 4}}, {{"x", Values{1, -2, 3, 0.5}}, {"a", Values{1, 0, 0, 2}}}, {}, {}});
  EnergyEvaluator evaluator(energy, binding);
  SymbolicJacobian symbolic(energy, binding);
  const Linearization expected = evaluator.linearize(), found = symbolic.linearize();
  const auto dense = [](const Linearization& rows, std::size_t n) {
    Values row(4);
    for (const SparseEntry& entry : sparse_row(rows.rows()[n]))
      row[static_cast<std::size_t>(entry.column)] = entry.value;
    return row;
  };
  for (std::size_t n = 0; n < 4; ++n) {
    const Values right = dense(expected, n), row = dense(found, n);
    EXPECT_EQ(right[n] != 0, n == 0 || n == 3);
    for (std::size_t k = 0; k < row.size(); ++k)
      EXPECT_NEAR(row[k], right[k], 1e-12 * std::abs(right[k])) << n << " " << k;
  }
}

// Poses are differentiated by their steps.
TEST(Check, AcceptsTheDerivativesOfEachSampleEnergy) {
  for (const test::SampleEnergy& sample : test::sample_energies()) {
    const CheckResult symbolic = check_derivatives(sample.energy, sample.binding);
    EXPECT_LT(symbolic.worst_relative_error, 1e-7) << sample.name << ": " << symbolic.brief();
    EnergyEvaluator evaluator(sample.energy, sample.binding);
    const CheckResult dual =
        check_jacobian(sample.energy, sample.binding, evaluator_rows(evaluator));
    EXPECT_LT(dual.worst_relative_error, 1e-7) << sample.name << ": " << dual.brief();
  }
}

TEST(Check, NamesTheEntryThatIsWrong) {
  const Projection p;
  EnergyEvaluator evaluator(p.energy, p.binding);
  const JacobianRows wrong = [&](std::size_t group, std::int64_t position) {
    std::vector<ResidualRow> rows = evaluator.linearize(group, position);
    if (position == 0)
      for (AccessPartial& partial : rows[2].partials)
        if (partial.at.element == 1) partial.value = 1.5 * partial.value;
    return rows;
  };
  const CheckResult result = check_jacobian(p.energy, p.binding, wrong);
  ASSERT_TRUE(result.worst);
  EXPECT_NEAR(result.worst_relative_error, 0.5 / 1.5, 1e-9);
  EXPECT_THAT(result.worst->text(), HasSubstr("project[2] at (0), unknown P(1) channel 2: "
                                              "analytic 1.5, numeric 1 (relative error 0.33)"));
}

TEST(Check, MissesNoEntryThatTheJacobianLeavesOut) {
  const Projection p;
  const JacobianRows none = [](std::size_t, std::int64_t) { return std::vector<ResidualRow>(3); };
  EXPECT_NEAR(check_jacobian(p.energy, p.binding, none).worst_relative_error, 1, 1e-9);
}

// Freeze, conditions and samples are compared with their declared derivatives.
TEST(Check, DifferencesTheDeclaredFunction) {
  EnergyBuilder e("declared");
  const DimId N = e.dim("N"), W = e.dim("W"), H = e.dim("H");
  const auto X = e.unknown("X", {N});
  const auto I = e.array("I", {W, H}), D = e.array("D", {W, H});
  const auto i = e.domain(N);
  const Expr x = X(i);
  e.residual("r", Vec{freeze(exp(x)) * x,           // an iteratively reweighted one
                      select(x > 2, 3 * x, x * x),  //
                      e.sample(I.id(), D.id(), D.id(), x, 0.5 * x)});  // D is no derivative of I
  const Energy energy = build(std::move(e));
  const Binding binding = bind(
      energy,
      {{{"N", 2}, {"W", 3}, {"H", 2}},
       {{"X", Values{1.25, 3}}, {"I", Values{1, 5, 2, 7, 3, 1}}, {"D", Values{1, 2, 3, 4, 5, 6}}},
       {},
       {}});
  const CheckResult result = check_derivatives(energy, binding);
  EXPECT_LT(result.worst_relative_error, 1e-9) << result.brief();
  // Both points, three residuals; the second samples outside.
  EXPECT_EQ(result.num_checked, 3 + 2);
  EXPECT_EQ(result.num_skipped, 0);
}

TEST(Check, SkipsWhatSwitchesInsideTheStencil) {
  EnergyBuilder e("switch");
  const DimId N = e.dim("N");
  const auto X = e.unknown("X", {N});
  const auto i = e.domain(N);
  e.residual("abs", abs(X(i)));
  e.residual("select", select(X(i) < 1, X(i), 2 * X(i)));
  const Energy energy = build(std::move(e));
  const Binding binding =
      bind(energy, {{{"N", 5}}, {{"X", Values{0, 1, 1.00005, -3, 1.005}}}, {}, {}});
  const CheckResult result = check_derivatives(energy, binding);
  EXPECT_LT(result.worst_relative_error, 1e-9) << result.brief();
  EXPECT_EQ(result.num_skipped, 1 + 2);
  EXPECT_EQ(result.num_checked, 4 + 3) << "a smaller stencil does not reach from 1.005 to 1";
}

// A field whose entries have scales far apart, as the parameters of a model do: a stencil for the
// largest would leave the region where the exponential has a Taylor series worth the name.
TEST(Check, MeasuresEntriesByTheirOwnScale) {
  EnergyBuilder e("scales");
  const DimId N = e.dim("N");
  const DimId P = e.dim("P");
  const auto b = e.unknown("b", {P});
  const auto t = e.array("t", {N});
  const auto i = e.domain(N);
  e.residual("growth", b(0) * (1 - exp(-b(1) * t(i))));
  const Energy energy = build(std::move(e));
  const Binding binding = bind(
      energy, {{{"N", 2}, {"P", 2}}, {{"b", Values{500, 1e-4}}, {"t", Values{700, 80}}}, {}, {}});
  const CheckResult result = check_derivatives(energy, binding);
  EXPECT_EQ(result.num_checked, 4);
  EXPECT_LT(result.worst_relative_error, 1e-8) << result.brief();
}

// As a normal from depths does: the angle saturates long before the depth has changed by 1 %.
TEST(Check, FindsDerivativesOfWhatTurnsWithinAFractionOfItsUnknowns) {
  EnergyBuilder e("slopes");
  const DimId N = e.dim("N");
  const auto depth = e.unknown("depth", {N});
  const auto i = e.domain(N);
  e.residual("slope", atan(2000 * (depth(i) - depth(i + 1))));
  const Energy energy = build(std::move(e));
  const Binding binding = bind(energy, {{{"N", 2}}, {{"depth", Values{1, 1.0003}}}, {}, {}});
  const CheckResult result = check_derivatives(energy, binding);
  EXPECT_EQ(result.num_checked, 2 + 1);
  EXPECT_LT(result.worst_relative_error, 1e-8) << result.brief();
}

TEST(Check, LeavesUnknownsThatAreMissing) {
  EnergyBuilder e("depths");
  const DimId N = e.dim("N");
  const auto depth = e.unknown("depth", {N});
  const auto i = e.domain(N);
  e.residual("bend", select(depth(i) > 0, depth(i) * depth(i), 0));
  const Energy energy = build(std::move(e));
  constexpr double Missing = -std::numeric_limits<double>::infinity();
  const Binding binding = bind(energy, {{{"N", 2}}, {{"depth", Values{2, Missing}}}, {}, {}});
  const Binding moved = displaced(energy, binding, 1);
  EXPECT_EQ(moved.field(energy.find_field("depth")).value(1), Missing);
  const CheckResult result = check_derivatives(energy, moved);
  EXPECT_EQ(result.num_checked, 1);
  EXPECT_LT(result.worst_relative_error, 1e-9) << result.brief();
}

// At the start both angles are zero and the derivative of cos vanishes, whatever it is said to be.
TEST(Check, DisplacedUnknownsAreFiniteAndNearTheirStart) {
  EnergyBuilder e("angles");
  const DimId N = e.dim("N");
  const auto angle = e.unknown("angle", {N});
  const auto place = e.unknown("place", {N});
  e.residual("r", cos(angle(e.domain(N))) + place(e.domain(N)));
  const Energy energy = build(std::move(e));
  const Binding binding =
      bind(energy, {{{"N", 2}}, {{"angle", Values(2)}, {"place", Values{100, -1}}}, {}, {}});
  const Binding moved = displaced(energy, binding, 1);
  for (std::size_t i = 0; i < 2; ++i) {
    const double turned = moved.field(energy.find_field("angle")).value(i);
    EXPECT_NE(turned, 0);
    EXPECT_LE(std::abs(turned), 0.02);
    const double before = binding.field(energy.find_field("place")).value(i);
    const double after = moved.field(energy.find_field("place")).value(i);
    EXPECT_NE(after, before);
    EXPECT_LE(std::abs(after - before), 2);
  }
}

TEST(Check, DrawsASeededSampleOfManyPoints) {
  EnergyBuilder e("many");
  const DimId N = e.dim("N");
  const auto X = e.unknown("X", {N});
  e.residual("r", X(e.domain(N)));
  const Energy energy = build(std::move(e));
  const Binding binding = bind(energy, {{{"N", 1000}}, {{"X", Values(1000)}}, {}, {}});
  const CheckResult result = check_derivatives(energy, binding, {.max_points_per_group = 20});
  EXPECT_EQ(result.num_points, 20);
  EXPECT_EQ(result.num_checked, 20);
  EXPECT_LT(result.worst_relative_error, 1e-9);
}

// Groups share what may be evaluated; the cheap one is checked in full.
TEST(Check, EndsWhenItsEvaluationsAreUsedUp) {
  EnergyBuilder e("dear");
  const DimId N = e.dim("N");
  const auto X = e.unknown("X", {N});
  const auto i = e.domain(N), k = e.domain(N);
  e.residual("dear", e.sum(std::vector{k}, X(k) * X(k)) * X(i));
  e.residual("cheap", X(i));
  const Energy energy = build(std::move(e));
  Values x(100);
  for (std::size_t j = 0; j < x.size(); ++j) x[j] = 1 + 0.01 * static_cast<double>(j);
  const Binding binding = bind(energy, {{{"N", 100}}, {{"X", x}}, {}, {}});
  std::vector<double> shares;
  const CheckOptions options{.max_evaluations = 2'000'000,
                             .progress = [&](double share) { shares.push_back(share); }};
  const CheckResult result = check_derivatives(energy, binding, options);
  EXPECT_GE(result.num_evaluations, options.max_evaluations);
  EXPECT_LT(result.num_evaluations, 1.1 * static_cast<double>(options.max_evaluations));
  EXPECT_EQ(result.num_all_points, 200);
  EXPECT_GT(result.num_points, 100);
  EXPECT_LT(result.num_points, 200);
  EXPECT_LT(result.worst_relative_error, 1e-8);
  EXPECT_THAT(result.brief(), ::testing::HasSubstr(" of 200 points checked"));
  EXPECT_TRUE(std::ranges::is_sorted(shares));
  EXPECT_GT(shares.back(), 0.9);
  EXPECT_LE(shares.back(), 1);

  const CheckResult least = check_derivatives(energy, binding, {.max_evaluations = 1});
  EXPECT_EQ(least.num_points, 2) << "one of each group";
  EXPECT_EQ(least.num_checked, 2);
}

// The partials of the symbolic Jacobian are those of the evaluator, so d agrees too.
TEST(SymbolicJacobian, AgreesWithTheEvaluatorAccessByAccess) {
  EnergyBuilder e("sums");
  const DimId K = e.dim("K");
  const auto X = e.unknown("X", {K});
  const auto A = e.array("A", {K, K});
  const auto t = e.domain(K), k = e.domain(K), i = e.domain(K);
  const auto T = e.intermediate(
      "T", std::vector{t},
      Vec{e.sum(std::vector{k}, A(k, t) * X(k)), e.sum(std::vector{k}, A(t, k) * X(k) * X(k))});
  e.residual("r", e.sum(std::vector{k}, X(k) * (T(k)[0] + T(k)[1])) * X(i));
  const Energy energy = build(std::move(e));
  const Binding binding =
      bind(energy, {{{"K", 2}}, {{"X", Values{1, 2}}, {"A", Values{1, 2, 3, 4}}}, {}, {}});
  const Linearization truth = EnergyEvaluator(energy, binding).linearize();
  const Linearization symbolic = SymbolicJacobian(energy, binding).linearize();
  using ::testing::DoubleNear;
  using ::testing::Pointwise;
  EXPECT_THAT(symbolic.residuals(), Pointwise(DoubleNear(1e-9), truth.residuals()));
  EXPECT_THAT(symbolic.jtf(), Pointwise(DoubleNear(1e-9), truth.jtf()));
  EXPECT_THAT(symbolic.jtjp({3, -1}), Pointwise(DoubleNear(1e-9), truth.jtjp({3, -1})));
  EXPECT_THAT(symbolic.diagonal(), Pointwise(DoubleNear(1e-9), truth.diagonal()));
  EXPECT_THAT(symbolic.blocks(0), Pointwise(DoubleNear(1e-9), truth.blocks(0)));
}

}  // namespace
}  // namespace thallo
