// The parts of diagrams: scales with their ticks, and SVG texts.
#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "core/explore/plot/case_picture.h"
#include "core/explore/plot/scale.h"
#include "core/explore/plot/svg.h"

namespace thallo::plot {
namespace {

using testing::AllOf, testing::ElementsAre, testing::HasSubstr, testing::Not;

std::vector<std::string> labels_of(const Scale& scale, std::size_t num_labels) {
  std::vector<std::string> labels;
  for (const Tick& tick : scale.ticks(num_labels))
    if (!tick.label.empty()) labels.push_back(tick.label);
  return labels;
}

TEST(PlotScale, LabelsAnyAxis) {
  EXPECT_THAT(labels_of(Scale::logarithmic(1, 50), 6),
              ElementsAre("1", "2", "5", "10", "20", "50"));
  EXPECT_THAT(labels_of(Scale::logarithmic(1, 400), 6),
              ElementsAre("1", "3", "10", "30", "100", "300"));
  EXPECT_THAT(labels_of(Scale::logarithmic(1, 400), 5), ElementsAre("1", "10", "100"));
  EXPECT_THAT(labels_of(Scale::logarithmic(1, 1e4), 5),
              ElementsAre("1", "10", "100", "1000", "10000"));
  EXPECT_THAT(labels_of(Scale::logarithmic(1, 1e8), 5),
              ElementsAre("1", "100", "10000", "10⁶", "10⁸"));
  EXPECT_THAT(labels_of(Scale::linear(0, 43), 5), ElementsAre("0", "10", "20", "30", "40"));
  EXPECT_THAT(labels_of(Scale::linear(0.1, 0.9), 5), ElementsAre("0.2", "0.4", "0.6", "0.8"));
  EXPECT_THAT(labels_of(Scale::linear(-3, 3), 4), ElementsAre("-2", "0", "2"));
  EXPECT_GE(labels_of(Scale::logarithmic(11, 14), 5).size(), 3u);
  EXPECT_GE(labels_of(Scale::logarithmic(7, 7), 5).size(), 2u);
  const Scale scale = Scale::logarithmic(1, 100);
  EXPECT_NEAR(scale.fraction(10), 0.5, 1e-12);
  EXPECT_NEAR(scale.fraction(scale.first()), 0, 1e-12);
  EXPECT_NEAR(scale.fraction(scale.last()), 1, 1e-12);
  EXPECT_GT(scale.fraction(1), 0);
  EXPECT_NEAR(Scale::linear(10, 20).fraction(12), 0.2, 1e-12);
}

TEST(PlotScale, WritesLargeNumbersAsPowersAndTimesInUnits) {
  EXPECT_EQ(tick_label(0.05), "0.05");
  EXPECT_EQ(tick_label(20000), "20000");
  EXPECT_EQ(tick_label(1e6), "10⁶");
  EXPECT_EQ(tick_label(2e-12), "2·10⁻¹²");
  EXPECT_EQ(time_unit(3).name, "s");
  EXPECT_EQ(time_unit(0.02).name, "ms");
  EXPECT_EQ(time_unit(9e-6).name, "µs");
  EXPECT_EQ(time_unit(1e-8).name, "ns");
}

TEST(PlotSvg, EscapesTextsAndIsLightUnlessTheReaderIsDark) {
  Svg svg(100, 50, "a & b");
  svg.text({1, 2}, "x < \"y\"");
  const std::string file = svg.file(Theme::Dark);
  EXPECT_THAT(file, HasSubstr("<title>a &amp; b</title>"));
  EXPECT_THAT(file, HasSubstr(">x &lt; &quot;y&quot;</text>"));
  const std::string follows = Svg(10, 10, "").file(Theme::FollowsReader);
  const std::string light = ".f-ground{fill:#ffffff}";
  const std::string dark = ".f-ground{fill:#1b1b1e}";
  EXPECT_LT(follows.find(light), follows.find("@media"));
  EXPECT_GT(follows.find(dark), follows.find("@media"));
  EXPECT_THAT(Svg(10, 10, "").file(Theme::Dark), Not(HasSubstr(light)));
}

TEST(PlotCases, HaveMarksInRowsOrCurvesInOneDiagram) {
  CasePicture picture{.number = "Figure 1",
                      .title = "gains",
                      .x_title = "times",
                      .y_title = "ms",
                      .quantities = {"time", "gain"},
                      .cases = {{.name = "first", .marks = {{2, 1, false}, {5, 1, true}}},
                                {.name = "second", .marks = {{3, 0, false}}}}};
  const std::string rows = draw(picture).file(Theme::Dark);
  EXPECT_THAT(rows, AllOf(HasSubstr("<title>Figure 1: gains</title>"), HasSubstr(">first</text>"),
                          HasSubstr(">second</text>"), HasSubstr(">ours: gain</text>"),
                          Not(HasSubstr("ours: time")), Not(HasSubstr(">ms</text>"))));
  picture.cases = {{.name = "first", .curve = {{1, 2}, {10, 3}}, .level = 2.5}};
  EXPECT_THAT(draw(picture).file(Theme::Dark),
              AllOf(HasSubstr(">first: auto</text>"), HasSubstr(">ms</text>")));
  picture.is_scatter = true;
  picture.cases[0].notes = {"r 0.9"};
  EXPECT_THAT(draw(picture).file(Theme::Dark),
              AllOf(HasSubstr(">r 0.9</text>"), Not(HasSubstr("first: auto"))));
}

}  // namespace
}  // namespace thallo::plot
