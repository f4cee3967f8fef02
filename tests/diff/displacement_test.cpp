#include "core/diff/displacement.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "tests/support/energies.h"

namespace thallo {
namespace {

using test::bind;
using test::build;
using Values = std::vector<double>;

// An unknown X and an array A over N.
struct Line {
  EnergyBuilder e{"line"};
  DimId N = e.dim("N");
  Expr x, beside, a, beside_a;
  Line() {
    const auto X = e.unknown("X", {N});
    const auto A = e.array("A", {N});
    const auto i = e.domain(N);
    x = X(i);
    beside = X(i + 1);
    a = A(i);
    beside_a = A(i + 1);
  }
};

Binding bind_line(const Energy& energy, const Values& x, const Values& a) {
  return bind(energy, {{{"N", static_cast<std::int64_t>(x.size())}}, {{"X", x}, {"A", a}}, {}, {}});
}

TEST(Displaced, MovesNumbersByTheirOwnMagnitudeAndZerosByTheLargest) {
  Line line;
  line.e.residual("fit", line.x - line.a);
  const Energy energy = build(std::move(line.e));
  const Values start = {100, 0.01, 0, 1e-12};
  const Binding binding = bind_line(energy, start, Values(4));
  for (const std::uint64_t seed : {1, 2, 3}) {
    const Binding moved = displaced(energy, binding, seed);
    const HostArray& x = moved.field(energy.unknowns().front());
    const Values most = {2, 2e-4, 0.2, 0.2};
    for (std::size_t i = 0; i < start.size(); ++i) {
      EXPECT_NE(x.value(i), start[i]);
      EXPECT_LE(std::abs(x.value(i) - start[i]), most[i]);
    }
  }
}

TEST(NearSwitches, AreThoseOfComparisonsAndAbsWithinTheMargin) {
  Line line;
  line.e.residual("abs", abs(line.x - line.a));
  line.e.residual("select", select(line.x < 8 * line.a, line.x, 2 * line.x));
  const Energy energy = build(std::move(line.e));
  const Values a(6, 1.0);
  const Binding binding = bind_line(energy, {1.0005, 1.002, 7.995, 7.97, -3, 1}, a);
  EXPECT_EQ(num_near_switches(energy, binding), 3) << "1.0005, 7.995 and 1";
  EXPECT_EQ(num_near_switches(energy, binding, 1e-4), 1) << "1";
  EXPECT_EQ(num_near_switches(energy, binding, 1e-2), 5) << "all but -3";
}

TEST(NearSwitches, AreMeasuredByTheTermsOfTheOperands) {
  Line line;
  line.e.residual("abs", abs(line.x - line.a));
  const Energy energy = build(std::move(line.e));
  EXPECT_EQ(num_near_switches(energy, bind_line(energy, {1000.5, 0.5}, {1000, 0})), 1);
}

TEST(NearSwitches, AreNotWhatDataAloneDecide) {
  Line line;
  line.e.residual("masked", select(line.a <= 0, line.x, 2 * line.x));
  const Energy energy = build(std::move(line.e));
  EXPECT_EQ(num_near_switches(energy, bind_line(energy, {1, 2}, {0, 1e-9})), 0);
}

TEST(NearSwitches, AreNotWhatMissingValuesDecide) {
  Line line;
  line.e.residual("known", select(line.x < line.a, line.x, line.a));
  const Energy energy = build(std::move(line.e));
  constexpr double Missing = -std::numeric_limits<double>::infinity();
  EXPECT_EQ(num_near_switches(energy, bind_line(energy, {1, Missing}, {3, 0})), 0);
}

// Of 400 neighbours that are equal at the start some stay near each other in any draw of all.
TEST(DisplacedOffSwitches, DrawsAnewWhatIsNearOne) {
  Line line;
  line.e.residual("step", abs(line.x - line.beside));
  const Energy energy = build(std::move(line.e));
  const Binding binding = bind_line(energy, Values(400, 1.0), Values(400));
  EXPECT_GT(num_near_switches(energy, displaced(energy, binding, 1)), 5);
  for (const std::uint64_t seed : {1, 2, 3}) {
    const OffSwitches found = displaced_off_switches(energy, binding, seed);
    EXPECT_EQ(found.num_near, 0);
    EXPECT_EQ(num_near_switches(energy, found.binding), 0);
    for (std::size_t i = 0; i < 400; ++i)
      EXPECT_LE(std::abs(found.binding.field(energy.find_field("X")).value(i) - 1), 10 * 0.02);
  }
}

// At the first point 1e6 - 1e6 + x decides, which is within 1e-3 of 1e6 wherever x goes.
TEST(DisplacedOffSwitches, CountsWhatStaysNearOne) {
  Line line;
  line.e.residual("shifted", abs(line.a + line.beside_a + line.x));
  const Energy energy = build(std::move(line.e));
  const Binding binding = bind_line(energy, {1, 1, 1}, {1e6, -1e6, 0});
  EXPECT_EQ(displaced_off_switches(energy, binding, 1).num_near, 1);
}

}  // namespace
}  // namespace thallo
