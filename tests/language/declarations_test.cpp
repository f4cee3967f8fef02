#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "core/language/energy_text.h"
#include "tests/language/texts.h"

namespace thallo {
namespace {

using test::load;
using testing::ElementsAre, testing::HasSubstr;

TEST(LanguageDeclarations, InputsAndResidualsKeepTheirOrder) {
  Energy energy = load(R"(
    local N = Dims("N")
    Inputs { zeta = Unknown(float, {N}, 5), alpha = Unknown(float, {N}, 2), mid = Unknown({N}, 9) }
    local n = N()
    Residuals { r = zeta(n) + alpha(n) + mid(n) })");
  std::vector<std::string> names;
  for (const Field& field : energy.fields()) names.push_back(field.name);
  EXPECT_THAT(names, ElementsAre("zeta", "alpha", "mid"));
  EXPECT_EQ(energy.fields()[1].slot, 2);
  EXPECT_EQ(energy.fields()[1].where.text(), "test.lua:3");
  energy = load(R"(
    local N = Dims("N")
    Inputs { X = Unknown(float2, {N}) }
    local n = N()
    Residuals { r = { X(n), {3 * X(n, 0)}, 4 * X(n)(1) } })");
  const Binding binding =
      test::bind(energy, {{{"N", 1}}, {{"X", std::vector<double>{1, 10}}}, {}, {}});
  EXPECT_THAT(EnergyEvaluator(energy, binding).residuals(), ElementsAre(1, 10, 3, 40));
}

TEST(LanguageDeclarations, TypesSayScalarAndChannels) {
  const Energy energy = load(R"(
    local N = Dims("N")
    Inputs {
      X = Unknown(double3, {N}),
      a = Array(float12, {N}), b = Array(uint8, {N}), c = Array(mat3f, {N}), d = Array({N}),
      e = Array(thallo_float2, {N}), f = Image(double4, {N}), g = Array(int, {N}),
    }
    local n = N()
    Residuals { r = X(n)(0) + (a(n):sum() + b(n) + c(n):sum() + d(n) + e(n)[0] + f(n)[3] + g(n)) })");
  const auto expect = [&](const char* name, ScalarType type, int channels) {
    const Field& field = energy.field(energy.find_field(name));
    EXPECT_EQ(field.type, type) << name;
    EXPECT_EQ(field.channels, channels) << name;
  };
  expect("X", ScalarType::Working, 3);  // its precision is the solver's
  expect("a", ScalarType::Float, 12);
  expect("b", ScalarType::UInt8, 1);
  expect("c", ScalarType::Float, 9);
  expect("d", ScalarType::Working, 1);
  expect("e", ScalarType::Working, 2);
  expect("f", ScalarType::Double, 4);
  expect("g", ScalarType::Int32, 1);
}

TEST(LanguageDeclarations, AnInputMayHaveTheNameOfAnExpressionOrTheSlotOfAnUnknown) {
  Energy energy = load(R"(
    local N = Dims("N")
    Inputs { X = Unknown(float, {N}), A = Array(float, {N}) }
    local n = N()
    A = 2 * A(n)
    Residuals { r = X(n) - A })");
  Binding binding = test::bind(
      energy, {{{"N", 1}}, {{"X", std::vector<double>{7}}, {"A", std::vector<double>{3}}}, {}, {}});
  EXPECT_THAT(EnergyEvaluator(energy, binding).residuals(), ElementsAre(1));
  energy = load(R"(
    local N = Dims("N")
    Inputs { X = Unknown(float, {N}, 0), Old = Array({N}, 0) }
    local n = N()
    Residuals { r = X(n) * Old(n) })");
  binding = test::bind(energy, {{{"N", 1}}, {{"X", std::vector<double>{3}}}, {}, {}});
  EnergyEvaluator evaluator(energy, binding);
  EXPECT_THAT(evaluator.residuals(), ElementsAre(9));
  EXPECT_THAT(evaluator.linearize().jtf(), ElementsAre(27)) << "dr/dX = Old, not 2 X";
}

TEST(LanguageDeclarations, AParamOfSeveralNumbersIsAVector) {
  const Energy energy = load(R"(
    local N = Dims("N")
    local input = Inputs { X = Unknown(float, N), lens = Param(double3, 7) }
    Residuals { r = input.X(N()) * input.lens - Vector(lens(2), lens[1], lens:size()) })");
  EXPECT_EQ(energy.field(energy.find_field("lens")).slot, 7);
  const Binding binding =
      test::bind(energy, {{{"N", 1}},
                          {{"X", std::vector<double>{2}}, {"lens", std::vector<double>{1, 4, 9}}},
                          {},
                          {}});
  EXPECT_THAT(EnergyEvaluator(energy, binding).residuals(), ElementsAre(2 - 9, 8 - 4, 18 - 3));
  const auto written = energy_text(energy);
  ASSERT_TRUE(written) << written.error().message();
  EXPECT_THAT(*written, HasSubstr("lens = Param(double3, 7)"));
}

TEST(LanguageDeclarations, DataOfTypeFloatAreRoundedToItWhateverTheyAreGivenIn) {
  const Energy energy = load(R"(
    local N = Dims("N")
    Inputs { X = Unknown(float, {N}), a = Array(float, {N}), b = Array(double, {N}), c = Array({N}) }
    local n = N()
    Residuals { r = X(n) - a(n) - b(n) - c(n) })");
  const std::vector<double> tenth = {0.1};
  const Binding binding = test::bind(
      energy, {{{"N", 1}}, {{"X", tenth}, {"a", tenth}, {"b", tenth}, {"c", tenth}}, {}, {}});
  const auto value = [&](const char* name) {
    return binding.field(energy.find_field(name)).value(0);
  };
  for (const char* name : {"X", "b", "c"}) EXPECT_EQ(value(name), 0.1) << name;
  EXPECT_EQ(value("a"), double{0.1F});
}

TEST(LanguageDeclarations, PosesAreUnknownsThatMove) {
  const Energy energy = load(R"(
    local N = Dims("N")
    Inputs { P = Unknown(SE2, {N}), X = Unknown(SE3, {N}, 1), Z = Array(SE3, {N}) }
    local n = N()
    Residuals { r = X(n) - Z(n), s = P(n) })");
  const Field& plane = energy.field(energy.find_field("P"));
  EXPECT_EQ(plane.manifold, Manifold::SE2);
  EXPECT_EQ(plane.tangent_channels(), 3);
  const Field& space = energy.field(energy.find_field("X"));
  EXPECT_EQ(space.manifold, Manifold::SE3);
  EXPECT_EQ(space.channels, 7);
  EXPECT_EQ(space.tangent_channels(), 6);
  EXPECT_EQ(space.slot, 1);
  const Field& data = energy.field(energy.find_field("Z"));
  EXPECT_EQ(data.channels, 7);
  EXPECT_EQ(data.manifold, Manifold::Euclidean) << "only unknowns move";
}

TEST(LanguageDeclarations, DimsAreNumberedAndLoopVariablesNamed) {
  const Energy energy = load(R"(
    local W, H = thallo.Dims("W", "H")
    local T = Dim("T", 7)
    Inputs { X = Unknown(float, {W, H}), Y = Unknown(float, {T, T}) }
    local x, y = W(), H("row")
    local s, t = T(), T()
    Residuals { r = X(x, y), q = Y(s, t) })");
  EXPECT_EQ(energy.dims()[1].slot, 1);
  EXPECT_EQ(energy.dims()[2].slot, 7);
  std::vector<std::string> names;
  for (const ResidualGroup& group : energy.groups())
    for (const DomainId domain : group.domains)
      names.push_back(energy.graph().indices().domain(domain).name);
  EXPECT_THAT(names, ElementsAre("t", "t2", "w", "row")) << "groups sorted by name: q, r";
}

TEST(LanguageDeclarations, ThePreconditionerIsLeftOpenUnlessTheTextSays) {
  const std::string text =
      "local N = Dims('N') Inputs { X = Unknown(float, {N}) } Residuals { r = X(N()) - 1 }";
  EXPECT_EQ(load_energy_text(text, "t.lua")->defaults.use_preconditioner, std::nullopt);
  const auto without = load_energy_text(text + "UsePreconditioner(false)", "t.lua");
  EXPECT_EQ(without->defaults.use_preconditioner, false);
}

}  // namespace
}  // namespace thallo
