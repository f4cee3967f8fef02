// Functions and conditions have the values of the C++ standard library.

#include <gmock/gmock.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "tests/language/texts.h"

namespace thallo {
namespace {

using test::value;
using test::values;
using testing::DoubleEq, testing::ElementsAre;

constexpr double A = 0.7;
constexpr double B = -1.3;

TEST(LanguageMath, ComputesFunctions) {
  const std::vector<std::pair<std::string, double>> cases = {
      {"sqrt(a)", std::sqrt(A)},
      {"sin(b)", std::sin(B)},
      {"cos(b)", std::cos(B)},
      {"tan(a)", std::tan(A)},
      {"asin(a)", std::asin(A)},
      {"acos(a)", std::acos(A)},
      {"atan(b)", std::atan(B)},
      {"atan2(a, b)", std::atan2(A, B)},
      {"exp(b)", std::exp(B)},
      {"log(a)", std::log(A)},
      {"log10(a)", std::log10(A)},
      {"log(a, 2)", std::log2(A)},
      {"abs(b)", std::abs(B)},
      {"sinh(b)", std::sinh(B)},
      {"cosh(b)", std::cosh(B)},
      {"tanh(b)", std::tanh(B)},
      {"asinh(b)", std::asinh(B)},
      {"acosh(a + 1)", std::acosh(A + 1)},
      {"atanh(a)", std::atanh(A)},
      {"pow(a, 2.5)", std::pow(A, 2.5)},
      {"pow(a, b)", std::pow(A, B)},
      {"math.pow(b, 3)", B * B * B},
      {"a ^ -2", 1 / (A * A)},
      {"2 ^ a", std::pow(2, A)},
      {"-a / b - a * b", -A / B - A * B},
      {"Max(a, b)", A},
      {"Min(a, b, -2)", -2},
      {"Constant(a)", A},
      {"identity(b)", B},
      {"ad.sqrt(a)", std::sqrt(A)},
      {"math.sqrt(a) + math.pi", std::sqrt(A) + M_PI},
      {"div(unm(a), sub(b, add(a, mul(2, b))))", -A / (B - (A + 2 * B))},
  };
  for (const auto& [text, expected] : cases) EXPECT_NEAR(value(text), expected, 1e-14) << text;
}

TEST(LanguageMath, PlainNumbersStayNumbersAndAreTrueUnlessZero) {
  EXPECT_EQ(value("a * 0 + k", "local k = 0; for i = 1, sqrt(16) + abs(-1) do k = k + 1 end"), 5);
  EXPECT_NEAR(value("log(8, 2) + pow(2, 3) + log(1)"), 11, 1e-14);
  EXPECT_THAT(values("not_(b), and_(a, b), or_(a - a, b), Select(b, 1, 2), Select(a - a, 1, 2)"),
              ElementsAre(0, 1, 1, 1, 2));
}

TEST(LanguageMath, ComparesCombinesAndSelectsByConditions) {
  EXPECT_THAT(values("less(a, b), less(b, a), lesseq(a, a), greater(a, b), greatereq(b, a), "
                     "eq(a, a), eq(a, b), neq(a, b)"),
              ElementsAre(0, 1, 1, 1, 0, 1, 0, 1));
  EXPECT_THAT(values("and_(less(b, a), eq(a, a)), And(less(b, a), true, eq(a, b)), "
                     "or_(eq(a, b), less(b, a)), Or(eq(a, b), false), not_(eq(a, b)), Not(true)"),
              ElementsAre(1, 0, 1, 0, 1, 0));
  EXPECT_THAT(values("All({less(b, a), greater(a, 0)}), Any({less(a, b), greater(b, 0)})"),
              ElementsAre(1, 0));
  EXPECT_EQ(value("Select(greater(b, 0), log(b), a)"), A);
  EXPECT_EQ(value("Select(greater(b, 0), log(b), 0)"), 0) << "a product with a false condition";
  EXPECT_THAT(values("Select(Vector(less(a, 0), less(b, 0)), 1, Vector(5, 6))"), ElementsAre(5, 1));
  EXPECT_THAT(values("Select(neq(a, -inf), Vector(a, b), 0)"), ElementsAre(A, B));
}

// NaN is sqrt(b), in whatever place it stands.
TEST(LanguageMath, TheLargestAndTheSmallestOfWhatIsNoNumberIsNone) {
  for (const std::string function : {"Max", "Min"}) {
    for (const std::string arguments :
         {"sqrt(b), 0", "0, sqrt(b)", "a, sqrt(b)", "sqrt(b), a", "a, 0, sqrt(b)", "0, sqrt(b), a",
          "sqrt(b), a, 0", "sqrt(b), log(b)"})
      EXPECT_TRUE(std::isnan(value(function + "(" + arguments + ")"))) << function << arguments;
  }
  EXPECT_THAT(values("Max(0, a), Max(0, b), Max(b, 0), Max(b, a), Max(-inf, a), Max(a, b, 3)"),
              ElementsAre(A, 0, 0, A, A, 3));
  EXPECT_THAT(values("Min(0, a), Min(0, b), Min(b, 0), Min(b, a), Min(-inf, a), Min(a, b, 3)"),
              ElementsAre(0, B, B, B, -INFINITY, B));
}

TEST(LanguageMath, VectorsAreElementWiseWithEntriesAndMethods) {
  EXPECT_THAT(values("Vector(1, 2) * Vector(a, b) + 1"), ElementsAre(A + 1, 2 * B + 1));
  EXPECT_THAT(values("2 / Vector(1, 2) - Vector(a)"), ElementsAre(2 - A, 1 - A));
  EXPECT_THAT(values("-Vector(a, {b, 1})"), ElementsAre(-A, -B, -1));
  EXPECT_THAT(values("abs(Vector(a, b)) ^ 2"), ElementsAre(A * A, B * B));
  EXPECT_THAT(values("Vector(unpack(Vector(a, 2, b):expressions()))"), ElementsAre(A, 2, B));
  const std::string v = "local v = Vector(a, b, 3)";
  EXPECT_THAT(values("v(0), v[1], v:size(), v:sum(), v:dot(v)", v),
              ElementsAre(A, B, 3, DoubleEq(A + B + 3), DoubleEq(A * A + B * B + 9)));
  EXPECT_THAT(values("v:slice(1, 3)", v), ElementsAre(B, 3));
  EXPECT_THAT(values("v:map(function(e) return 2 * e end)", v), ElementsAre(2 * A, 2 * B, 6));
  EXPECT_THAT(values("a:size(), a(0), a:sum()"), ElementsAre(1, A, A)) << "a scalar has size 1";
}

}  // namespace
}  // namespace thallo
