#include "core/ir/index.h"

#include <gmock/gmock.h>

namespace thallo {
namespace {

using testing::ElementsAre, testing::IsEmpty;

struct Indices : ::testing::Test {
  IndexTable table;
  const DimId W{0}, H{1};
  const DomainId x = table.add_domain(W, "x"), y = table.add_domain(H, "y");
  const DomainId k = table.add_domain(W, "k");

  Affine of(DomainId domain) { return table.component(domain); }
  static Affine number(int value) { return IndexTable::component(std::int64_t{value}); }
  Affine plus(const Affine& a, const Affine& b) { return table.add(a, b); }
  Affine minus(const Affine& a, const Affine& b) { return table.add(a, b, -1); }
  IndexId one(const Affine& component) { return table.intern(MultiIndex{component}); }
};

TEST_F(Indices, AddDomainsToShiftedAndScaledComponents) {
  // (x + 1) + k, the form that other systems fold wrongly.
  const Affine shifted = plus(plus(of(x), number(1)), of(k));
  EXPECT_EQ(shifted, plus(plus(of(k), of(x)), number(1)));
  EXPECT_EQ(shifted.constant, 1);
  EXPECT_EQ(shifted.terms.size(), 2u);
  EXPECT_EQ(minus(shifted, of(k)), plus(of(x), number(1)));
  EXPECT_EQ(minus(shifted, shifted), number(0));
  const Affine odd = plus(IndexTable::scale(of(x), 2), number(1));
  EXPECT_EQ(odd, plus(plus(of(x), of(x)), number(1)));
  EXPECT_EQ(IndexTable::scale(odd, 0), number(0));
  // 2 x + 1 at x = 2 y + 3 is 4 y + 7.
  const Affine at = plus(IndexTable::scale(of(y), 2), number(3));
  EXPECT_EQ(table.substitute(odd, {{x, at}}), plus(IndexTable::scale(of(y), 4), number(7)));
}

TEST_F(Indices, AreInternedByContentAndNested) {
  EXPECT_EQ(table.intern(MultiIndex{of(x), plus(of(y), number(1))}),
            table.intern(MultiIndex{of(x), plus(number(1), of(y))}));
  EXPECT_NE(one(of(x)), one(of(k))) << "two domains over one dim are two";
  EXPECT_NE(table.intern(MultiIndex{of(x), of(y)}), table.intern(MultiIndex{of(y), of(x)}));
  EXPECT_EQ(table.intern(std::vector{x, y}), table.intern(MultiIndex{of(x), of(y)}));
  const MapId v{0}, w{1};
  const Affine inner = table.component(v, 0, one(plus(of(x), number(1))));
  const Affine outer = table.component(w, 1, one(inner));
  EXPECT_EQ(outer, table.component(w, 1, one(table.component(v, 0, one(plus(of(x), number(1)))))));
  EXPECT_NE(outer, table.component(w, 0, one(inner))) << "another coordinate";
  EXPECT_THAT(table.domains_of(outer), ElementsAre(x));
  // Substitution goes through the arguments of maps.
  const Affine moved = table.substitute(outer, {{x, minus(of(k), number(1))}});
  EXPECT_EQ(moved, table.component(w, 1, one(table.component(v, 0, one(of(k))))));
}

TEST_F(Indices, TellWhatAComponentIsOverWhichDomains) {
  const Affine lookup = table.component(MapId{0}, 0, one(of(x)));
  EXPECT_EQ(table.as_domain(of(x)), x);
  EXPECT_FALSE(table.as_domain(plus(of(x), number(1))).valid());
  EXPECT_FALSE(table.as_domain(IndexTable::scale(of(x), 2)).valid());
  EXPECT_FALSE(table.as_domain(lookup).valid());
  EXPECT_TRUE(table.as_map_lookup(lookup).valid());
  EXPECT_FALSE(table.as_map_lookup(plus(lookup, number(1))).valid());
  EXPECT_FALSE(table.as_map_lookup(of(x)).valid());
  const IndexId index = table.intern(
      MultiIndex{plus(of(k), of(x)), table.component(MapId{0}, 0, one(minus(of(x), of(y))))});
  EXPECT_THAT(table.domains_of(index), ElementsAre(x, y, k));
  EXPECT_THAT(table.domains_of(one(minus(of(x), of(x)))), IsEmpty());
}

TEST_F(Indices, FindTheSameFreeNameAgain) {
  EXPECT_EQ(table.rename(k, {}), k);
  const DomainId twin = table.rename(k, std::vector{k});
  EXPECT_NE(twin, k);
  EXPECT_EQ(table.domain(twin).dim, W);
  EXPECT_EQ(table.domain(twin).name, "k'");
  EXPECT_EQ(table.rename(k, std::vector{k, x}), twin);
  const DomainId third = table.rename(k, std::vector{k, twin});
  EXPECT_EQ(table.domain(third).name, "k''");
  EXPECT_EQ(table.rename(twin, std::vector{twin}), third);
}

TEST(MergeDomains, IsTheUnion) {
  const DomainId a{0}, b{1}, c{2};
  EXPECT_THAT(merge_domains(std::vector{a, c}, std::vector{b, c}), ElementsAre(a, b, c));
}

}  // namespace
}  // namespace thallo
