#include <gmock/gmock.h>

#include "core/kernel/bind/inverse_map.h"

namespace thallo {
namespace {

using testing::ElementsAre;

TEST(InverseMap, ListsThePointsOfEveryElementInOrder) {
  const CompressedInverse inverse = invert(std::vector<std::int32_t>{2, 0, 2, 1, 2}, 4);
  EXPECT_THAT(inverse.offsets, ElementsAre(0, 1, 2, 5, 5));
  EXPECT_THAT(inverse.points, ElementsAre(1, 3, 0, 2, 4));
  const CompressedInverse sparse = invert(std::vector<std::int32_t>{-1, 1, -1, 0}, 2);
  EXPECT_THAT(sparse.offsets, ElementsAre(0, 1, 2));
  EXPECT_THAT(sparse.points, ElementsAre(3, 1, 0, 0));
  EXPECT_THAT(invert({}, 0).offsets, ElementsAre(0));
  EXPECT_THAT(invert({}, 2).offsets, ElementsAre(0, 0, 0));
}

}  // namespace
}  // namespace thallo
