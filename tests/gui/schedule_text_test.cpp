#include "gui/schedule/schedule_text.h"

#include <gtest/gtest.h>

namespace thallo::test {
namespace {

TEST(ScheduleText, ReadsAFaultWithItsPlace) {
  const auto faults =
      gui::readFaults({"there is no part 'r.x'", {"the schedule", 3, 0}, {"r.fit"}});
  ASSERT_EQ(faults.size(), 1U);
  EXPECT_EQ(faults[0], (gui::TextFault{3, 0, "there is no part 'r.x' (legal: r.fit)"}));
}

TEST(ScheduleText, ReadsSeveralFaultsEachWithItsPlace) {
  const auto faults =
      gui::readFaults({"the schedule:1: one\nthe schedule:4:7: two\nand more", {}, {}});
  ASSERT_EQ(faults.size(), 2U);
  EXPECT_EQ(faults[0], (gui::TextFault{1, 0, "one"}));
  EXPECT_EQ(faults[1], (gui::TextFault{4, 7, "two\nand more"}));
}

TEST(ScheduleText, ReadsAFaultWithoutAPlace) {
  EXPECT_EQ(gui::readFaults({"it does not fit", {}, {}}).front(),
            (gui::TextFault{0, 0, "it does not fit"}));
}

TEST(ScheduleText, FindsTheSiteOfALineAlsoWithAComment) {
  const gui::SiteRow site{
      .construct = "a", .name = "fit", .choices = {{.label = "x", .directive = "r.fit:a(\"x\")"}}};
  const QStringList sites = gui::sitesOfLines(
      "-- r.fit:a(\"x\")\n\n  r.fit:a( \"x\" ) -- so\nr.fit:a(\"y\")", {.sites = {site}});
  EXPECT_EQ(sites, QStringList({"", "", "a@fit", ""}));
}

}  // namespace
}  // namespace thallo::test
