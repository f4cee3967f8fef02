#include "core/base/options.h"

#include <gmock/gmock.h>

#include <cstdint>

#include "core/base/option_kinds.h"

namespace thallo {
namespace {

using ::testing::HasSubstr;

const std::vector<OptionSpec> Specs = {
    file_option("file", "input"),
    choice_option("level", {"low", "high"}, "difficulty"),
    count_option("size", 64, "width and height", {1, 4096}),
    number_option("fit_weight", 10, "weight", {0}),
    {.name = "color", .default_value = false, .doc = "keep colors"}};

const OptionSpec& spec(std::string_view name) {
  for (const OptionSpec& s : Specs) {
    if (s.name == name) return s;
  }
  return Specs.front();
}

TEST(Options, AreCompletedWithDefaults) {
  const auto options = complete_options(Specs, {{"size", std::int64_t{8}}});
  ASSERT_TRUE(options);
  EXPECT_EQ(*options, (Options{{"file", std::string()},
                               {"level", std::string("low")},
                               {"size", std::int64_t{8}},
                               {"fit_weight", 10.0},
                               {"color", false}}));
  const auto integers = complete_options(Specs, {{"fit_weight", std::int64_t{3}}});
  ASSERT_TRUE(integers);
  EXPECT_EQ(integers->find<double>("fit_weight"), 3.0);
}

TEST(Options, AllFaultsAreFound) {
  const auto options = complete_options(
      Specs,
      {{"fitweight", 1.0}, {"level", std::string("hihg")}, {"size", 0.5}, {"fit_weight", -1.0}});
  ASSERT_FALSE(options);
  const std::string& text = options.error().what;
  EXPECT_THAT(text, HasSubstr("no option 'fitweight'; did you mean 'fit_weight'?"));
  EXPECT_THAT(text, HasSubstr("option 'level' cannot be 'hihg'; did you mean 'high'?"));
  EXPECT_THAT(text, HasSubstr("option 'size' is of type int, not double"));
  EXPECT_THAT(text, HasSubstr("option 'fit_weight' = -1 is out of range, at least 0"));
}

TEST(Options, AreReadFromTextThatIsAValue) {
  EXPECT_EQ(parse_option(spec("size"), "128").value(), PropertyValue(std::int64_t{128}));
  EXPECT_EQ(parse_option(spec("fit_weight"), "3").value(), PropertyValue(3.0));
  EXPECT_EQ(parse_option(spec("color"), "on").value(), PropertyValue(true));
  EXPECT_EQ(parse_option(spec("color"), "0").value(), PropertyValue(false));
  EXPECT_EQ(parse_option(spec("file"), "a b.png").value(), PropertyValue(std::string("a b.png")));
  EXPECT_THAT(parse_option(spec("size"), "1.5").error().what,
              HasSubstr("option 'size' is of type int, and '1.5' is none"));
  EXPECT_THAT(parse_option(spec("size"), "5000").error().what, HasSubstr("at most 4096"));
  EXPECT_FALSE(parse_option(spec("color"), "maybe"));
  EXPECT_FALSE(parse_option(spec("fit_weight"), "nan"));
  EXPECT_FALSE(parse_option(spec("fit_weight"), ""));
  EXPECT_THAT(parse_option(spec("level"), "middle").error().message(), HasSubstr("low, high"));
}

}  // namespace
}  // namespace thallo
