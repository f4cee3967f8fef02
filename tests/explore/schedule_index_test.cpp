// Numbers of schedules: what people write, and drawing them.
#include "core/search/schedule_index.h"

#include <gmock/gmock.h>

#include <set>
#include <string>

namespace thallo {
namespace {

using testing::ElementsAre, testing::HasSubstr;

const std::string Id = "s0123456789ab";

std::string fault_of(const std::string& text, const BigCount& size = 100) {
  const auto range = parse_index_range(text, Id, size);
  return range ? "no fault" : range.error().message();
}

TEST(ScheduleIndex, IsOneNumberOrARangeWithTheSpaceOrWithoutIt) {
  const auto expect = [](const std::string& text, int first, int end) {
    const auto range = parse_index_range(text, Id, 100);
    ASSERT_TRUE(range) << range.error().message();
    EXPECT_EQ(range->first, first) << text;
    EXPECT_EQ(range->end, end) << text;
  };
  expect("12", 12, 13);
  expect("012", 12, 13);
  expect("0", 0, 1);
  expect("0:100", 0, 100);
  expect(Id + ":12", 12, 13);
  expect(Id + ":7:9", 7, 9);
  expect(index_text(Id, 99), 99, 100);
}

TEST(ScheduleIndex, OtherTextsAreRefusedAndAnyNumberOfDigitsIsTaken) {
  EXPECT_THAT(fault_of("sffffffffffff:12"),
              HasSubstr("'sffffffffffff:12' is of another space than this one, " + Id));
  for (const char* text : {"100", "0:101", "5:5", "6:5"})
    EXPECT_THAT(fault_of(text), HasSubstr("is out of range: the space has the schedules 0 to 99"));
  for (const std::string text : {"", ":", "1:", ":1", "-1", "1:2:3", "0x10", "1.5", Id.c_str()})
    EXPECT_THAT(fault_of(text), testing::AnyOf(HasSubstr("is no index (legal: 12, 0:10, ")))
        << text;
  const BigCount size = BigCount(1) << 200;
  const BigCount last = size - 1;
  const auto range = parse_index_range(index_text(Id, last), Id, size);
  ASSERT_TRUE(range) << range.error().message();
  EXPECT_EQ(range->first, last);
  EXPECT_THAT(fault_of(size.str(), size), HasSubstr("out of range"));
}

TEST(ScheduleIndex, DrawsAllNumbersEquallyOften) {
  Random random(7);
  constexpr int Count = 5;
  constexpr int Draws = 10'000;
  std::array<int, Count> times{};
  for (int i = 0; i < Draws; ++i) ++times.at(static_cast<std::size_t>(draw_below(random, Count)));
  for (const int of_one : times) EXPECT_NEAR(of_one, Draws / Count, 200) << "five deviations";
  const BigCount size = BigCount(3) << 128;
  int num_high = 0;
  for (int i = 0; i < 1000; ++i) {
    const BigCount drawn = draw_below(random, size);
    ASSERT_LT(drawn, size);
    num_high += drawn >= size / 2 ? 1 : 0;
  }
  EXPECT_NEAR(num_high, 500, 80);
}

TEST(ScheduleIndex, SamplesDifferentNumbersInOrderAllSetsEquallyOften) {
  const BigCount size = BigCount(1) << 100;
  const std::vector<BigCount> sample = sample_indices(size, 1000, 3);
  EXPECT_EQ(std::set<BigCount>(sample.begin(), sample.end()).size(), 1000u);
  EXPECT_TRUE(std::is_sorted(sample.begin(), sample.end()));
  EXPECT_LT(sample.back(), size);
  EXPECT_EQ(sample_indices(size, 1000, 3), sample);
  EXPECT_NE(sample_indices(size, 1000, 4), sample);
  EXPECT_THAT(sample_indices(3, 10, 1), ElementsAre(0, 1, 2)) << "no more than there are";
  // Each of the 10 pairs of 5 numbers.
  std::map<std::vector<BigCount>, int> times;
  constexpr int Draws = 5000;
  for (std::uint64_t seed = 0; seed < Draws; ++seed) ++times[sample_indices(5, 2, seed)];
  EXPECT_EQ(times.size(), 10u);
  for (const auto& [pair, count] : times) EXPECT_NEAR(count, Draws / 10, 110);
}

}  // namespace
}  // namespace thallo
