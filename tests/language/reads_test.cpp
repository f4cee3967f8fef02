// Reads, sparse maps, sums, stored expressions and exclusions, on instances small enough to see the
// answer.

#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "tests/language/texts.h"

namespace thallo {
namespace {

using test::bind;
using test::Data;
using test::load;
using testing::ElementsAre, testing::UnorderedElementsAre;

using Values = std::vector<double>;

Values residuals(const Energy& energy, const Data& data) {
  const Binding binding = bind(energy, data);
  return EnergyEvaluator(energy, binding).residuals();
}

// r over a line of pixels; X = 0, so that r is the value of the rest.
Values on_line(const std::string& expression, const std::string& before = "") {
  const Energy energy = load(
      "local N = Dims('N')\n"
      "Inputs { X = Unknown(float, {N}, 0), A = Array(float, {N}, 1), C = Array(float2, {N}, 2) }\n"
      "local i = N()\n" +
      before + "\nResiduals { r = " + expression + " + X(i), z = A(i) * C(i, 0) * X(i) }");
  Values r = residuals(energy,
                       {{{"N", 3}},
                        {{"X", Values(3)}, {"A", Values{1, 4, 9}}, {"C", Values{1, 2, 3, 4, 5, 6}}},
                        {},
                        {}});
  r.resize(3);  // without z, which is there so that no input is unused
  return r;
}

TEST(LanguageReads, TakesAffineIndicesAndReadsZeroBeyondTheBorder) {
  EXPECT_THAT(on_line("A(i - 1)"), ElementsAre(0, 1, 4));
  EXPECT_THAT(on_line("A(1 + i + 1)"), ElementsAre(9, 0, 0));
  EXPECT_THAT(on_line("A(2)"), ElementsAre(9, 9, 9));
  EXPECT_THAT(on_line("A(2 * i)"), ElementsAre(1, 9, 0));
  EXPECT_THAT(on_line("A(2 - i)"), ElementsAre(9, 4, 1));
  EXPECT_THAT(on_line("A((i + 1) + i - 2 * i)"), ElementsAre(4, 4, 4));
  EXPECT_THAT(on_line("A({i + 1})"), ElementsAre(4, 9, 0)) << "indices in a table";
  EXPECT_THAT(on_line("C(i, 1)"), ElementsAre(2, 4, 6));
  EXPECT_THAT(on_line("C(i)(0) + C(i)[1]"), ElementsAre(3, 7, 11));
  EXPECT_THAT(on_line("Slice(C, 1, 2)(i)(0)"), ElementsAre(2, 4, 6));
}

TEST(LanguageReads, TestsBoundsAndGivesIndicesAsNumbers) {
  EXPECT_THAT(on_line("InBounds(i + 1)"), ElementsAre(1, 1, 0));
  EXPECT_THAT(on_line("InBounds(i)"), ElementsAre(1, 1, 1));
  EXPECT_THAT(on_line("InBoundsExpanded(i, 1)"), ElementsAre(0, 1, 0));
  EXPECT_THAT(on_line("InBounds(2 * i - 1, N)"), ElementsAre(0, 1, 0));
  EXPECT_THAT(on_line("i:asvalue() + (2 * i + 1):asvalue()"), ElementsAre(1, 4, 7));
}

TEST(LanguageReads, StoresAndNamesExpressions) {
  // Outside of its own domain a stored expression reads 0, the expression itself would not.
  EXPECT_THAT(on_line("(A(i) + 1):get(i + 1)"), ElementsAre(5, 10, 0));
  EXPECT_THAT(on_line("(C(i) + 1):get(i - 1)(1)"), ElementsAre(0, 3, 5));
  EXPECT_THAT(on_line("S(i - 1)", "local S = ComputedArray('S', {i}, 2 * A(i))"),
              ElementsAre(0, 2, 8));
  const Energy energy = load(R"(
    local N = Dims("N")
    Inputs { X = Unknown(float, {N}, 0) }
    local i = N()
    Shade = X(i) ^ 2
    local e = name("pose", sin(X(i)))
    local unnamed = exp(X(i))
    Residuals { r = Shade:get(i + 1) + Shade:get(i - 1) + e:get(i + 1) + unnamed:get(i + 1) })");
  std::vector<std::string> names;
  for (const Intermediate& stored : energy.intermediates())
    names.push_back(energy.field(stored.field).name);
  EXPECT_THAT(names, UnorderedElementsAre("Shade", "pose", ::testing::StartsWith("%")))
      << "equal expressions are stored once";
}

TEST(LanguageReads, LooksUpSparseMaps) {
  const Energy energy = load(R"(
    local N, E, M = Dims("N", "E", "M")
    Inputs {
      X = Unknown(float, {N}, 0),
      head = Sparse({E}, {N}, 1),
      edge = Sparse({M}, {E}, 2),
      left = Sparse({N}, {N}, 3, {optional = true}),
    }
    local e, m, n = E(), M(), N()
    Residuals { a = X(head(e)), b = X(head(edge(m)) + 1), c = 10 * X(left(n)) })");
  const Values r = residuals(energy, {{{"N", 3}, {"E", 2}, {"M", 1}},
                                      {{"X", Values{1, 2, 3}}},
                                      {{"head", {2, 0}}, {"edge", {1}}, {"left", {-1, 0, 1}}},
                                      {}});
  EXPECT_THAT(r, ElementsAre(3, 1, 2, 0, 10, 20));
}

TEST(LanguageReads, LooksUpMapsIntoImagesAndSamplesBetweenTexels) {
  Energy energy = load(R"(
    local W, H, P = Dims("W", "H", "P")
    Inputs { X = Unknown(float, {W, H}, 0), at = Sparse({P}, {W, H}, 1) }
    local p = P()
    local pixel = at(p)
    Residuals { a = X(pixel), b = X(pixel[0] + 1, pixel(1)) })");
  Values r = residuals(
      energy, {{{"W", 2}, {"H", 2}, {"P", 1}}, {{"X", Values{1, 2, 3, 4}}}, {{"at", {0, 1}}}, {}});
  EXPECT_THAT(r, ElementsAre(3, 4));
  energy = load(R"(
    local W, H = Dims("W", "H")
    Inputs { X = Unknown(float, {W, H}, 0), A = Array(float, {W, H}, 1) }
    local S = SampledImage(A)
    local x, y = W(), H()
    Residuals { r = S(x:asvalue() + 0.5, y) + X(x, y), s = SampledImage(A, A, A)(0.5, X(x, y)) })");
  r = residuals(energy, {{{"W", 2}, {"H", 1}}, {{"X", Values{0, 0}}, {"A", Values{1, 3}}}, {}, {}});
  EXPECT_THAT(r, ElementsAre(2, 1.5, 2, 2));
}

TEST(LanguageReads, SumsOverLoopVariablesWhichStencilsAre) {
  // A convolution: taps (1, 10, 100) around each pixel.
  const Energy energy = load(R"(
    local N, K = Dims("N", "K")
    Inputs { X = Unknown(float, {N}, 0), T = Array(float, {K}, 1) }
    local i, k = N(), K()
    Residuals { r = Sum({k}, T(k) * X(i + k - 1)) })");
  const Values r = residuals(
      energy, {{{"N", 3}, {"K", 3}}, {{"X", Values{1, 2, 3}}, {"T", Values{1, 10, 100}}}, {}, {}});
  EXPECT_THAT(r, ElementsAre(210, 321, 32));
  EXPECT_THAT(on_line("sum",
                      "local sum = 0\n"
                      "for dx, weight in Stencil {{-1, 1}, {1, 10}} do\n"
                      "  sum = sum + weight * A(i + dx)\n"
                      "end"),
              ElementsAre(40, 91, 4));
}

TEST(LanguageReads, ExcludesPerUnknown) {
  const Energy energy = load(R"(
    local W, H = Dims("W", "H")
    Inputs { X = Unknown(float, {W, H}), Y = Unknown(float2, {H}), M = Array(float, {W, H}) }
    local x, y = W(), H()
    X:Exclude(eq(M(x, y), 1))
    X:Exclude(eq(M(x, y), 2))
    Y:Exclude(eq(y:asvalue(), 1))
    Residuals { r = X(x, y) + Y(y):sum() })");
  const Binding binding =
      bind(energy, {{{"W", 2}, {"H", 2}},
                    {{"X", Values(4)}, {"Y", Values(4)}, {"M", Values{0, 1, 2, 3}}},
                    {},
                    {}});
  EXPECT_THAT(EnergyEvaluator(energy, binding).excluded(), ElementsAre(0, 1, 1, 0, 0, 0, 1, 1));
}

}  // namespace
}  // namespace thallo
