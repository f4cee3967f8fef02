#include "core/kernel/bind/map_statistics.h"

#include <gtest/gtest.h>

#include <numeric>

#include "core/base/random.h"

namespace thallo {
namespace {

std::vector<std::int32_t> identity(std::int32_t count) {
  std::vector<std::int32_t> values(static_cast<std::size_t>(count));
  std::iota(values.begin(), values.end(), 0);
  return values;
}

TEST(MapStatistics, OfTheIdentityAreThoseOfConsecutiveReads) {
  const std::int64_t extents[] = {4096};
  const MapStatistics s = statistics_of(identity(4096), extents);
  EXPECT_EQ(s.points, 4096);
  EXPECT_EQ(s.elements, 4096);
  EXPECT_EQ(s.largest_degree, 1);
  EXPECT_EQ(s.spread[0], 1);
  EXPECT_EQ(s.spread[3], 1.0 / 8);  // 32 elements are 4 pieces of 8
  EXPECT_EQ(s.pieces_per_point(4, 32), 1.0 / 8);
  EXPECT_EQ(s.pieces_per_point(12, 32), 1.0 / 2);  // no piece holds more than two whole elements
  EXPECT_EQ(s.pieces_per_point(64, 32), 2);
}

TEST(MapStatistics, OfOneElementForAllPointsIsOnePieceAWarp) {
  const std::int64_t extents[] = {10};
  const MapStatistics s = statistics_of(std::vector<std::int32_t>(640, 7), extents);
  EXPECT_EQ(s.elements, 1);
  EXPECT_EQ(s.largest_degree, 640);
  EXPECT_EQ(s.spread[0], 1.0 / 32);
  EXPECT_EQ(s.pieces_per_point(4, 32), 1.0 / 32);
}

TEST(MapStatistics, OfRandomPlacesInALargeTableShareNoPiece) {
  Random random(1);
  std::vector<std::int32_t> values;
  for (int i = 0; i < 20000; ++i)
    values.push_back(static_cast<std::int32_t>(random.below(10'000'000)));
  const std::int64_t extents[] = {10'000'000};
  const MapStatistics s = statistics_of(values, extents);
  EXPECT_GT(s.spread[3], 0.99);
  EXPECT_EQ(s.largest_degree, 2);
}

TEST(MapStatistics, LeaveOutMissingEntriesAndUseAllCoordinates) {
  // Two coordinates a point, the first is the fastest; the last point is missing.
  const std::int64_t extents[] = {4, 3};
  const std::vector<std::int32_t> values = {1, 0, 1, 0, 1, 1, -1, -1};
  const MapStatistics s = statistics_of(values, extents);
  EXPECT_EQ(s.points, 3);
  EXPECT_EQ(s.elements, 2);  // 1 and 5
  EXPECT_EQ(s.largest_degree, 2);
  EXPECT_EQ(s.spread[0], 2.0 / 3);
  EXPECT_EQ(s.spread[3], 1.0 / 3);
}

TEST(MapStatistics, OfNothingAreEmpty) {
  const std::int64_t extents[] = {4};
  EXPECT_EQ(statistics_of({}, extents).points, 0);
}

}  // namespace
}  // namespace thallo
