#include "core/cost/device/device_spec.h"

#include <gmock/gmock.h>

#include <limits>

#include "core/base/error.h"

namespace thallo {
namespace {

using testing::Optional;

TEST(RateCurve, IsStraightInLogarithmsBetweenPointsAndEndsBeyondThem) {
  const RateCurve curve({{10, 3}, {1000, 300}, {4000, 100}});
  for (const auto& [size, rate] : curve.points()) EXPECT_DOUBLE_EQ(curve.at(size), rate);
  EXPECT_NEAR(curve.at(100), 30, 1e-12);  // slope 1
  EXPECT_NEAR(curve.at(2000) * curve.at(2000), 300.0 * 100.0, 1e-9);
}

TEST(RateCurve, StaysAtTheEndsBeyondThem) {
  const RateCurve curve({{10, 3}, {1000, 300}});
  EXPECT_EQ(curve.at(0), 3);
  EXPECT_EQ(curve.at(1), 3);
  EXPECT_EQ(curve.at(1e9), 300);
  EXPECT_EQ(RateCurve({{10, 3}}).at(100), 3);
}

TEST(RateCurve, NamesTheFaultOfItsPoints) {
  EXPECT_EQ(RateCurve::find_fault({{10, 3}, {20, 2}}), std::nullopt);
  EXPECT_THAT(RateCurve::find_fault({}), Optional(std::string("it has no point")));
  EXPECT_THAT(RateCurve::find_fault({{10, 3}, {5, 4}}),
              Optional(std::string("size 5 follows size 10; sizes must ascend")));
  EXPECT_THAT(RateCurve::find_fault({{10, 3}, {10, 4}}),
              Optional(std::string("size 10 follows size 10; sizes must ascend")));
  EXPECT_THAT(RateCurve::find_fault({{0, 3}}), Optional(std::string("size 0 is not positive")));
  EXPECT_THAT(RateCurve::find_fault({{1, 0}}), Optional(std::string("rate 0 is not positive")));
  EXPECT_THAT(RateCurve::find_fault({{1, std::numeric_limits<double>::infinity()}}),
              Optional(std::string("rate inf is not positive")));
  EXPECT_THROW(RateCurve({{10, 3}, {5, 4}}), InternalError);
  EXPECT_THROW(RateCurve().at(1), InternalError);
}

}  // namespace
}  // namespace thallo
