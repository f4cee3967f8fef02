// Operations of rotations and poses in texts: their values, and their derivatives against
// differences, also at the identity and at a turn by π.

#include <gmock/gmock.h>

#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "core/base/random.h"
#include "core/diff/symbolic_jacobian.h"
#include "core/embed/energy_solver.h"
#include "core/energy/builder.h"
#include "core/energy/vector_math.h"

namespace thallo {
namespace {

using testing::DoubleNear, testing::HasSubstr, testing::Pointwise;
using Values = std::vector<double>;

EnergySolver motion_solver(const std::string& text) {
  auto solver = EnergySolver::load_text(text, "motions.lua", {.backend = "interpreter"});
  if (!solver) throw InternalError(solver.error().message(), __FILE__, __LINE__);
  return *std::move(solver);
}

// The values of an expression of n(0), n(1) ..., the numbers; none of its derivatives may be off.
Values motion_value(const std::string& expression, Values numbers) {
  numbers.resize(14);
  EnergySolver solver = motion_solver(R"(
    local U = Dims("U")
    Inputs { A = Unknown(double7, {U}), B = Unknown(double7, {U}) }
    local u = U()
    local all = Vector(A(u), B(u))
    local function v(from, to) return all:slice(from, to) end
    Residuals { r = toexp()" + expression +
                                      R"(), unknowns = all })");
  Values a(numbers.begin(), numbers.begin() + 7), b(numbers.begin() + 7, numbers.end());
  solver.bind("A", a, {1}).bind("B", b, {1});
  const Binding binding = *solver.binding();
  EnergyEvaluator evaluator(solver.energy(), binding);
  Values values = evaluator.residuals();
  values.resize(values.size() - numbers.size());
  const SparseMatrix jacobian = SymbolicJacobian(solver.energy(), binding).linearize().jacobian();
  for (std::size_t row = 0; row < values.size(); ++row) {
    for (std::size_t k = jacobian.offsets[row]; k < jacobian.offsets[row + 1]; ++k) {
      const auto column = static_cast<std::size_t>(jacobian.columns[k]);
      const auto moved = [&](double by) {
        Values at = numbers;
        at[column] += by;
        evaluator.set_unknowns(at);
        return evaluator.residuals()[row];
      };
      const double step = 1e-5;
      const double difference =
          (8 * (moved(step) - moved(-step)) - (moved(2 * step) - moved(-2 * step))) / (12 * step);
      EXPECT_NEAR(jacobian.values[k], difference, 1e-8)
          << expression << ": row " << row << ", column " << column;
    }
  }
  return values;
}

Values with_more(Values a, const Values& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

Values of_length_1(Values v) {
  double square = 0;
  for (const double x : v) square += x * x;
  for (double& x : v) x /= std::sqrt(square);
  return v;
}

MATCHER_P2(AreNear, expected, tolerance, "") {
  return testing::ExplainMatchResult(Pointwise(DoubleNear(tolerance), expected), arg,
                                     result_listener);
}

struct MotionGroup {
  std::string name;
  int stored, step, point;
};
const MotionGroup MotionGroups[] = {{"SE2", 3, 3, 2}, {"SO3", 4, 3, 3}, {"SE3", 7, 6, 3}};

std::string read_as(const MotionGroup& group, int from) {
  return group.name + "(v(" + std::to_string(from) + ", " + std::to_string(from + group.stored) +
         "))";
}
std::string numbers_at(int from, int count) {
  return "v(" + std::to_string(from) + ", " + std::to_string(from + count) + ")";
}

class Motions : public testing::TestWithParam<MotionGroup> {
 protected:
  Values random_motion() {
    Values step;
    for (int k = 0; k < GetParam().step; ++k) step.push_back(random_.uniform(-1, 1));
    return motion_value("exp(" + numbers_at(0, GetParam().step) + ", " + GetParam().name + ")",
                        step);
  }
  Random random_{5};
};
INSTANTIATE_TEST_SUITE_P(MotionGroups, Motions, testing::ValuesIn(MotionGroups),
                         [](const auto& group) { return group.param.name; });

TEST_P(Motions, AreAGroup) {
  const MotionGroup& group = GetParam();
  const std::string a = read_as(group, 0), b = read_as(group, group.stored);
  const Values motions = with_more(random_motion(), random_motion());
  const Values first(motions.begin(), motions.begin() + group.stored);
  const Values second(motions.begin() + group.stored, motions.end());
  EXPECT_THAT(motion_value("inverse(" + a + ") * (" + a + " * " + b + ")", motions),
              AreNear(second, 1e-12));
  EXPECT_THAT(motion_value(a + " * between(" + a + ", " + b + ")", motions),
              AreNear(second, 1e-12));
  EXPECT_THAT(motion_value("compose(" + a + ", inverse(" + a + ")) * " + b, motions),
              AreNear(second, 1e-12));
  EXPECT_THAT(motion_value("exp(log(" + a + "), " + group.name + ")", motions),
              AreNear(first, 1e-12));
  EXPECT_THAT(motion_value("plus(" + a + ", minus(" + b + ", " + a + "))", motions),
              AreNear(second, 1e-12));
}

// Of both motions together a point is moved by one after the other, and back.
TEST_P(Motions, MovePoints) {
  const MotionGroup& group = GetParam();
  const std::string a = read_as(group, 0);
  const std::string p = numbers_at(group.stored, group.point);
  const Values motion = random_motion();
  const Values point = {0.3, -1.2, 0.7}, used(point.begin(), point.begin() + group.point);
  EXPECT_THAT(
      motion_value("between(" + a + ", act(" + a + ", " + p + "))", with_more(motion, used)),
      AreNear(used, 1e-12));
  EXPECT_THAT(
      motion_value("(" + a + " * " + a + ") * " + p + " - " + a + " * (" + a + " * " + p + ")",
                   with_more(motion, used)),
      AreNear(Values(used.size()), 1e-12));
}

// Steps of all lengths, along an axis and not: from those that are 0 to a turn by almost 2 π.
TEST_P(Motions, HaveAnExponentialForEachStep) {
  const MotionGroup& group = GetParam();
  const std::string step = numbers_at(0, group.step);
  for (const double angle :
       {0.0, 1e-9, 9e-5, 1.1e-4, 9e-3, 1.1e-2, 1.0, 3.1, std::numbers::pi, 4.0}) {
    for (const Values& axis : {Values{0, 0, 1}, of_length_1({0.6, -0.7, 0.2})}) {
      Values v = {0.4, -0.8, 1.5};
      if (group.name == "SE2") v = {0.4, -0.8, angle};
      if (group.name == "SO3") v.clear();
      if (group.name != "SE2")
        for (const double entry : axis) v.push_back(angle * entry);
      const Values motion = motion_value("exp(" + step + ", '" + group.name + "')", v);
      if (angle < 3.1)
        EXPECT_THAT(motion_value("log(exp(" + step + ", " + group.name + "))", v),
                    AreNear(v, 1e-11))
            << angle;
      // Twice as far is as far again.
      EXPECT_THAT(motion_value("exp(2 * " + step + ", " + group.name + ")", v),
                  AreNear(motion_value("exp(" + step + ", " + group.name + ") * exp(" + step +
                                           ", " + group.name + ")",
                                       v),
                          1e-11));
    }
  }
}

// At the identity, where the quaternion has either sign, and where it has a turn by π.
TEST(MotionsOfSpace, HaveALogarithmAtTheIdentityAndAtPi) {
  const double small = 1e-6;
  EXPECT_THAT(motion_value("log(SO3(v(0, 4)))", {0, 0, 0, 1}), AreNear(Values{0, 0, 0}, 0));
  EXPECT_THAT(motion_value("log(SO3(v(0, 4)))", {0, 0, 0, -1}), AreNear(Values{0, 0, 0}, 0));
  EXPECT_THAT(motion_value("log(SO3(v(0, 4)))", {small, 0, 0, 1}),
              AreNear(Values{2e-6, 0, 0}, 1e-15));
  const Values axis = of_length_1({1, -2, 2});
  const double pi = std::numbers::pi;
  // Beyond π the axis turns round, so the derivative is that from one side.
  for (const double w : {1e-3, 1e-4}) {
    Values q = axis;
    for (double& entry : q) entry *= std::sqrt(1 - w * w);
    q.push_back(w);
    const double angle = 2 * std::acos(w);
    EXPECT_THAT(motion_value("log(SO3(v(0, 4)))", q),
                AreNear(Values({angle * axis[0], angle * axis[1], angle * axis[2]}), 1e-12));
  }
  EnergySolver solver = motion_solver(R"(
    local U = Dims("U")
    Inputs { R = Unknown(SO3, {U}) }
    Residuals { r = log(R(U())) })");
  Values q = with_more(axis, {0});
  solver.bind("R", q);
  const Binding binding = *solver.binding();
  EXPECT_THAT(EnergyEvaluator(solver.energy(), binding).residuals(),
              AreNear(Values({pi * axis[0], pi * axis[1], pi * axis[2]}), 1e-14));
  // By a step from there, ∂log = φφᵀ/φ² + ½ [φ]ₓ, since h cot h = 0.
  const SparseMatrix jacobian = SymbolicJacobian(solver.energy(), binding).linearize().jacobian();
  const Values& n = axis;
  const Values expected = {n[0] * n[0],
                           n[0] * n[1] - pi / 2 * n[2],
                           n[0] * n[2] + pi / 2 * n[1],
                           n[1] * n[0] + pi / 2 * n[2],
                           n[1] * n[1],
                           n[1] * n[2] - pi / 2 * n[0],
                           n[2] * n[0] - pi / 2 * n[1],
                           n[2] * n[1] + pi / 2 * n[0],
                           n[2] * n[2]};
  EXPECT_THAT(jacobian.values, AreNear(expected, 1e-12));
}

TEST(Directions, GoAlongGreatCircles) {
  for (const Values& x : {Values{0, 0, 1}, Values{0, 0, -1}, of_length_1({0.5, -1, 0.01}),
                          of_length_1({0.5, -1, -0.01}), of_length_1({-0.3, 0.2, -0.7})}) {
    for (const double length : {0.0, 1e-6, 1e-3, 1.0, 3.0}) {
      const Values step = {length * 0.6, -length * 0.8};
      const Values y = motion_value("plus(S2(v(0, 3)), v(3, 5))", with_more(x, step));
      EXPECT_NEAR(x[0] * y[0] + x[1] * y[1] + x[2] * y[2], std::cos(length), 1e-14);
      EXPECT_THAT(motion_value("minus(S2(v(0, 3)), S2(v(3, 6)))", with_more(y, x)),
                  AreNear(step, 1e-12));
    }
  }
}

TEST(Directions, AreSolvedFor) {
  EnergySolver solver = motion_solver(R"(
    local N, U = Dims("N", "U")
    Inputs { R = Unknown(SO3, {U}), Axis = Unknown(S2, {U}), A = Array(double3, {N}),
             B = Array(double3, {N}) }
    local n, u = N(), U()
    Residuals { turned = R(0) * A(n) - B(n), axis = cross(log(R(u)), Axis(u)) })");
  const Values phi = {2.0, -1.5, 1.2};
  Values a, b, rotation = {0, 0, 0, 1}, axis = {0, 0, 1};
  Random random(2);
  for (int n = 0; n < 6; ++n) {
    const Values p = {random.normal(), random.normal(), random.normal()};
    a = with_more(a, p);
    b = with_more(b, motion_value("exp(v(0, 3), SO3) * v(3, 6)", with_more(phi, p)));
  }
  const auto summary =
      solver.bind("R", rotation).bind("Axis", axis).bind("A", a).bind("B", b).solve();
  ASSERT_TRUE(summary) << summary.error().message();
  EXPECT_EQ(summary->num_unknowns, 5);
  EXPECT_LT(summary->final_cost, 1e-20) << summary->full();
  EXPECT_THAT(motion_value("log(SO3(v(0, 4)))", rotation), AreNear(phi, 1e-9));
  const Values expected = of_length_1(phi);
  EXPECT_NEAR(std::abs(axis[0] * expected[0] + axis[1] * expected[1] + axis[2] * expected[2]), 1,
              1e-9);
}

// The same operations in C++.
TEST(MotionsInCpp, AreThoseOfTexts) {
  EnergyBuilder e("cpp");
  const DimId dim = e.dim("N");
  const FieldHandle pose = e.unknown("P", {dim}, Manifold::SE3);
  const FieldHandle point = e.array("A", {dim}, 3);
  const IndexExpr i = e.domain(dim);
  const Vec p = pose(i);
  e.residual("moved", act(Manifold::SE3, inverse(Manifold::SE3, p), point(i)));
  e.residual("way", minus(Manifold::SE3, p, compose(Manifold::SE3, p, p)));
  e.residual("there",
             log(Manifold::SE3, between(Manifold::SE3, p,
                                        exp(Manifold::SE3, Vec{p[0], p[1], p[2], 0.1, 0.2, 0.3}))));
  const Expected<Energy> energy = std::move(e).build();
  ASSERT_TRUE(energy) << energy.error().message();
  EXPECT_EQ(energy->groups()[0].residuals.size(), 3u);
  EXPECT_EQ(energy->groups()[1].residuals.size(), 6u);
}

std::string refused_motion(const std::string& expression) {
  const auto solver = EnergySolver::load_text(
      "local N = Dims('N') Inputs { P = Unknown(SE3, {N}), Q = Array(SE2, {N}), D = Array(S2, "
      "{N}), "
      "X = Array(double3, {N}) }\nlocal n = N()\nResiduals { p = " +
          expression + " }",
      "motions.lua", {.backend = "interpreter"});
  return solver ? "" : solver.error().message();
}

TEST(Motions, AreRefusedOfOtherValues) {
  EXPECT_THAT(refused_motion("compose(P(n), Q(n))"), HasSubstr("SE3 and SE2 are different types"));
  EXPECT_THAT(refused_motion("inverse(X(n))"), HasSubstr("of numbers SE3(v), found a vector of 3"));
  EXPECT_THAT(refused_motion("inverse(D(n))"), HasSubstr("expected a rotation or pose"));
  EXPECT_THAT(refused_motion("act(P(n), 1)"), HasSubstr("expected a point of 3 numbers"));
  EXPECT_THAT(refused_motion("exp(X(n), SE3)"), HasSubstr("expected a step of 6 numbers"));
  EXPECT_THAT(refused_motion("exp(X(n), S2)"), HasSubstr("expected SE2, SE3 or SO3"));
  EXPECT_THAT(refused_motion("SO3(X(n))"), HasSubstr("an SO3 has 4 numbers, found 3"));
  EXPECT_THAT(refused_motion("float3(X(n))"), HasSubstr("cannot be called"));
}

}  // namespace
}  // namespace thallo
