// Residual groups: what Residuals gives, losses, and residuals over different domains.

#include <gmock/gmock.h>

#include <fstream>
#include <iterator>
#include <string>

#include <fmt/format.h>

#include "core/base/log.h"
#include "core/energy/print.h"
#include "core/kernel/generate.h"
#include "core/kernel/lower.h"
#include "core/solve/solver.h"
#include "tests/language/texts.h"
#include "tests/support/backend_test.h"

namespace thallo {
namespace {

using test::bind;
using test::load;
using testing::ElementsAre, testing::HasSubstr;

const std::string ResidualInputs = R"(
local W, H, L = Dims("W", "H", "L")
Inputs { X = Unknown(float, {W, H}), Y = Unknown(float, {W}), A = Array(float2, {W, H, L}),
         a = Param(float) }
local x, y, l = W(), H(), L()
)";

TEST(LanguageResiduals, GroupsTakeRobustLosses) {
  const Energy energy = load(ResidualInputs + R"(
    local r = Residuals { fit = X(x, y) - A(x, y, l), more = Y(x), reg = Y(x) - 1,
                          soft = 2 * Y(x), far = 3 * Y(x), out = 4 * Y(x) }
    r.fit:loss(huber(2 * a))
    r.reg:loss(cauchy(0.5))
    r.soft:loss(soft_l1(1))
    r.far:loss(arctan(2))
    r.out:loss(tukey(4))
    r.more:loss(geman_mcclure(3)))");
  const std::string text = to_string(energy);
  EXPECT_THAT(text, HasSubstr("residual fit over (w, h, l), loss huber(2 * a)"));
  EXPECT_THAT(text, HasSubstr("residual more over (w), loss geman_mcclure(3)"));
  EXPECT_THAT(text, HasSubstr("residual reg over (w), loss cauchy(0.5)"));
  EXPECT_THAT(text, HasSubstr("residual soft over (w), loss soft_l1(1)"));
  EXPECT_THAT(text, HasSubstr("residual far over (w), loss arctan(2)"));
  EXPECT_THAT(text, HasSubstr("residual out over (w), loss tukey(4)"));
}

TEST(LanguageResiduals, LossesAreFunctionsOfTheirAuthorsAndNormsStoreTheirWeights) {
  Energy energy = load(ResidualInputs + R"(
    local function tempered(p) return function(s) return p * log(1 + s / p) end end
    local r = Residuals { fit = X(x, y) - A(x, y, l), reg = Y(x) - 1, same = 2 * Y(x) }
    r.fit:loss(tempered(2 * a)):reorder{y, x, l}
    r.reg:loss(function(s) return Select(lesseq(s, a), s, 2 * sqrt(a * s) - a) end)
    r.same:loss(function(s) return s end))");
  const std::string text = to_string(energy);
  EXPECT_THAT(text, HasSubstr("  loss(s) = 2 * a * log(1 + 0.5 * s / a)\n"));
  EXPECT_THAT(text, HasSubstr("  loss(s) = s\n"));
  energy = load(ResidualInputs + R"(
    Residuals { r = L_p(X(x, y) - A(x, y, l), a, {x, y, l}), s = L_1(Y(x) - a) })");
  ASSERT_EQ(energy.intermediates().size(), 1U);
  EXPECT_EQ(energy.intermediates()[0].domains.size(), 3U);
}

TEST(LanguageResiduals, FuzzersKnowAllLosses) {
  std::ifstream file(THALLO_SOURCE_DIR "/tests/fuzz/dictionaries/energy_text.dict");
  const std::string words{std::istreambuf_iterator<char>(file), {}};
  for (const KnownLoss& loss : known_losses())
    EXPECT_THAT(words, HasSubstr(fmt::format("\"{}(\"", loss.name)));
}

TEST(LanguageResiduals, GroupsAreSplitByTheirDomains) {
  const Energy energy = load(ResidualInputs + R"(
    local r = Residuals { reg = { X(x, y) - X(x + 1, y), Y(x) - a, Y(x + 1), A(x, y, l) * X(x, y) } }
    r.reg:loss(huber(1)))");
  std::vector<std::string> names;
  for (const ResidualGroup& group : energy.groups()) {
    names.push_back(group.name);
    EXPECT_TRUE(group.loss) << group.name;
  }
  EXPECT_THAT(names, ElementsAre("reg_w_h", "reg_w", "reg_w_h_l"));
}

TEST(LanguageResiduals, SampledLayersAreReadAtAnIndexWithoutDerivative) {
  const Energy energy = load(ResidualInputs + R"(
    local S = SampledImageArray(A)
    Residuals { r = { S(x, Y(x), 1, 0) + S(0.5, y, l)(1) + X(x, y) * a } })");
  const Binding binding = bind(energy, {{{"W", 2}, {"H", 1}, {"L", 2}},
                                        {{"X", std::vector<double>(2)},
                                         {"Y", std::vector<double>{0, 0}},
                                         {"A", std::vector<double>{1, 2, 3, 4, 5, 6, 7, 8}}},
                                        {},
                                        {{"a", 1}}});
  EXPECT_THAT(EnergyEvaluator(energy, binding).residuals(),
              ElementsAre(5 + 3, 7 + 3, 5 + 7, 7 + 7));
  LogCapture log;
  load(ResidualInputs + R"(
    local S = SampledImageArray(A, A, A)
    Residuals { r = S(X(x, y), Y(x), l, 0) * a })");
  ASSERT_EQ(log.records().size(), 1U);
  EXPECT_THAT(log.records()[0].text, HasSubstr("the derivative images are not used"));
}

// The location of four equal values and an outlier: where the influences balance.
TEST(LanguageResiduals, LossesAreSolvedToTheirOptimum) {
  const Energy energy = load(R"(
    local N, U = Dims("N", "U")
    Inputs { X = Unknown(float, {U}), A = Array(float, {N}) }
    local r = Residuals { fit = X(U()) - A(N()) }
    r.fit:loss(huber(1)))");
  const Binding binding =
      bind(energy, {{{"N", 5}, {"U", 1}},
                    {{"X", std::vector<double>{3}}, {"A", std::vector<double>{0, 0, 0, 0, 100}}},
                    {},
                    {}});
  const auto executable =
      test::interpreted(energy, default_plan(energy), {SolverKind::LevenbergMarquardt});
  ASSERT_TRUE(executable->bind(binding));
  SolverOptions options;
  options.solver = SolverKind::LevenbergMarquardt;
  options.num_iterations = 100;
  options.function_tolerance = 0;
  const auto summary = solve(*executable, options);
  ASSERT_TRUE(summary) << summary.error().message();
  Binding solved = binding;
  executable->download_unknowns(solved);
  EXPECT_NEAR(solved.field(energy.unknowns()[0]).value(0), 0.25, 1e-6) << summary->full();
  EXPECT_NEAR(summary->final_cost, (4 * 0.25 * 0.25 + 2 * 99.75 - 1) / 2, 1e-9);
}

}  // namespace
}  // namespace thallo
