#include "core/energy/builder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/energy/vector_math.h"

namespace thallo {
namespace {

using ::testing::HasSubstr;

// X with three channels over N, and a domain.
struct Builder : ::testing::Test {
  EnergyBuilder e{"builder"};
  DimId N = e.dim("N");
  FieldHandle X = e.unknown("X", {N}, 3);
  FieldHandle s = e.array("s", {N});
  IndexExpr i = e.domain(N);

  // Equal mathematics is one node.
  void expect_same(Expr a, Expr b) { EXPECT_EQ(e.id_of(a), e.id_of(b)); }
  void expect_same(const Vec& a, const Vec& b) {
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t k = 0; k < a.size(); ++k) expect_same(a[k], b[k]);
  }
};

TEST_F(Builder, TakesReadsOfOneChannelAsScalars) {
  const Expr from_reads = s(i) - s(i + 1) * exp(-s(i)) / 2;
  const Expr a = s(i), b = s(i + 1);
  expect_same(from_reads, a - b * exp(-a) / 2);
}

TEST_F(Builder, BroadcastsScalars) {
  const Vec x = X(i);
  expect_same(x * s(i), Vec{x[0] * s(i), x[1] * s(i), x[2] * s(i)});
  expect_same(2 * x - x, x);
  expect_same(1 - x, Vec{1 - x[0], 1 - x[1], 1 - x[2]});
}

TEST_F(Builder, FoldsPlainNumbers) {
  expect_same(Expr(2) * 3 + 1, 7.0);
  expect_same(dot({1.0, 2.0}, {3.0, 4.0}), 11.0);
}

TEST_F(Builder, AddsIndices) {
  expect_same(Vec(s(i + 1 - 1)), Vec(s(i)));
  expect_same(Vec(s(2 * i - i)), Vec(s(i)));
}

TEST_F(Builder, NamesDomainsAfterTheirDim) {
  const DomainId second = e.add_domain(N);
  EXPECT_EQ(e.graph().indices().domain(i.domain()).name, "n");
  EXPECT_EQ(e.graph().indices().domain(second).name, "n2");
}

TEST_F(Builder, FindsEqualUnnamedIntermediatesAgain) {
  const auto first = e.intermediate("", std::vector{i}, 2 * X(i));
  const auto again = e.intermediate("", std::vector{i}, X(i) + X(i));
  const auto other = e.intermediate("", std::vector{i}, 3 * X(i));
  EXPECT_EQ(first.id(), again.id());
  EXPECT_NE(first.id(), other.id());
  EXPECT_THAT(e.data().fields[first.id().index()].name, ::testing::MatchesRegex("%[0-9a-f]+"));
}

TEST_F(Builder, JoinsExclusionsOfOneUnknown) {
  const IndexExpr j = e.domain(N);
  e.exclude(X.id(), {i.domain()}, s(i) < 0);
  e.exclude(X.id(), {j.domain()}, s(j) > 1);
  ASSERT_EQ(e.data().exclusions.size(), 1u);
  expect_same(Expr(&e, e.data().exclusions[0].condition), s(i) < 0 || s(i) > 1);
}

TEST_F(Builder, ReportsVectorsThatDoNotGoTogether) {
  e.residual("bad", X(i) - Vec{1.0, 2.0});
  e.residual("worse", exp(X(i)));
  ASSERT_EQ(e.faults().size(), 2u);
  EXPECT_THAT(e.faults()[0].what, HasSubstr("vectors of sizes 3 and 2 do not go together"));
  EXPECT_THAT(e.faults()[1].what,
              HasSubstr("a vector of size 3 stands where one scalar is needed"));
  EXPECT_FALSE(std::move(e).build());
}

TEST_F(Builder, RemembersTheLineOfADeclaration) {
  const SourceLocation where = e.data().fields[X.id().index()].where;
  EXPECT_THAT(where.file, HasSubstr("builder_test.cpp"));
  EXPECT_GT(where.line, 0);
}

TEST_F(Builder, RotatesByRightAngles) {
  // Numbers fold, so that a rotation of numbers is a vector of numbers.
  const auto expect_near = [](const Vec& v, std::vector<double> expected) {
    ASSERT_EQ(v.size(), expected.size());
    for (std::size_t k = 0; k < v.size(); ++k) EXPECT_NEAR(v[k].number(), expected[k], 1e-12);
  };
  const double quarter = std::acos(0.0);
  expect_near(rotate_2d(quarter, {1.0, 0.0}), {0, 1});
  expect_near(rotate_3d({0.0, 0.0, quarter}, {1.0, 2.0, 3.0}), {-2, 1, 3});
  expect_near(rotate_3d({quarter, 0.0, 0.0}, {1.0, 2.0, 3.0}), {1, -3, 2});
  expect_near(rotate_3d({0.0, quarter, 0.0}, {1.0, 2.0, 3.0}), {3, 2, -1});
  expect_near(rotate_angle_axis({0.0, quarter, 0.0}, {1.0, 2.0, 3.0}), {3, 2, -1});
  expect_near(rotate_angle_axis({0.0, 0.0, 1e-5}, {1.0, 2.0, 3.0}), {1 - 2e-5, 2 + 1e-5, 3});
  expect_near(cross({1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}), {0, 0, 1});
  expect_near(gemv({1.0, 2.0, 3.0, 4.0, 5.0, 6.0}, {1.0, 0.0, -1.0}), {-2, -2});
  expect_near(normalize({3.0, 4.0}), {0.6, 0.8});
}

}  // namespace
}  // namespace thallo
