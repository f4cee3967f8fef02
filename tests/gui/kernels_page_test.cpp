#include "gui/kernels/view/kernels_page.h"

#include <memory>

#include <gtest/gtest.h>
#include <QComboBox>
#include <QLabel>
#include <QPlainTextEdit>
#include <QTest>
#include <QToolButton>

#include "gui/app/main_window.h"
#include "gui/base/line_diff.h"
#include "gui/kernels/view/kernel_list.h"
#include "gui/kernels/view/roofline_plot.h"
#include "tests/gui/qt_environment.h"
#include "tests/support/scoped_env.h"
#include "tests/support/temp_dir.h"

namespace thallo::test {
namespace {

using gui::Selection;

class KernelsPageTest : public testing::Test {
 protected:
  // Kernels are compiled by the first test.
  struct Cache {
    TempDir folder;
    ScopedEnv variable{"THALLO_CACHE_DIR", folder.path().c_str()};
  };
  static void SetUpTestSuite() { cache = std::make_unique<Cache>(); }
  static void TearDownTestSuite() { cache.reset(); }
  static inline std::unique_ptr<Cache> cache;

  KernelsPageTest() {
    window.resize(1440, 900);
    window.showPage("kernels");
    window.show();
    const bool is_settled = wait_until([this] { return window.currentPage().isSettled(); });
    EXPECT_TRUE(is_settled) << window.currentPage().message().toStdString();
  }
  template <class T>
  T& child(const char* name) {
    return *window.currentPage().findChild<T*>(name);
  }
  gui::SelectionModel& selection() { return open.workspace.selection(); }

  OpenWorkspace open{{.problem = "poisson_image_editing", .device = "cpu"}};
  gui::MainWindow window{open.workspace};
};

TEST_F(KernelsPageTest, ListsEveryStepAndDrawsThoseWithArithmetic) {
  const auto& snapshot = *open.workspace.kernels().kernels().value;
  EXPECT_EQ(window.currentPage().itemCount(), static_cast<int>(snapshot.rows.size()));
  int drawable = 0;
  for (const gui::KernelRow& row : snapshot.rows)
    drawable += row.facts.flops > 0 && row.facts.bytes > 0 && row.seconds() > 0 ? 1 : 0;
  EXPECT_GT(drawable, 3);
  EXPECT_EQ(child<gui::RooflinePlot>("roofline").pointCount(), drawable);
}

TEST_F(KernelsPageTest, ShowsTheTextOfTheKernelThatIsClickedAndSelectsItsStep) {
  auto& list = child<gui::KernelList>("kernelList");
  const QString label = list.labelAt(2);
  const QRect row = list.visualRect(list.model()->index(2, 0));
  QTest::mouseClick(list.viewport(), Qt::LeftButton, {}, row.center());
  EXPECT_EQ(selection().current(), (Selection{Selection::Kind::Step, label}));
  EXPECT_TRUE(child<QPlainTextEdit>("kernelText").toPlainText().contains(gui::roleOf(label) + '('));
  EXPECT_TRUE(child<QLabel>("kernelTitle").text().contains(gui::roleOf(label)));
  ASSERT_TRUE(open.workspace.inspector().current().has_value());
  EXPECT_EQ(open.workspace.inspector().current()->title, label);
}

TEST_F(KernelsPageTest, FollowsAStepThatIsSelectedElsewhere) {
  auto& list = child<gui::KernelList>("kernelList");
  selection().select({Selection::Kind::Step, "retract"});
  EXPECT_EQ(list.labelAt(list.currentIndex().row()), "retract");
  EXPECT_TRUE(child<QPlainTextEdit>("kernelText").toPlainText().contains("retract("));
}

TEST_F(KernelsPageTest, SelectsTheKernelWhosePointIsClicked) {
  auto& plot = child<gui::RooflinePlot>("roofline");
  const QString label = child<gui::KernelList>("kernelList").labelAt(1);
  const QPointF at = plot.positionOf(label);
  ASSERT_FALSE(at.isNull());
  QTest::mouseClick(plot.findChild<QWidget*>(), Qt::LeftButton, {}, at.toPoint());
  EXPECT_EQ(selection().current(), (Selection{Selection::Kind::Step, label}));
}

// A schedule may lose the step that is selected.
TEST_F(KernelsPageTest, ShowsTheFirstKernelInPlaceOfOneThatIsGone) {
  selection().select({Selection::Kind::Step, "apply_jtjp [nothing]"});
  const auto& first = open.workspace.kernels().kernels().value->rows.front();
  EXPECT_EQ(child<QPlainTextEdit>("kernelText").toPlainText(), first.text);
}

class KernelsAgainstAnother : public KernelsPageTest {
 protected:
  // Stores a product, and compares with the schedule before that.
  KernelsAgainstAnother() {
    open.workspace.schedule().choose("strategy", "reg_down", "[JtJ]p");
    auto& box = *window.currentPage().findChild<QComboBox*>("compareWith");
    box.setFocus();
    QTest::keyClick(&box, Qt::Key_Down);
    EXPECT_TRUE(wait_until([this] {
      return open.workspace.schedule().name() == "edited" && window.currentPage().isSettled() &&
             open.workspace.otherKernels().texts().isReady();
    }));
  }
  std::string change() { return child<QLabel>("kernelChange").text().toStdString(); }
  std::string text() { return child<QPlainTextEdit>("kernelText").toPlainText().toStdString(); }
  const gui::OtherKernel* before(const QString& label) {
    return open.workspace.otherKernels().texts().value->find(label);
  }
};

TEST_F(KernelsAgainstAnother, ShowsTheLinesThatDiffer) {
  const auto& snapshot = *open.workspace.kernels().kernels().value;
  int num_same = 0, num_other = 0;
  for (const gui::KernelRow& row : snapshot.rows) {
    if (row.text.isEmpty() || before(row.label()) == nullptr) continue;
    selection().select({Selection::Kind::Step, row.label()});
    const QString there = before(row.label())->text;
    const bool isSame = there == row.text && before(row.label())->preamble == row.preamble;
    (isSame ? num_same : num_other)++;
    EXPECT_EQ(change().starts_with("The same in default"), isSame) << change();
    const gui::LineDiff diff = gui::lineDiff(there, row.text);
    EXPECT_EQ(text(), diff.lines.join("\n").toStdString());
  }
  EXPECT_GT(num_same, 0);
  EXPECT_GT(num_other, 0);
}

TEST_F(KernelsPageTest, FoldsWhatIsAboveTheKernel) {
  const auto& first = open.workspace.kernels().kernels().value->rows.front();
  selection().select({Selection::Kind::Step, first.label()});
  ASSERT_FALSE(first.preamble.isEmpty());
  auto& code = child<QPlainTextEdit>("kernelText");
  EXPECT_EQ(code.toPlainText(), first.text);
  auto& fold = child<QToolButton>("kernelPreamble");
  EXPECT_TRUE(fold.isVisible());
  fold.click();
  EXPECT_EQ(code.toPlainText(), first.preamble + first.text);
  fold.click();
  EXPECT_EQ(code.toPlainText(), first.text);
}

TEST_F(KernelsAgainstAnother, LeadsToKernelsThatOnlyOneScheduleHas) {
  auto& only = child<QLabel>("kernelsOnly");
  ASSERT_TRUE(only.isVisible());
  const auto& snapshot = *open.workspace.kernels().kernels().value;
  const auto& other = *open.workspace.otherKernels().texts().value;
  QString there, here;
  for (const auto& [label, its] : other.kernels)
    if (snapshot.find(label) == nullptr) there = label;
  for (const gui::KernelRow& row : snapshot.rows)
    if (!row.text.isEmpty() && other.find(row.label()) == nullptr) here = row.label();
  ASSERT_FALSE(here.isEmpty());
  EXPECT_TRUE(only.text().contains("Only in edited: ")) << only.text().toStdString();
  Q_EMIT only.linkActivated(here);
  EXPECT_EQ(change(), "default has no such kernel");
  if (there.isEmpty()) return;
  Q_EMIT only.linkActivated(there);
  EXPECT_EQ(change(), "Only in default");
  EXPECT_EQ(text(), before(there)->text.toStdString());
}

TEST_F(KernelsAgainstAnother, ShowsTheTextAloneWhenNothingIsComparedWith) {
  auto& box = *window.currentPage().findChild<QComboBox*>("compareWith");
  QTest::keyClick(&box, Qt::Key_Up);
  EXPECT_FALSE(child<QLabel>("kernelChange").isVisible());
  EXPECT_FALSE(child<QLabel>("kernelsOnly").isVisible());
  const auto& snapshot = *open.workspace.kernels().kernels().value;
  selection().select({Selection::Kind::Step, "retract"});
  EXPECT_EQ(text(), snapshot.find("retract")->text.toStdString());
}

}  // namespace
}  // namespace thallo::test
