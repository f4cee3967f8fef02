// Random problems: what `thallo new energy` writes.

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "core/diff/check.h"
#include "core/energy/random/random_energy.h"
#include "core/language/energy_text.h"
#include "core/problem/files/bind_inputs.h"
#include "tests/language/texts.h"
#include "tests/support/energy_features.h"

namespace thallo {
namespace {

// The inputs of an energy, generated; a dim has the extent that `extent_of` says.
template <class ExtentOf>
Binding generated(const Energy& energy, const RandomProblem& problem, const ExtentOf& extent_of) {
  std::vector<SourceText> texts;
  for (const Dim& dim : energy.dims())
    texts.push_back({dim.name, std::to_string(extent_of(dim.name))});
  for (const Field& field : energy.fields()) {
    if (field.kind == FieldKind::Intermediate) continue;
    texts.push_back({field.name, field.kind == FieldKind::Param ? "0.7" : "random"});
  }
  for (const SparseMap& map : energy.maps())
    texts.push_back({map.name, problem.has_nearby_maps ? "nearby" : "random"});
  auto bound = bind_inputs(energy, texts);
  if (!bound) throw InternalError(bound.error().message(), __FILE__, __LINE__);
  return std::move(bound->binding);
}

TEST(RandomProblem, HasTheDerivativesOfItsFunction) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    const RandomProblem problem = make_random_problem(seed);
    const std::string text = energy_text(problem.energy).value();
    SCOPED_TRACE(text);
    const Energy energy = test::load(text);
    const Binding data =
        generated(energy, problem, [](const std::string& dim) { return dim == "K" ? 2 : 7; });
    const CheckResult result = check_derivatives(energy, data, {.max_points_per_group = 6});
    EXPECT_LT(result.worst_relative_error, 1e-6) << result.brief();
    EXPECT_GT(result.num_checked, 20) << result.brief();
  }
}

TEST(RandomProblem, IsAFunctionOfItsSeedAndLargeEnoughToBeMeasured) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const RandomProblem problem = make_random_problem(seed);
    const Energy energy = test::load(energy_text(problem.energy).value());
    const Binding data =
        generated(energy, problem, [&](const std::string& dim) { return problem.extents.at(dim); });
    EXPECT_GT(data.num_residuals(energy), 20'000) << seed;
    EXPECT_LT(data.num_residuals(energy), 100'000) << seed;
  }
  const auto text = [](std::uint64_t seed) {
    return energy_text(make_random_problem(seed).energy).value();
  };
  EXPECT_EQ(text(7), text(7));
  std::set<std::string> texts;
  for (std::uint64_t seed = 1; seed <= 50; ++seed) texts.insert(text(seed));
  EXPECT_EQ(texts.size(), 50);
}

// One seed may have few features; all of them together have what problems have.
TEST(RandomProblem, VariesInWhatItHas) {
  std::set<std::string> found;
  std::set<std::size_t> arities, num_unknowns;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const RandomProblem problem = make_random_problem(seed);
    const Energy energy = test::load(energy_text(problem.energy).value());
    const Binding data =
        generated(energy, problem, [](const std::string& dim) { return dim == "K" ? 2 : 5; });
    found.merge(test::features_of(energy, data));
    num_unknowns.insert(energy.unknowns().size());
    std::size_t arity = 0;
    for (const SparseMap& map : energy.maps()) arity += map.name.starts_with("v") ? 1 : 0;
    arities.insert(arity);
  }
  for (const char* feature : {"several residual groups",
                              "two unknown spaces",
                              "two unknowns in one space",
                              "unknown with several channels",
                              "three domains",
                              "border read",
                              "nested map",
                              "map with two coordinates",
                              "intermediate",
                              "intermediate of an intermediate",
                              "sum",
                              "loss",
                              "select",
                              "mask",
                              "bounds test",
                              "abs",
                              "freeze",
                              "param",
                              "index as a number",
                              "exclude"})
    EXPECT_TRUE(found.contains(feature)) << feature;
  EXPECT_GE(arities.size(), 4);  // no graph, two points of an edge, three, four
  EXPECT_GE(num_unknowns.size(), 4);
}

}  // namespace
}  // namespace thallo
