// Times of one kind: what a choice is said to gain before it is made is what the time strip says
// after it, whatever was measured.
#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gui/base/text.h"
#include "gui/schedule/choice_text.h"
#include "gui/schedule/view/time_strip.h"
#include "tests/gui/qt_environment.h"

namespace thallo::test {
namespace {

using gui::TimeChange;
using gui::TimeEstimate;
using gui::TimeKind;
using gui::TimeSegment;

TimeEstimate time_of(double predicted, std::optional<double> measured = {}) {
  TimeEstimate time;
  time.nonlinear = predicted;
  time.measured = measured;
  return time;
}

TEST(TimeChange, ComparesTimesOfOneKind) {
  const TimeEstimate predicted = time_of(4), measured = time_of(4, 6);
  EXPECT_EQ(changeBetween(predicted, time_of(2)), (TimeChange{4, 2, TimeKind::Estimated}));
  EXPECT_EQ(changeBetween(measured, time_of(2, 5)), (TimeChange{6, 5, TimeKind::Measured, true}));
  EXPECT_EQ(changeBetween(measured, time_of(2)), (TimeChange{6, 3, TimeKind::Scaled}));
  EXPECT_EQ(changeBetween(predicted, time_of(2, 5)), (TimeChange{10, 5, TimeKind::Scaled, true}));
  TimeEstimate scaled = predicted;
  scaled.scale = 1.5;
  EXPECT_EQ(changeBetween(scaled, time_of(2)), (TimeChange{6, 3, TimeKind::Scaled}));
}

TEST(TimeChange, KeepsThatAScheduleDoesNotFit) {
  EXPECT_TRUE(std::isinf(changeBetween(time_of(4, 6), time_of(INFINITY)).to));
  EXPECT_TRUE(std::isinf(changeBetween(time_of(INFINITY), time_of(2)).from));
}

TEST(TimeEstimate, HasStepsThatAddUpToNoMoreThanTheWhole) {
  // As predicted, the steps take 63, and the whole was measured to take 49.9.
  TimeEstimate time = time_of(70, 49.9);
  time.segments = {{.label = "a", .predicted = 33}, {.label = "b", .runs = 3, .predicted = 10}};
  time.fitSteps();
  EXPECT_NEAR(time.ofSteps(false), 63 * 49.9 / 70, 1e-12);
  EXPECT_NEAR(time.ofSteps(false) + time.besideSteps(), 49.9, 1e-12);
  EXPECT_FALSE(time.hasMeasuredSteps());
  // Steps that were measured keep their times while there is room for them.
  time.segments[0].measured = 20;
  time.fitSteps();
  EXPECT_EQ(time.segments[0].seconds(), 20);
  time.segments[0].measured = 60;
  time.fitSteps();
  EXPECT_NEAR(time.ofSteps(false), 49.9, 1e-12);
  EXPECT_FALSE(time.hasMeasuredSteps());
}

double sum_of(const std::vector<gui::NamedSeconds>& parts) {
  double sum = 0;
  for (const gui::NamedSeconds& part : parts) sum += part.seconds;
  return sum;
}

TEST(TimeEstimate, SplitsWhatIsBesideTheSteps) {
  TimeEstimate time = time_of(70);
  time.segments = {{.label = "a", .predicted = 60}};
  time.beside = {.launches = 1, .loop_turns = 3, .host = 6};
  time.fitSteps();
  EXPECT_EQ(time.besideParts().size(), 3u);
  EXPECT_DOUBLE_EQ(sum_of(time.besideParts()), 10);
  // Scaled like all of the time.
  time.scale = 2;
  time.fitSteps();
  EXPECT_EQ(time.besideParts().size(), 3u);
  EXPECT_DOUBLE_EQ(sum_of(time.besideParts()), 20);
  // Measured as a whole, and with its steps: then the model's error is known.
  time.measured = 140;
  time.fitSteps();
  EXPECT_EQ(time.besideParts().size(), 3u);
  for (const double step : {100.0, 135.0}) {
    time.segments[0].measured = step;
    time.fitSteps();
    const auto parts = time.besideParts();
    ASSERT_EQ(parts.size(), 4u);
    EXPECT_DOUBLE_EQ(parts.back().seconds, 140 - step - 10);
    EXPECT_DOUBLE_EQ(sum_of(parts), 140 - step);
  }
}

class GainsTest : public testing::Test {
 protected:
  void settle() {
    ASSERT_TRUE(wait_until([this] {
      return model.schedule().isReady() && !model.isChanging() && model.sites().isReady() &&
             model.sites().value->hash == model.schedule().value->hash &&
             !open.workspace.analysisRunner().isBusy("weights");
    }));
  }
  // That of a strategy, whose choices differ much.
  gui::SiteRow site() {
    const auto& sites = model.sites().value->sites;
    return *std::ranges::find(sites, "strategy", &gui::SiteRow::construct);
  }

  // What stands at a choice is what the strip says after it.
  void expect_agreement(const std::function<std::optional<double>(const QString&)>& measured,
                        TimeKind kind) {
    model.times().setMeasurements(
        [measured](const QString& hash) -> std::optional<gui::MeasuredTimes> {
          const auto seconds = measured(hash);
          if (!seconds) return std::nullopt;
          return gui::MeasuredTimes{*seconds, {}};
        });
    model.refreshMeasured();
    settle();
    const gui::SiteRow at = site();
    int num_made = 0;
    for (std::size_t i = 0; i < at.choices.size(); ++i) {
      const gui::ChoiceRow& choice = at.choices[i];
      if (i == at.chosen || !choice.illegal.isEmpty() || choice.isRepeated) continue;
      ASSERT_TRUE(choice.change.has_value());
      EXPECT_EQ(choice.change->kind, kind);
      const gui::CostWords words = costWords(at, i);
      EXPECT_THAT(choiceTip(at, i).toStdString(),
                  testing::HasSubstr(gui::kindText(*choice.change).toStdString()));
      model.choose(at.construct, at.name, choice.label);
      settle();
      EXPECT_EQ(strip.change().section(", scaled", 0, 0), words.change)
          << choice.directive.toStdString();
      EXPECT_EQ(strip.change().contains("scaled"), kind == TimeKind::Scaled);
      EXPECT_EQ(strip.summary().section(' ', 0, 1).toStdString(),
                gui::secondsText(choice.change->to).toStdString());
      ++num_made;
      model.history().undo();
      settle();
    }
    EXPECT_GT(num_made, 1);
    if (const auto gain = gainAt(at)) {
      EXPECT_EQ(gain->change.kind, kind);
      EXPECT_EQ(gain->share,
                1 - at.choices[gain->choice].change->to / at.choices[gain->choice].change->from);
    }
  }

  OpenWorkspace open{{.problem = "image_warping", .options = {}, .device = "h200"}, "auto"};
  gui::ScheduleModel& model = open.workspace.schedule();
  gui::TimeStrip strip{open.workspace};
};

TEST_F(GainsTest, AgreeWithTheStripWhereNothingWasMeasured) {
  expect_agreement([](const QString&) { return std::nullopt; }, TimeKind::Estimated);
  EXPECT_TRUE(strip.summary().endsWith("estimated")) << strip.summary().toStdString();
  EXPECT_EQ(strip.note().toStdString(), "predicted of the program");
}

TEST_F(GainsTest, AgreeWithTheStripWhereTheScheduleWasMeasured) {
  settle();
  const QString now = model.schedule().value->hash;
  expect_agreement(
      [now](const QString& hash) { return hash == now ? std::optional(361e-6) : std::nullopt; },
      TimeKind::Scaled);
  EXPECT_TRUE(strip.summary().endsWith("measured")) << strip.summary().toStdString();
}

TEST_F(GainsTest, AgreeWithTheStripWhereOnlyTheOthersWereMeasured) {
  settle();
  const QString now = model.schedule().value->hash;
  model.times().setMeasurements([](const QString&) { return std::nullopt; });
  model.refreshMeasured();
  settle();
  const gui::SiteRow at = site();
  const std::size_t other = at.chosen == 0 ? 1 : 0;
  const QString hash = at.choices[other].hash;
  ASSERT_FALSE(hash.isEmpty());
  ASSERT_NE(hash, now);
  model.times().setMeasurements([hash](const QString& of) {
    return of == hash ? std::optional(gui::MeasuredTimes{500e-6, {}}) : std::nullopt;
  });
  model.refreshMeasured();
  const gui::CostWords words = costWords(site(), other);
  EXPECT_EQ(words.time.toStdString(), "500 µs");
  model.choose(at.construct, at.name, at.choices[other].label);
  settle();
  EXPECT_EQ(model.schedule().value->hash, hash);
  EXPECT_EQ(strip.summary().toStdString(), "500 µs measured");
  const auto change = model.change();
  ASSERT_TRUE(change.has_value());
  EXPECT_EQ(change->kind, TimeKind::Scaled);
  EXPECT_EQ(change->to, 500e-6);
  EXPECT_EQ(strip.change().toStdString(), words.change.toStdString() + ", scaled");
}

TEST_F(GainsTest, AgreeWithTheStripWhereAllWereMeasured) {
  expect_agreement(
      [](const QString& hash) { return 1e-6 * (100 + hash.right(2).toInt(nullptr, 16)); },
      TimeKind::Measured);
}

}  // namespace
}  // namespace thallo::test
