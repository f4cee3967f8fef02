#include "core/base/hash.h"

#include <gtest/gtest.h>

namespace thallo {
namespace {

TEST(Hash, IsTheSameInEveryProcess) {
  EXPECT_EQ((Hash128{0x12, 0xabcdef}).hex(), "00000000000000120000000000abcdef");
  // Cache files are named by it: a change here throws every cache away.
  EXPECT_EQ(Hasher().update("thallo").update(42).update(0.5).finish().hex(),
            Hasher().update(std::string_view("thallo")).update(42LL).update(0.5).finish().hex());
  EXPECT_EQ(hash_text("thallo").hex(), "f85c97c087950a83c128a1cfe938f02e");
  EXPECT_EQ(Hasher().update("thallo").update(42).finish().hex(),
            "2161997af4ab65a2e2d2488ac32dfb31");
}

TEST(Hash, SeparatesPiecesButNotIntegerTypes) {
  EXPECT_NE(Hasher().update("ab").update("c").finish(), Hasher().update("a").update("bc").finish());
  EXPECT_NE(Hasher().update(1).update(2).finish(), Hasher().update(2).update(1).finish());
  EXPECT_NE(Hasher().update("").finish(), Hasher().finish());
  EXPECT_EQ(Hasher().update(7).finish(), Hasher().update(std::uint64_t{7}).finish());
  EXPECT_EQ(Hasher().update(-1).finish(), Hasher().update(std::int64_t{-1}).finish());
}

TEST(Hash, GoesOnAfterFinishAndInCopies) {
  Hasher hasher;
  hasher.update(1);
  const Hash128 first = hasher.finish();
  EXPECT_EQ(first, Hasher().update(1).finish());
  EXPECT_EQ(hasher.update(2).finish(), Hasher().update(1).update(2).finish());
  Hasher a;
  a.update(std::string(1000, 'x'));
  Hasher b = a;
  b.update(1);
  EXPECT_EQ(a.finish(), Hasher().update(std::string(1000, 'x')).finish());
  EXPECT_EQ(b.finish(), Hasher().update(std::string(1000, 'x')).update(1).finish());
}

}  // namespace
}  // namespace thallo
