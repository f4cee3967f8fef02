// Energies that a program has made, written as texts and loaded again.

#include <gmock/gmock.h>

#include <algorithm>

#include "core/base/log.h"
#include "core/energy/builder.h"
#include "core/energy/random/random_energy.h"
#include "core/language/energy_text.h"
#include "tests/language/texts.h"

namespace thallo {
namespace {

using ::testing::HasSubstr;

// Warnings are of unknowns that nothing reads, which a text keeps.
Energy again(const Energy& energy) {
  const auto text = energy_text(energy);
  if (!text) throw InternalError(text.error().message(), __FILE__, __LINE__);
  const LogCapture no_warnings;
  return test::load(*text);
}

// The same data, for those inputs that the text still has.
Binding rebound(const Energy& from, const Binding& data, const Energy& to) {
  Binding binding(to);
  for (const Dim& dim : to.dims())
    (void)binding.set_extent(dim.name, data.extent(from.find_dim(dim.name)));
  for (const Field& field : to.fields())
    if (field.kind != FieldKind::Intermediate)
      (void)binding.set_field(field.name, data.field(from.find_field(field.name)));
  for (const SparseMap& map : to.maps())
    (void)binding.set_map(map.name, data.map(from.find_map(map.name)));
  const auto valid = binding.validate(to);
  EXPECT_TRUE(valid) << valid.error().message();
  return binding;
}

void expect_same(const RandomEnergy& random) {
  SCOPED_TRACE(random.text() + *energy_text(random.energy));
  const Energy loaded = again(random.energy);
  const Binding data = rebound(random.energy, random.binding, loaded);
  EnergyEvaluator truth(random.energy, random.binding), found(loaded, data);
  const double cost = truth.cost();
  EXPECT_NEAR(found.cost(), cost, 1e-12 * std::max(1.0, cost));
  const Linearization expected = truth.linearize(), actual = found.linearize();
  ASSERT_EQ(actual.layout().size(), expected.layout().size());
  for (std::size_t i = 0; i < expected.jtf().size(); ++i)
    EXPECT_NEAR(actual.jtf()[i], expected.jtf()[i],
                1e-11 * std::max(1.0, expected.jtf_magnitude()[i]))
        << i;
}

TEST(EnergyText, LoadsAsTheEnergyItWasMadeOf) {
  for (std::uint64_t seed = 1; seed <= 50 && !HasFailure(); ++seed) {
    expect_same(make_random_energy(seed));
    expect_same(make_random_stencil_energy(seed));
  }
  // A second trip changes nothing, so the first has lost nothing but what is not read.
  for (std::uint64_t seed = 1; seed <= 50 && !HasFailure(); ++seed) {
    const std::string text = *energy_text(again(make_random_problem(seed).energy));
    EXPECT_EQ(*energy_text(test::load(text)), text);
  }
}

TEST(EnergyText, IsWrittenToBeRead) {
  EnergyBuilder e("springs");
  const DimId N = e.dim("N"), E = e.dim("E");
  const auto X = e.unknown("X", {N}, 2);
  e.array("unused", {N});
  const Expr w = e.param("w");
  const auto v0 = e.map("v0", {E}, {N}), v1 = e.map("v1", {E}, {N}, -1, true);
  const IndexExpr edge = e.domain(E), n = e.domain(N);
  const Vec difference = X(v0(edge)) - X(v1(edge) + 1);
  e.residual("spring", w * difference / (1 + w * w));
  e.residual("fit", X(n)[0] - 0.5 * e.value_of(3 - n));
  e.loss("fit", "huber", 2 * w);
  e.loss("spring", [&](Expr s) { return log(1 + w * s) / w; });
  e.exclude(X, {n}, e.value_of(n) < 1);
  const Energy energy = std::move(e).build().value();
  const std::string text = energy_text(energy).value();
  EXPECT_EQ(text, R"(local N, E = Dims("N", "E")
Inputs {
  X = Unknown(float2, {N}),
  w = Param(float),
  v0 = Sparse({E}, {N}),
  v1 = Sparse({E}, {N}, {optional = true}),
}
local residuals = {}
local e = E()
do
  local t0 = 1 / (1 + w^2)
  residuals.spring = {t0 * (X(v0(e), 0) - X(v1(e) + 1, 0)) * w,
      t0 * (X(v0(e), 1) - X(v1(e) + 1, 1)) * w}
end
local n = N()
residuals.fit = X(n, 0) - 0.5 * (3 - n):asvalue()
local r = Residuals(residuals)
r.spring:loss(function(s)
  return log(1 + s * w) / w
end)
r.fit:loss(huber(2 * w))
X:Exclude(less(n:asvalue(), 1))
)");
}

TEST(EnergyText, NamesWhatIsStoredWithoutAName) {
  const Energy energy = test::load(R"(local N = Dims("N")
Inputs { X = Unknown(float, {N}) }
local n = N()
local square = X(n)^2
Residuals { r = square:get(n) - square:get(n + 1) })");
  const Energy loaded = again(energy);
  ASSERT_EQ(loaded.intermediates().size(), 1);
  EXPECT_TRUE(loaded.field(loaded.intermediates()[0].field).name.starts_with("stored_"));
}

TEST(EnergyText, SaysWhatTheLanguageCannot) {
  EnergyBuilder e("wide");
  const DimId N = e.dim("N");
  const auto X = e.unknown("X", {N}, 13);
  e.residual("fit", X(e.domain(N)));
  const Energy energy = std::move(e).build().value();
  const auto text = energy_text(energy);
  ASSERT_FALSE(text);
  EXPECT_THAT(text.error().message(), HasSubstr("'X' has 13 channels"));
}

}  // namespace
}  // namespace thallo
