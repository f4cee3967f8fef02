// Simplification as mathematics: expressions that are the same are one node, and what an expression
// is worth never changes.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "core/energy/builder.h"
#include "core/energy/evaluate/point_evaluator.h"
#include "core/energy/print.h"
#include "tests/support/energies.h"

namespace thallo {
namespace {

// Scalars x, y, z and conditions a, b of them.
struct Simplify : ::testing::Test {
  EnergyBuilder e{"simplify"};
  Expr x = e.param("x"), y = e.param("y"), z = e.param("z");
  Expr a = x < y, b = y < z;
};

TEST_F(Simplify, MakesOneNodeOfEqualExpressions) {
  struct Label {
    const char* name;
    std::vector<Expr> same;
  };
  const Expr zero = 0, one = 1;
  const std::vector<Label> labels = {
      {"x",
       {x, x + 0, 0 + x, x * 1, 1 * x, -(-x), x / 1, 2 * x - x, x + y - y, pow(x, 1), x * y / y,
        select(one, x, y), select(zero, y, x), select(a, x, x), pow(x, 3) / pow(x, 2),
        (x + y) / 1 - y, 0.5 * (2 * x)}},
      {"0",
       {zero, x - x, 0 * x, 0 * log(x), x * 0 * y, (x + y) - (y + x), 2 * (x + y) - 2 * x - 2 * y,
        a && !a, x < x, sin(zero), zero * (1 / x)}},
      {"1", {one, x / x, pow(x, 0), cos(zero), !(x < x), a || one, pow(x, 2) * pow(x, -2)}},
      {"2 x", {x + x, 2 * x, x * 2, 3 * x - x, 4 * x / 2, x - (-x)}},
      {"-x", {-x, 0 - x, -1 * x, x - 2 * x, x / -1}},
      {"x + y", {x + y, y + x, x - (-y), 2 * x + y - x, x + 0 * z + y}},
      {"x - y", {x - y, -y + x, x + -1 * y, 0 * z - (y - x) - 0}},
      {"x y", {x * y, y * x, x * y * 1, -x * -y, pow(x, 2) * y / x}},
      {"x^2", {x * x, pow(x, 2), x * x * x / x, pow(-x, 2), pow(abs(x), 2), pow(sqrt(x), 4)}},
      {"1 / x", {1 / x, pow(x, -1), x / (x * x), 1 / (1 / (1 / x))}},
      {"|x|", {abs(x), sqrt(x * x), abs(abs(x)), sqrt(pow(x, 2))}},
      {"sqrt(x)", {sqrt(x), pow(x, 0.5), abs(sqrt(x))}},
      {"a", {a, a * a, pow(a, 3), !!a, a || a, a && a, abs(a), sqrt(a), select(a, one, zero)}},
      {"not a", {!a, select(a, zero, one), !!!a, pow(!a, 2), !(a && a)}},
      {"a x", {a * x, select(a, x, zero), a * a * x, x * a, select(!a, zero, x)}},
      {"not a x", {!a * x, select(a, zero, x), select(!a, x, zero)}},
      {"a or b", {a || b, b || a, a || b}},
      {"x == y", {equal(x, y), equal(y, x)}},
      {"freeze", {freeze(x), freeze(freeze(x)), freeze(x + 0)}},
  };
  std::map<ExprId, std::string> owner;
  for (const Label& label : labels) {
    for (std::size_t i = 0; i < label.same.size(); ++i) {
      const ExprId id = e.id_of(label.same[i]);
      EXPECT_EQ(id, e.id_of(label.same[0])) << label.name << ", form " << i;
      const auto [it, is_new] = owner.try_emplace(id, label.name);
      EXPECT_EQ(it->second, label.name) << "form " << i << " of " << label.name;
    }
  }
}

TEST_F(Simplify, FoldsNumbersAndBooleansAndKeepsWhatIsNotTheSame) {
  // -0.5 y^2 is not (−0.5 y)^2, sqrt(x)^2 is not sqrt(x^2), Less is not LessEq.
  EXPECT_NE(e.id_of(-0.5 * y * y), e.id_of(pow(-0.5 * y, 2)));
  EXPECT_NE(e.id_of(pow(sqrt(x), 2)), e.id_of(sqrt(pow(x, 2))));
  EXPECT_NE(e.id_of(x < y), e.id_of(x <= y));
  EXPECT_NE(e.id_of(!(x < y)), e.id_of(y <= x)) << "they differ where an operand is NaN";
  EXPECT_NE(e.id_of(x * a + y), e.id_of(select(a, x, y)));
  EXPECT_NE(e.id_of(Expr(&e, e.graph().unary(Op::Identity, x.id()))), e.id_of(x));
  ExprGraph& g = e.graph();
  EXPECT_TRUE(g.is_boolean(a.id()));
  EXPECT_TRUE(g.is_boolean((a && b).id()));
  EXPECT_TRUE(g.is_boolean((a || b).id()));
  EXPECT_TRUE(g.is_boolean(select(a, b, !b).id()));
  EXPECT_FALSE(g.is_boolean((a + b).id()));
  EXPECT_FALSE(g.is_boolean((a * x).id()));
  EXPECT_EQ(e.graph().constant_value(e.id_of(e.constant(2) * 3 + e.constant(1) / 4)), 6.25);
  EXPECT_EQ(e.graph().constant_value(e.id_of(sin(e.constant(1)))), std::sin(1.0));
  EXPECT_EQ(e.graph().constant(0.0), e.graph().constant(-0.0));
}

// What a condition says about operands that are not finite is not kept: x/x is 1 for every x.
double defined(double operands, bool condition) {
  if (!std::isfinite(operands)) return std::numeric_limits<double>::quiet_NaN();
  return condition ? 1 : 0;
}

// A random expression together with its plain evaluation.
struct Term {
  Expr expr;
  std::function<double()> value;
  bool is_boolean = false;
};

TEST_F(Simplify, NeverChangesTheValue) {
  const DimId one = e.dim("One");
  const auto X = e.unknown("X", {one});
  e.residual("r", X(e.domain(one)) * x * y * z);
  std::mt19937 random(5);
  std::map<std::string, double> at = {{"x", 0}, {"y", 0}, {"z", 0}};
  const auto between = [&](int low, int high) {
    return std::uniform_int_distribution(low, high)(random);
  };
  const std::function<Term(int)> term = [&](int depth) -> Term {
    if (depth == 0) {
      switch (between(0, 3)) {
        case 0: return {x, [&] { return at["x"]; }};
        case 1: return {y, [&] { return at["y"]; }};
        case 2: return {z, [&] { return at["z"]; }};
        default: {
          const double number = between(-2, 2);
          return {number, [number] { return number; }, number == 0 || number == 1};
        }
      }
    }
    const Term p = term(depth - 1), q = term(between(0, depth - 1));
    const auto u = p.value, v = q.value;
    switch (between(0, 13)) {
      case 0: return {p.expr + q.expr, [=] { return u() + v(); }};
      case 1: return {p.expr - q.expr, [=] { return u() - v(); }};
      case 2:
      case 3:
        return {p.expr * q.expr,
                [=] {
                  if ((p.is_boolean && u() == 0) || (q.is_boolean && v() == 0)) return 0.0;
                  return u() * v();
                },
                p.is_boolean && q.is_boolean};
      case 4: return {p.expr / q.expr, [=] { return u() / v(); }};
      case 5: {
        const int n = between(-3, 4);
        return {pow(p.expr, n), [=] { return std::pow(u(), n); }};
      }
      case 6: return {sqrt(p.expr), [=] { return std::sqrt(u()); }};
      case 7: return {abs(p.expr), [=] { return std::abs(u()); }};
      case 8: return {p.expr < q.expr, [=] { return defined(u() - v(), u() < v()); }, true};
      case 9: return {!p.expr, [=] { return defined(u(), u() == 0); }, true};
      case 10:
        return {p.expr || q.expr, [=] { return defined(u() + v(), u() != 0 || v() != 0); }, true};
      case 11: {
        const Term c = term(depth - 1);
        const auto condition = c.value;
        return {select(c.expr, p.expr, q.expr), [=] {
                  const double holds = condition();
                  return std::isnan(holds) ? holds : holds != 0 ? u() : v();
                }};
      }
      case 12: return {sin(p.expr), [=] { return std::sin(u()); }};
      default: return {-p.expr, [=] { return -u(); }};
    }
  };
  std::vector<Term> terms;
  std::vector<ExprId> ids;
  for (int i = 0; i < 3000; ++i) {
    terms.push_back(term(4));
    ids.push_back(e.id_of(terms.back().expr));
  }

  const ExprGraph graph = e.graph();
  const Energy energy = test::build(std::move(e));
  std::uniform_real_distribution uniform(-2.0, 2.0);
  const ExprPrinter printer(graph, names_of(energy));
  int compared = 0;
  for (int draw = 0; draw < 5; ++draw) {
    for (auto& [name, value] : at) value = uniform(random);
    const Binding binding = test::bind(
        energy, {{{"One", 1}}, {{"X", std::vector<double>{1}}}, {}, {at.begin(), at.end()}});
    const UnknownLayout layout(energy, binding);
    PointEvaluator evaluator(graph, energy, binding, layout);
    evaluator.move_to({}, {});
    for (std::size_t i = 0; i < terms.size(); ++i) {
      const double expected = terms[i].value();
      // Not finite: x/x is 1 for every x, and 0 * e is 0 whatever e is. Large: rounding.
      if (!std::isfinite(expected) || std::abs(expected) > 1e4) continue;
      const double actual = evaluator.evaluate(ids[i]).value.value;
      if (!std::isfinite(actual)) continue;
      EXPECT_NEAR(actual, expected, 1e-7 * (1 + std::abs(expected))) << printer.text(ids[i]);
      ++compared;
    }
  }
  EXPECT_GT(compared, 5000);
}

// A sum or product that grows is made by another way than one of all its operands.
TEST_F(Simplify, MakesTheSameNodeOfOperandsOneByOneAndAtOnce) {
  const std::vector<Expr> pool = {x,     y,         z,         2 * x,     -y,     x * y, 3 * x * y,
                                  x * x, 1 / y,     pow(z, 3), exp(x),    sin(y), a,     !a,
                                  b,     Expr(0.5), x + y,     2 * x - z, a && b, x + a, Expr(-1)};
  std::mt19937_64 random(7);
  ExprGraph& graph = e.graph();
  for (int draw = 0; draw < 2000; ++draw) {
    std::vector<ExprId> operands;
    for (int i = 0; i < 6; ++i) operands.push_back(e.id_of(pool[random() % pool.size()]));
    ExprId sum = operands.front(), product = operands.front();
    for (std::size_t i = 1; i < operands.size(); ++i) {
      sum = i % 2 == 0 ? graph.add(sum, operands[i]) : graph.add(operands[i], sum);
      product = i % 2 == 0 ? graph.mul(product, operands[i]) : graph.mul(operands[i], product);
    }
    EXPECT_EQ(sum, graph.add(operands));
    EXPECT_EQ(product, graph.mul(operands));
  }
}

// Each step of a recursion would else repeat all operands of the steps before it.
TEST_F(Simplify, TakesLongSumsAndProductsAsOneOperandOnce) {
  const auto num_operands = [](int steps, const auto& next) {
    EnergyBuilder builder("steps");
    const Expr u = builder.param("u"), v = builder.param("v");
    Expr w = u;
    for (int i = 0; i < steps; ++i) w = next(w, v, i);
    return builder.graph().num_operands();
  };
  const auto grows_in_proportion = [&](const auto& next) {
    return num_operands(4000, next) < 5 * num_operands(1000, next);
  };
  EXPECT_TRUE(grows_in_proportion([](auto w, auto v, int) { return w + w * v; }));
  EXPECT_TRUE(grows_in_proportion([](auto w, auto, int) { return w * (1 - w); }));
  EXPECT_TRUE(grows_in_proportion([](auto w, auto, int) { return 0.3 * (w * w + w); }));
  EXPECT_TRUE(grows_in_proportion([](auto w, auto v, int i) { return w + sin(v * i); }));
  Expr sum = x, product = x;
  for (int i = 1; i < 300; ++i) {
    sum = sum + sin(y * i);
    product = product * sin(y * i);
  }
  EXPECT_EQ(e.id_of(sum - sum), e.id_of(Expr(0)));
  EXPECT_EQ(e.id_of(2 * sum - sum), e.id_of(sum));
  EXPECT_EQ(e.id_of(product * product), e.id_of(pow(product, 2)));
}

// A mask that is false makes all of a product 0, also what is no number.
TEST_F(Simplify, KeepsTheMasksOfLongProductsInSight) {
  Expr product = Expr(a);
  for (int i = 1; i < 300; ++i) product = product * sin(y * i);
  const ExprGraph& graph = e.graph();
  const std::vector<ExprId> factors = graph.operands(e.id_of(product * log(z)));
  EXPECT_NE(std::ranges::find(factors, e.id_of(a)), factors.end());
}

}  // namespace
}  // namespace thallo
