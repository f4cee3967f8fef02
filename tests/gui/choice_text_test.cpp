#include "gui/models/choice_text.h"

#include <limits>

#include <gtest/gtest.h>

namespace thallo::test {
namespace {

gui::SiteRow site_of(std::vector<gui::ChoiceRow> choices) {
  return {.construct = "a", .name = "fit", .choices = std::move(choices)};
}

TEST(ChoiceText, SaysWhatAChoiceSaves) {
  const gui::CostWords words = gui::costWords(200e-6, 150e-6, 4e6);
  EXPECT_EQ(words.sentence().toStdString(), "150 µs, −25.0 % (−50.0 µs), 4.00 MB");
  EXPECT_EQ(words.direction, -1);
}

TEST(ChoiceText, CallsTimesThatPredictionsCannotTellApartTheSame) {
  const gui::CostWords words = gui::costWords(200e-6, 200.01e-6, {});
  EXPECT_EQ(words.change.toStdString(), "no change");
  EXPECT_EQ(words.direction, 0);
}

TEST(ChoiceText, SaysNothingOfATimeThatIsNotKnownYet) {
  EXPECT_EQ(gui::costWords(200e-6, {}, {}).sentence().toStdString(), "");
}

TEST(ChoiceText, SaysWhyAChoiceIsNotLegal) {
  const gui::SiteRow site = site_of({{.label = "x"}, {.label = "y", .illegal = "it is too large"}});
  EXPECT_EQ(gui::choiceTip(site, 1).toStdString(), "Not legal: it is too large");
}

TEST(ChoiceText, FindsTheGainOfTheBestOtherChoice) {
  const gui::SiteRow site =
      site_of({{.label = "x", .seconds = 4.0}, {.label = "y", .seconds = 3.0}, {.label = "z"}});
  EXPECT_EQ(gui::gainAt(site), 0.25);
  EXPECT_EQ(gui::gainAt(site_of({{.label = "x", .seconds = 3.0}, {.label = "y", .seconds = 4.0}})),
            std::nullopt);
  const double never = std::numeric_limits<double>::infinity();
  EXPECT_EQ(
      gui::gainAt(site_of({{.label = "x", .seconds = never}, {.label = "y", .seconds = 4.0}})), 1);
}

TEST(ChoiceText, ShowsFewShortChoicesOnCardsAndOthersAsAList) {
  EXPECT_EQ(gui::editorKindOf(site_of({{.label = "x"}, {.label = "y"}})), gui::EditorKind::Cards);
  EXPECT_EQ(gui::editorKindOf(site_of(std::vector<gui::ChoiceRow>(9))), gui::EditorKind::List);
  EXPECT_EQ(gui::editorKindOf(site_of({{.label = QString(40, 'x')}})), gui::EditorKind::List);
}

}  // namespace
}  // namespace thallo::test
