// The kernels of a schedule as the app shows them, with real workers.
#include "gui/kernels/kernel_model.h"

#include <csignal>
#include <set>

#include <gtest/gtest.h>
#include <QAbstractItemModelTester>

#include "core/backend/precompile.h"
#include "gui/kernels/kernel_table.h"
#include "tests/gui/qt_environment.h"
#include "tests/support/scoped_env.h"
#include "tests/support/temp_dir.h"

namespace thallo::test {
namespace {

using gui::KernelModel;
using gui::KernelRow;
using gui::KernelSnapshot;
using gui::RemoteState;

// With a cache of kernels that is empty at first.
class KernelModelTest : public testing::Test {
 protected:
  void open(const QString& device, const QString& schedule = "auto") {
    open_.emplace(small_poisson(device), schedule);
  }
  KernelModel& model() { return open_->workspace.kernels(); }
  std::shared_ptr<const KernelSnapshot> shown() { return model().kernels().value; }
  bool is_settled() {
    return model().kernels().isReady() && shown()->hasAskers && !shown()->isCompiling &&
           shown()->scheduleHash == open_->workspace.schedule().schedule().value->hash;
  }
  void settle() {
    ASSERT_TRUE(wait_until([this] { return is_settled(); }))
        << model().kernels().error.toStdString();
  }
  void want_and_wait_for_compiling() {
    model().setWanted(nullptr, true);
    ASSERT_TRUE(wait_until([this] { return model().kernels().isReady() && shown()->isCompiling; }))
        << model().kernels().error.toStdString();
  }

  TempDir folder_;
  ScopedEnv cache_{"THALLO_CACHE_DIR", folder_.path().c_str()};
  std::optional<OpenWorkspace> open_;
};

TEST_F(KernelModelTest, AsksNoWorkerBeforeSomebodyLooks) {
  open("cpu");
  EXPECT_EQ(model().kernels().state, RemoteState::Empty);
  EXPECT_EQ(model().worker().processId(), 0);
}

TEST_F(KernelModelTest, ShowsTextsAtOnceAndThenWhatTheCompilerMakesOfThem) {
  open("cpu");
  want_and_wait_for_compiling();
  EXPECT_GT(shown()->numKernels(), 5U);
  EXPECT_LT(shown()->numCompiled(), shown()->numKernels());
  settle();
  EXPECT_EQ(shown()->numCompiled(), shown()->numKernels());
  EXPECT_EQ(shown()->shortfall.toStdString(), "");
  double share = 0;
  for (const KernelRow& row : shown()->rows) {
    share += row.share;
    if (!row.facts.isKernel) continue;
    EXPECT_TRUE(row.text.contains(gui::roleOf(row.label()) + '(')) << row.label().toStdString();
    EXPECT_FALSE(row.fields.isEmpty()) << row.label().toStdString();
    if (row.runs == 0) continue;
    EXPECT_GT(row.facts.predicted, 0) << row.label().toStdString();
    double waited = 0;
    for (const auto& [wait, seconds] : row.facts.waits) waited += seconds;
    EXPECT_NEAR(waited, row.facts.predicted, 1e-9 * waited) << row.label().toStdString();
    EXPECT_FALSE(row.facts.remedy.isEmpty()) << row.label().toStdString();
    EXPECT_TRUE(gui::waitsText(row.facts).contains(" %")) << row.label().toStdString();
  }
  // The host takes the rest.
  EXPECT_GT(share, 0.5);
  EXPECT_LE(share, 1 + 1e-9);
}

TEST_F(KernelModelTest, SaysWhichDirectivesAskedForAKernel) {
  open("cpu", "default");
  open_->workspace.schedule().choose("strategy", "reg_down", "[JtJ]p");
  ASSERT_TRUE(wait_until([this] { return open_->workspace.schedule().name() == "edited"; }));
  model().setWanted(nullptr, true);
  settle();
  const QString directive = "r.reg_down:strategy(\"[JtJ]p\")";
  EXPECT_TRUE(std::ranges::any_of(shown()->rows, [&](const KernelRow& row) {
    return gui::partOf(row.label()).contains("reg_down") && row.facts.askedBy.contains(directive);
  }));
  EXPECT_TRUE(shown()->find("retract")->facts.askedBy.isEmpty());
}

TEST_F(KernelModelTest, KnowsTheRegistersOfCudaKernelsWithoutADevice) {
  if (const auto nvrtc = make_cuda_precompiler("sm_90"); !nvrtc) GTEST_SKIP() << nvrtc.error().what;
  open("h200");
  model().setWanted(nullptr, true);
  settle();
  EXPECT_EQ(shown()->architecture.toStdString(), "sm_90");
  for (const KernelRow& row : shown()->rows) {
    if (!row.facts.isKernel) continue;
    EXPECT_TRUE(row.text.contains("__global__"));
    EXPECT_GE(row.registers.value_or(0), 8) << row.label().toStdString();
    EXPECT_LE(row.registers.value_or(0), 255) << row.label().toStdString();
  }
}

TEST_F(KernelModelTest, ShowsTextsWhereThereIsNoCompiler) {
  const ScopedEnv compiler("THALLO_CC", "/nowhere/cc");
  open("cpu");
  model().setWanted(nullptr, true);
  settle();
  EXPECT_GT(shown()->numKernels(), 5U);
  EXPECT_EQ(shown()->numCompiled(), 0U);
  EXPECT_TRUE(shown()->shortfall.contains("/nowhere/cc")) << shown()->shortfall.toStdString();
}

TEST_F(KernelModelTest, SurvivesAWorkerThatIsKilledAndTriesAgain) {
  open("cpu");
  want_and_wait_for_compiling();
  ASSERT_EQ(kill(static_cast<pid_t>(model().worker().processId()), SIGKILL), 0);
  ASSERT_TRUE(wait_until([this] { return model().kernels().state == RemoteState::Failed; }));
  EXPECT_TRUE(model().kernels().error.contains("signal")) << model().kernels().error.toStdString();
  EXPECT_GT(shown()->numKernels(), 5U);  // what was known stays
  model().retry();
  settle();
  EXPECT_EQ(shown()->numCompiled(), shown()->numKernels());
}

TEST_F(KernelModelTest, DropsTheKernelsOfAScheduleThatWasLeft) {
  open("cpu", "default");
  want_and_wait_for_compiling();
  const QString left = shown()->scheduleHash;
  open_->workspace.schedule().choose("strategy", "reg_down", "[JtJ]p");
  ASSERT_TRUE(wait_until([&] {
    const auto& now = open_->workspace.schedule().schedule();
    return now.isReady() && now.value->hash != left;
  }));
  QObject watcher;
  std::set<QString> seen;
  QObject::connect(&model(), &KernelModel::kernelsChanged, &watcher, [&] {
    if (model().kernels().isReady()) seen.insert(shown()->scheduleHash);
  });
  settle();
  EXPECT_FALSE(seen.contains(left));
  EXPECT_EQ(shown()->numCompiled(), shown()->numKernels());
}

TEST_F(KernelModelTest, ForgetsTheKernelsOfAProblemThatWasLeft) {
  open("cpu");
  want_and_wait_for_compiling();
  open_->workspace.open({.problem = "curve_fit", .device = "cpu"});
  EXPECT_EQ(model().kernels().state, RemoteState::Empty);
  EXPECT_EQ(shown(), nullptr);
  ASSERT_TRUE(wait_until([this] {
    return open_->workspace.problems().problem().isReady() &&
           open_->workspace.schedule().schedule().isReady();
  })) << open_->workspace.problems().problem().error.toStdString();
  settle();
  EXPECT_GT(shown()->numKernels(), 0U);
}

TEST_F(KernelModelTest, FillsATable) {
  open("cpu");
  gui::KernelTable table;
  const QAbstractItemModelTester tester(&table,
                                        QAbstractItemModelTester::FailureReportingMode::Fatal);
  QObject watcher;
  QObject::connect(&model(), &KernelModel::kernelsChanged, &watcher,
                   [&] { table.setSnapshot(shown()); });
  model().setWanted(nullptr, true);
  settle();
  ASSERT_EQ(table.rowCount(), static_cast<int>(shown()->rows.size()));
  double before = 2;
  for (int row = 0; row < table.rowCount(); ++row) {
    const QString label = table.index(row, 0).data(gui::KernelTable::LabelRole).toString();
    EXPECT_EQ(table.rowOf(label), row);
    const double share =
        table.index(row, gui::KernelTable::Share).data(gui::KernelTable::SortRole).toDouble();
    EXPECT_LE(share, before) << label.toStdString();
    before = share;
  }
  EXPECT_EQ(table.index(0, 0).data(gui::KernelTable::ShareRole).toDouble(), 1);
  table.setSnapshot(nullptr);
  EXPECT_EQ(table.rowCount(), 0);
}

}  // namespace
}  // namespace thallo::test
