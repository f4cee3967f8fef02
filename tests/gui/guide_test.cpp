// The app's guide goes where core's goes: by choices, by merges of parts, and by two decisions that
// help only together.
#include "gui/schedule/guide_model.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/explore/space/guide.h"
#include "tests/gui/qt_environment.h"

namespace thallo::test {
namespace {

class GuideTest : public testing::TestWithParam<const char*> {
 protected:
  gui::ScheduleModel& schedule() { return open.workspace.schedule(); }
  gui::GuideModel& guide() { return open.workspace.guide(); }
  void begin(const QString& name) {
    const auto& named = open.workspace.problems().problem().value->schedules;
    const auto found = std::ranges::find(named, name, &gui::NamedSchedule::name);
    ASSERT_NE(found, named.end());
    schedule().take(found->name, found->text);
    ASSERT_TRUE(wait_until([this] { return guide().isWeighed(); }));
  }
  // What core reaches from the current schedule.
  double seconds_of_core() {
    const gui::OpenProblem& opened = *open.workspace.problems().opened();
    const ExploredProblem& problem = opened.explored();
    PlanPricer pricer(problem.file.energy, problem.instance.binding,
                      problem.price_options(*problem.model), opened.device());
    const auto steps = thallo::guide(
        problem.file.energy, schedule().schedule().value->schedule, *problem.constructs,
        price_by(pricer), {.precision = problem.program.precision, .limit = &opened.limit()});
    return steps.value().back().cost.seconds;
  }

  OpenWorkspace open{{.problem = "image_warping", .device = "h200"}};
};

TEST_P(GuideTest, EndsWhereCoreEnds) {
  begin(GetParam());
  const double wanted = seconds_of_core();
  ASSERT_LT(wanted, 0.9 * schedule().schedule().value->time.nonlinear);
  guide().follow();
  ASSERT_TRUE(wait_until([this] { return !guide().isFollowing() && guide().isWeighed(); }));
  EXPECT_NEAR(schedule().schedule().value->time.nonlinear / wanted, 1, 0.005);
}

INSTANTIATE_TEST_SUITE_P(From, GuideTest, testing::Values("default", "published-default"));

TEST_F(GuideTest, OffersToMergeWholeParts) {
  begin("default");
  const auto& table = *schedule().sites().value;
  const auto merges = std::ranges::count_if(
      table.moves, [](const gui::OtherMove& move) { return move.text.startsWith("merge "); });
  EXPECT_GT(merges, 0);
  EXPECT_TRUE(std::ranges::any_of(table.moves, [](const gui::OtherMove& move) {
    return move.text == "merge reg_down with reg_left" || move.text == "merge fit with reg_right";
  }));
  for (const gui::OtherMove& move : table.moves)
    EXPECT_TRUE(move.change) << move.text.toStdString();
}

TEST_F(GuideTest, NamesWhatWasMadeByWhatItStandsFor) {
  begin("auto");
  bool has_part = false, has_found = false;
  for (const gui::SiteRow& site : schedule().sites().value->sites) {
    has_part = has_part || site.shown.contains("all 5 residuals");
    has_found = has_found || site.shown == "sin, cos(Angle)";
    EXPECT_FALSE(site.shown.startsWith('%')) << site.shown.toStdString();
  }
  EXPECT_TRUE(has_part);
  EXPECT_TRUE(has_found);
  const auto& segments = schedule().schedule().value->time.segments;
  EXPECT_TRUE(std::ranges::any_of(segments, [](const gui::TimeSegment& segment) {
    return segment.shown == "apply_jtj [all 5 residuals]";
  }));
}

}  // namespace
}  // namespace thallo::test
