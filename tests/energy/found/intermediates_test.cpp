#include "core/energy/found/intermediates.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <set>
#include <string>

#include "core/base/error.h"
#include "core/energy/builder.h"
#include "core/energy/print.h"

namespace thallo {
namespace {

using testing::AnyOf, testing::HasSubstr;

// Images X, A over W and H, points P over N and edges between them.
struct FoundIn : ::testing::Test {
  EnergyBuilder e{"found"};
  DimId W = e.dim("W"), H = e.dim("H"), N = e.dim("N"), E = e.dim("E");
  FieldHandle X = e.unknown("X", {W, H}), P = e.unknown("P", {N});
  FieldHandle A = e.array("A", {W, H}), Length = e.array("Length", {E});
  MapHandle head = e.map("head", {E}, {N}), tail = e.map("tail", {E}, {N});
  MapHandle maybe = e.map("maybe", {E}, {N}, -1, true);
  IndexExpr x = e.domain(W), y = e.domain(H), edge = e.domain(E);

  std::shared_ptr<const FoundIntermediates> found() {
    auto energy = std::move(e).build();
    EXPECT_TRUE(energy) << energy.error().message();
    return FoundIntermediates::in(*energy);
  }
  // The same where one is found.
  std::shared_ptr<const FoundIntermediates> found_one() {
    auto one = found();
    EXPECT_EQ(one->all().size(), 1u);
    return one;
  }
};

std::vector<std::string> positions(const FoundIntermediates& found, std::size_t i) {
  const ExprPrinter printer(found.graph(), names_of(found.energy()));
  std::vector<std::string> texts;
  for (const MultiIndex& position : found.all().at(i).positions) {
    std::string text;
    for (const Affine& component : position)
      text += (text.empty() ? "" : ", ") + printer.text(component);
    texts.push_back(text);
  }
  std::ranges::sort(texts);
  return texts;
}

std::vector<std::string> values(const FoundIntermediates& found, std::size_t i) {
  const ExprPrinter printer(found.graph(), names_of(found.energy()));
  std::vector<std::string> texts;
  for (const ExprId value : found.all().at(i).values) texts.push_back(printer.text(value));
  std::ranges::sort(texts);
  return texts;
}

using Texts = std::vector<std::string>;

TEST_F(FoundIn, EqualExpressionsAtOtherPointsAreOneRead) {
  e.residual("r", e.in_bounds(x + 1) * (cos(X(x, y)) - cos(X(x + 1, y))));
  const auto found = found_one();
  EXPECT_EQ(positions(*found, 0), (Texts{"w + 1, h", "w, h"}));
  EXPECT_EQ(values(*found, 0), (Texts{"cos(X(w, h))"}));
  EXPECT_EQ(found->all().at(0).why_not, "");
}

TEST_F(FoundIn, IsCalledAsItsAuthorCalledIt) {
  e.name(e.id_of(cos(X(x, y))), "wave");
  e.residual("r", e.in_bounds(x + 1) * (cos(X(x, y)) - cos(X(x + 1, y))));
  const auto found = found_one();
  EXPECT_EQ(found->all().at(0).name, "wave");
}

TEST_F(FoundIn, IsCalledByItsHashWhereSomethingElseHasItsName) {
  e.name(e.id_of(cos(X(x, y))), "A");
  e.residual("r", A(x, y) + e.in_bounds(x + 1) * (cos(X(x, y)) - cos(X(x + 1, y))));
  const auto found = found_one();
  EXPECT_EQ(found->all().at(0).name.substr(0, 1), "%");
}

TEST_F(FoundIn, TranslationKeepsWhatIsReadTogether) {
  const auto slope = [&](const IndexExpr& i) { return exp(X(i, y) * X(i - 1, y)); };
  e.residual("r", e.in_bounds(x + 1) * (slope(x) - slope(x + 1)));
  const auto found = found_one();
  EXPECT_EQ(positions(*found, 0), (Texts{"w + 1, h", "w, h"}));
  EXPECT_EQ(values(*found, 0), (Texts{"exp(X(w - 1, h) * X(w, h))"}));
}

TEST_F(FoundIn, WhatAMapReadsIsOverTheSpaceBehindIt) {
  e.residual("r", cos(P(head(edge))) * Length(edge));
  const auto found = found_one();
  EXPECT_EQ(positions(*found, 0), (Texts{"head(e)"}));
  EXPECT_EQ(values(*found, 0), (Texts{"cos(P(n))"}));
}

TEST_F(FoundIn, TwoMapsOfOneVariableAreOneSpaceWithIt) {
  const Expr product = exp(P(head(edge)) * P(tail(edge)));
  e.residual("r", {product * Length(edge), product});
  const auto found = this->found();
  ASSERT_EQ(found->all().size(), 0u) << "it is a residual";
}

TEST_F(FoundIn, FactorsOverASmallerSpaceAreTakenOutOfAProduct) {
  e.residual("r", cos(P(head(edge))) * sin(P(head(edge))) * Length(edge));
  const auto found = found_one();
  ASSERT_EQ(values(*found, 0).size(), 1u);
  EXPECT_THAT(values(*found, 0)[0], AnyOf("cos(P(n)) * sin(P(n))", "sin(P(n)) * cos(P(n))"));
}

TEST_F(FoundIn, WhatIsReadTogetherIsChannelsOfOne) {
  e.residual("a", cos(X(x, y)) * A(x, y) - sin(X(x, y)));
  e.residual("b", cos(X(x, y)) - A(x, y) * sin(X(x, y)));
  const auto found = found_one();
  EXPECT_EQ(values(*found, 0), (Texts{"cos(X(w, h))", "sin(X(w, h))"}));
  EXPECT_EQ(found->all().at(0).flops, 32);
}

TEST_F(FoundIn, AFrozenPlaceOfASampleMayBeBesideAnotherChannel) {
  const FieldHandle B = e.array("B", {W, H});
  const Expr x = exp(sin(P(0)) * Length(edge));
  for (const FieldHandle& image : {A, B})
    e.residual(image.id() == A.id() ? "a" : "b", e.sample(image.id(), {}, {}, freeze(x), 0.0) * x);
  const auto found = this->found();
  EXPECT_EQ(found->all().at(0).values.size(), 2u);
  EXPECT_EQ(found->with(FoundSites::All).intermediates().size(), 1u);
}

TEST_F(FoundIn, AResidualAndWhatItAloneReadsAreNothingOfTheirOwn) {
  e.residual("r", A(x, y) - exp(sin(X(x, y))));
  EXPECT_TRUE(found()->all().empty());
}

TEST_F(FoundIn, WhatIsOnlyReadByALargerOneIsLeftOut) {
  const Expr inner = sin(X(x, y)), outer = exp(inner * inner + 2 * inner);
  e.residual("r", {outer * A(x, y), outer - A(x, y)});
  const auto found = found_one();
  EXPECT_EQ(values(*found, 0).size(), 1u);
}

TEST_F(FoundIn, SumsStayWhereTheyAre) {
  const DomainId k = e.add_domain(N);
  const Expr sum = e.sum({k}, P(IndexExpr(&e, e.graph().indices().component(k))) * X(x, y));
  e.residual("r", {cos(sum) + A(x, y), cos(sum) - A(x, y)});
  EXPECT_TRUE(found()->all().empty());
}

// Of cos(X(x, y)) - cos(X(x + 1, y)), under a condition.
std::string why_not(FoundIn& in, const Expr& condition) {
  in.e.residual("r", condition * (cos(in.X(in.x, in.y)) - cos(in.X(in.x + 1, in.y))));
  return in.found_one()->all().at(0).why_not;
}

TEST_F(FoundIn, AReadThatMayBeOutsideIsNoSite) {
  const std::string why = why_not(*this, A(x, y));
  EXPECT_THAT(why, HasSubstr("(w + 1, h)"));
  EXPECT_THAT(why, HasSubstr("outside of its domain"));
}

TEST_F(FoundIn, ABoundsTestOfAnotherDirectionSaysNothing) {
  EXPECT_NE(why_not(*this, e.in_bounds(y + 1)), "");
}

// Read at w - 1 and w, it is stored where w + 1 is its place.
TEST_F(FoundIn, TheSpaceBeginsWhereReadsAreInside) {
  e.residual("r", e.in_bounds(x - 1) * (cos(X(x, y)) - cos(X(x + 1, y))));
  const auto found = found_one();
  EXPECT_EQ(found->all().at(0).why_not, "");
  EXPECT_EQ(positions(*found, 0), (Texts{"w - 1, h", "w, h"}));
  EXPECT_EQ(values(*found, 0), (Texts{"cos(X(w + 1, h))"}));
}

TEST_F(FoundIn, ABoundsTestFurtherOnSaysEnough) {
  EXPECT_EQ(why_not(*this, e.in_bounds(x + 3)), "");
}

TEST_F(FoundIn, AConditionThatIsFalseOutsideSaysEnough) {
  EXPECT_EQ(why_not(*this, A(x + 1, y) > 0), "");
}

TEST_F(FoundIn, AConditionThatHasANameSaysWhatItSays) {
  const auto mask = e.intermediate("mask", {x, y}, {e.in_bounds(x + 1) * (A(x, y) > 0)});
  EXPECT_EQ(why_not(*this, Expr(mask(x, y)) > 0), "");
}

TEST_F(FoundIn, AConditionThatIsTrueOutsideSaysNothing) {
  EXPECT_NE(why_not(*this, equal(A(x + 1, y), 0)), "");
}

TEST_F(FoundIn, OneUseWithoutTestIsEnoughToBeNoSite) {
  e.residual("other", cos(X(x + 1, y)) * A(x, y));
  EXPECT_NE(why_not(*this, e.in_bounds(x + 1)), "");
}

TEST_F(FoundIn, ASelectTestsTheSideItTakes) {
  const Expr inside = e.in_bounds(x + 1);
  const Expr change = cos(X(x, y)) - cos(X(x + 1, y)), otherwise = A(x, y);
  e.residual("r", select(inside, change, otherwise));
  const auto found = found_one();
  EXPECT_EQ(found->all().at(0).why_not, "");
}

TEST_F(FoundIn, AReadThroughAnOptionalMapMustBeTested) {
  e.residual("r", cos(P(maybe(edge))) * Length(edge));
  const auto found = found_one();
  EXPECT_NE(found->all().at(0).why_not, "");
}

TEST_F(FoundIn, ATestedReadThroughAnOptionalMapIsASite) {
  e.residual("r", e.in_bounds(maybe(edge), N) * (cos(P(maybe(edge))) - Length(edge)));
  const auto found = found_one();
  EXPECT_EQ(found->all().at(0).why_not, "");
}

TEST_F(FoundIn, TheEnergyReadsWhatIsChosen) {
  e.residual("r", cos(P(head(edge))) * sin(P(head(edge))) * Length(edge));
  const auto found = this->found();
  const Energy with = found->with(FoundSites::Default);
  ASSERT_EQ(with.intermediates().size(), 1u);
  EXPECT_EQ(with.field(with.intermediates()[0].field).name, found->all().at(0).name);
  EXPECT_TRUE(with.intermediates()[0].is_found);
  EXPECT_THAT(to_string(with), HasSubstr(found->all().at(0).name + "(head(e))"));
  EXPECT_EQ(to_string(with.as_written()), to_string(found->energy()));
  EXPECT_EQ(to_string(found->with(FoundSites::None)), to_string(found->energy()));
}

TEST_F(FoundIn, LittleWorkReadAtOnePlaceIsASiteOnRequest) {
  e.residual("r", cos(P(head(edge))) * Length(edge));
  const auto found = this->found();
  const std::string name = found->all().at(0).name;
  EXPECT_THAT(found->why_no_site(name, FoundSites::Default), HasSubstr("the option 'sites=all'"));
  EXPECT_EQ(found->why_no_site(name, FoundSites::All), "");
  EXPECT_NE(found->why_no_site(name, FoundSites::None), "");
  EXPECT_EQ(found->why_no_site("%0000", FoundSites::Default), "") << "it is not known";
}

TEST_F(FoundIn, TheTwelveOfMostFlopsAreSites) {
  for (int i = 1; i <= 14; ++i) {
    Expr value = P(head(edge)) * i;
    for (int k = 0; k < i; ++k) value = cos(value) + i;
    // Each of other groups than the others, lest they be channels of one.
    e.residual("r" + std::to_string(i), {sin(value) * Length(edge), exp(sin(value))});
  }
  const auto found = this->found();
  EXPECT_EQ(found->all().size(), 14u);
  EXPECT_EQ(found->with(FoundSites::Default).intermediates().size(), 12u);
  EXPECT_EQ(found->with(FoundSites::All).intermediates().size(), 14u);
  EXPECT_THAT(found->why_no_site(found->all().back().name, FoundSites::Default),
              HasSubstr("the option 'sites=all'"));
}

// The names of what is found when fields, residuals and operands come in another order, and when
// some of it has a name.
std::set<std::string> names(bool other_order, bool with_named) {
  EnergyBuilder e("names");
  const DimId W = other_order ? DimId() : e.dim("W");
  const DimId H = e.dim("H");
  const DimId w = W.valid() ? W : e.dim("W");
  const auto a_first = other_order ? e.array("A", {w, H}) : e.unknown("X", {w, H});
  const auto second = other_order ? e.unknown("X", {w, H}) : e.array("A", {w, H});
  const auto X = other_order ? second : a_first, A = other_order ? a_first : second;
  const auto y = e.domain(H), x = e.domain(w);
  if (with_named) {
    const auto named = e.intermediate("named", {x, y}, {A(x, y) * X(x, y)});
    const Expr f = exp(named(x, y)[0]);
    e.residual("a", {f * A(x, y), f + 1});
  } else if (other_order) {
    const Expr f = exp(X(x, y) * A(x, y));
    e.residual("a", {f * A(x, y), 1 + f});
  } else {
    const Expr f = exp(A(x, y) * X(x, y));
    e.residual("a", {A(x, y) * f, f + 1});
  }
  auto energy = std::move(e).build();
  if (!energy) throw InternalError(energy.error().message(), __FILE__, __LINE__);
  std::set<std::string> names;
  const auto found = FoundIntermediates::in(*energy);
  for (const FoundIntermediate& one : found->all()) names.insert(one.name);
  return names;
}

TEST(FoundNames, AreThoseOfTheContent) {
  EXPECT_EQ(names(false, false).size(), 1u);
  EXPECT_EQ(names(false, false), names(true, false)) << "in another order";
  EXPECT_EQ(names(false, false), names(false, true)) << "with something named";
}

}  // namespace
}  // namespace thallo
