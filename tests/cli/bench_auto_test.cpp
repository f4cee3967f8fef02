#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "tests/cli/thallo_process.h"

namespace thallo::test {
namespace {

using testing::AllOf, testing::HasSubstr;

TEST(CliBenchAuto, TimesChoicesAndComparesWhatTheyPromise) {
  const auto json = json_of(
      thallo({"bench", "auto", "tiny", "image_warping", "--device-spec", "h200", "--json"}));
  const auto& rows = json["auto"]["rows"];
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[1]["problem"], "image_warping");
  EXPECT_GT(rows[1]["nodes"], rows[0]["nodes"]);
  for (const auto& row : rows) {
    EXPECT_EQ(row["schedules"], 1) << "the same one every time";
    EXPECT_GT(row["choice_ms"], 0);
    EXPECT_GT(row["all_in_ms"], 0);
    EXPECT_GT(row["predicted_us"], 0);
    EXPECT_GE(row["default_over_auto"], 1);
  }
}

TEST(CliBenchAuto, IsATableForADevice) {
  EXPECT_THAT(succeeded(thallo({"bench", "auto", "tiny", "--device-spec", "h200"})).out,
              AllOf(HasSubstr("| ms, all in |"), HasSubstr("| tiny "),
                    HasSubstr("For NVIDIA H200. Medians of 25 choices")));
}

}  // namespace
}  // namespace thallo::test
