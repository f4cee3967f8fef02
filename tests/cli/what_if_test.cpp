// thallo explain what-if
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "tests/cli/thallo_process.h"

namespace thallo::test {
namespace {

using ::testing::HasSubstr;
using Json = nlohmann::json;

TEST(CliWhatIf, HasATimeOfEveryScheduleAtEverySize) {
  const Json json = Json::parse(
      thallo({"explain", "what-if", "image_warping", "sizes", "--device-spec", "h200", "--json"})
          .out);
  EXPECT_EQ(json["device"], "NVIDIA H200");
  ASSERT_GE(json["points"].size(), 7u);
  for (const Json& point : json["points"]) {
    EXPECT_EQ(point["seconds"].size(), json["schedules"].size());
    EXPECT_EQ(point["extents"].size(), 2u);
    EXPECT_TRUE(point.contains("auto_there"));
  }
  EXPECT_GT(json["points"].back()["seconds"][0], json["points"].front()["seconds"][0]);
  const std::string text =
      thallo({"explain", "what-if", "image_warping", "sizes", "--device-spec", "h200"}).out;
  EXPECT_THAT(text, HasSubstr("its strategies"));
  EXPECT_THAT(text, HasSubstr(" *"));
}

TEST(CliWhatIf, ComparesIterationsAndDevices) {
  const std::string iterations =
      thallo({"explain", "what-if", "image_warping", "iterations", "--device-spec", "h200"}).out;
  EXPECT_THAT(iterations, HasSubstr("linear iterations"));
  const std::string devices =
      thallo({"explain", "what-if", "image_warping", "devices", "--device-spec", "h200"}).out;
  EXPECT_THAT(devices, HasSubstr("NVIDIA H200"));
  EXPECT_THAT(devices, HasSubstr("NVIDIA H100"));
  EXPECT_THAT(thallo({"explain", "what-if", "tiny", "colors"}).err,
              HasSubstr("sizes,iterations,devices"));
}

}  // namespace
}  // namespace thallo::test
