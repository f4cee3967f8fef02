#include "gui/views/inspector.h"

#include <algorithm>

#include <gtest/gtest.h>
#include <QRadioButton>
#include <QScrollArea>

#include "gui/models/choice_text.h"
#include "tests/gui/qt_environment.h"

namespace thallo::test {
namespace {

class InspectorTest : public testing::Test {
 protected:
  void settle() {
    ASSERT_TRUE(wait_until([this] {
      return open.workspace.schedule().sites().isReady() &&
             !open.workspace.analysisRunner().isBusy("weights");
    }));
  }
  const std::vector<gui::SiteRow>& sites() {
    return open.workspace.schedule().sites().value->sites;
  }

  OpenWorkspace open{{.problem = "image_warping", .device = "h200"}};
  gui::Inspector inspector{open.workspace};
};

TEST_F(InspectorTest, ShowsTheCostsOfChoicesThatHaveLongNames) {
  settle();
  const auto site = std::ranges::find_if(sites(), [](const gui::SiteRow& row) {
    return row.choices.size() > 1 && row.choices.size() <= 12 && row.choices.front().seconds;
  });
  ASSERT_NE(site, sites().end());
  open.workspace.selection().select({gui::Selection::Kind::Site, site->id()});
  const auto buttons = inspector.findChildren<QRadioButton*>();
  ASSERT_FALSE(buttons.empty());
  for (QRadioButton* button : buttons) button->setText(QString(200, 'x'));
  inspector.resize(260, 600);
  inspector.show();
  QCoreApplication::processEvents();
  const QScrollArea& scroll = *inspector.findChild<QScrollArea*>();
  EXPECT_LE(scroll.widget()->width(), scroll.viewport()->width());
  const QString cost = gui::costWords(*site, 0).time;
  const auto labels = inspector.findChildren<QLabel*>();
  const auto found = std::ranges::find(labels, cost, &QLabel::text);
  ASSERT_NE(found, labels.end());
  EXPECT_TRUE(scroll.viewport()->rect().contains(
      QRect((*found)->mapTo(scroll.viewport(), QPoint()), (*found)->size())));
}

}  // namespace
}  // namespace thallo::test
