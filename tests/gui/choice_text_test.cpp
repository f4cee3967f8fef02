#include "gui/schedule/choice_text.h"

#include <limits>

#include <gtest/gtest.h>

namespace thallo::test {
namespace {

gui::SiteRow site_of(std::vector<gui::ChoiceRow> choices) {
  return {.construct = "a", .name = "fit", .shown = "fit", .choices = std::move(choices)};
}

TEST(ChoiceText, SaysWhatAChoiceSaves) {
  const gui::CostWords words = gui::costWords(gui::TimeChange{200e-6, 150e-6}, 4e6);
  EXPECT_EQ(words.sentence().toStdString(), "≈ 150 µs, −25.0 % (−50.0 µs), 4.00 MB");
  EXPECT_EQ(words.direction, -1);
}

TEST(ChoiceText, CallsTimesThatPredictionsCannotTellApartTheSame) {
  const gui::CostWords words = gui::costWords(gui::TimeChange{200e-6, 200.01e-6}, {});
  EXPECT_EQ(words.change.toStdString(), "no change");
  EXPECT_EQ(words.direction, 0);
}

TEST(ChoiceText, SaysNothingOfATimeThatIsNotKnownYet) {
  EXPECT_EQ(gui::costWords(std::nullopt, {}).sentence().toStdString(), "");
}

TEST(ChoiceText, SaysHowTimesAreKnown) {
  const auto text = [](gui::TimeKind kind) {
    return gui::timesText(site_of({{.label = "x"}, {.label = "y", .change = {{4, 3, kind}}}}))
        .toStdString();
  };
  EXPECT_EQ(text(gui::TimeKind::Estimated), "Times after ≈ are predicted by the cost model.");
  EXPECT_EQ(
      text(gui::TimeKind::Scaled),
      "Times after ≈ were not measured: they are predicted, and scaled by the measured time of "
      "a schedule.");
  EXPECT_EQ(text(gui::TimeKind::Measured), "Times are measured.");
  EXPECT_EQ(gui::timesText(site_of({{.label = "x"}})).toStdString(), "");
  EXPECT_EQ(
      gui::costWords(gui::TimeChange{4, 3, gui::TimeKind::Measured, true}, {}).time.toStdString(),
      "3.00 s");
}

TEST(ChoiceText, SaysWhyAChoiceIsNotLegal) {
  const gui::SiteRow site = site_of({{.label = "x"}, {.label = "y", .illegal = "it is too large"}});
  EXPECT_EQ(gui::choiceTip(site, 1).toStdString(), "Not legal: it is too large");
}

TEST(ChoiceText, FindsTheGainOfTheBestOtherChoice) {
  const auto other = [](double from, double to) {
    return site_of({{.label = "x", .change = {{from, from}}},
                    {.label = "y", .change = {{from, to}}},
                    {.label = "z"}});
  };
  ASSERT_TRUE(gui::gainAt(other(4, 3)).has_value());
  EXPECT_EQ(gui::gainAt(other(4, 3))->share, 0.25);
  EXPECT_EQ(gui::gainAt(other(4, 3))->choice, 1u);
  EXPECT_FALSE(gui::gainAt(other(3, 4)).has_value());
  const double never = std::numeric_limits<double>::infinity();
  EXPECT_EQ(gui::gainAt(other(never, 4))->share, 1);
}

TEST(ChoiceText, PutsGainsThatComputeTheSameFirst) {
  gui::SiteRow site =
      site_of({{.label = "x"}, {.label = "half", .change = {{4, 2}}, .changesNumerics = true}});
  EXPECT_EQ(gainText(*gui::gainAt(site)).toStdString(), "−50 %, changes numerics");
  EXPECT_TRUE(gui::costWords(site, 1).sentence().endsWith("changes numerics"));
  EXPECT_TRUE(gui::choiceTip(site, 1).contains("Changes numerics"));
  site.choices.push_back({.label = "z", .change = {{4, 3}}});
  EXPECT_EQ(gainText(*gui::gainAt(site)).toStdString(), "−25 %");
  EXPECT_TRUE(gui::choiceTip(site, 2).indexOf("umerics") < 0);
}

TEST(ChoiceText, ShowsFewShortChoicesOnCardsAndOthersAsAList) {
  EXPECT_EQ(gui::editorKindOf(site_of({{.label = "x"}, {.label = "y"}})), gui::EditorKind::Cards);
  EXPECT_EQ(gui::editorKindOf(site_of(std::vector<gui::ChoiceRow>(9))), gui::EditorKind::List);
  EXPECT_EQ(gui::editorKindOf(site_of({{.label = QString(40, 'x')}})), gui::EditorKind::List);
}

TEST(ChoiceText, SaysWhatAMoveDoes) {
  const auto stored = [](bool value, bool gradient) {
    return moveText(site_of({{.label = "x", .args = {{"value", value}, {"gradient", gradient}}}}),
                    0)
        .toStdString();
  };
  EXPECT_EQ(stored(true, false), "store fit");
  EXPECT_EQ(stored(false, true), "store the gradient of fit");
  EXPECT_EQ(stored(true, true), "store fit and its gradient");
  EXPECT_EQ(stored(false, false), "recompute fit");
  gui::SiteRow site = site_of({{.label = "[JtJ]p"}, {.label = "new"}});
  site.construct = "compute_at_output";
  EXPECT_EQ(moveText(site, 0).toStdString(), "compute at output of fit: [JtJ]p");
  site.editor = Placement{{{.with = {"reg", "edge"}}, {.with = {}}}};
  EXPECT_EQ(moveText(site, 0).toStdString(), "put fit with reg");
  EXPECT_EQ(moveText(site, 1).toStdString(), "put fit into a group of its own");
}

TEST(ChoiceText, SaysWhereAMoveSaves) {
  gui::SiteRow site = site_of({{.label = "x", .seconds = 400e-6, .linear = 300e-6},
                               {.label = "y", .seconds = 200e-6, .linear = 50e-6},
                               {.label = "z", .seconds = 390e-6, .linear = 290e-6}});
  EXPECT_EQ(splitText(site, 1).toStdString(), "") << "it has no time that is shown";
  site.choices[1].change = {400e-6, 200e-6};
  EXPECT_EQ(splitText(site, 1).toStdString(), "once +50.0 µs, linear −250 µs");
  // As measured, all takes twice as long.
  site.choices[1].change = {800e-6, 400e-6, gui::TimeKind::Scaled};
  EXPECT_EQ(splitText(site, 1).toStdString(), "once +100 µs, linear −500 µs");
  site.choices[2].change = {400e-6, 390e-6};
  EXPECT_EQ(splitText(site, 2).toStdString(), "linear −10.0 µs");
}

}  // namespace
}  // namespace thallo::test
