#include "tests/gui/qt_environment.h"

#include <memory>
#include <utility>

#include <gtest/gtest.h>
#include <QApplication>
#include <QSettings>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>

namespace thallo::test {
namespace {

class QtEnvironment final : public testing::Environment {
 public:
  void SetUp() override {
    if (!qEnvironmentVariableIsSet("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
    QStandardPaths::setTestModeEnabled(true);
    QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope, settings_.path());
    QCoreApplication::setOrganizationName("Thallo");
    QCoreApplication::setApplicationName("thallo-explorer");
    static int count = 1;
    static char name[] = "gui_test";
    static char* arguments[] = {name, nullptr};
    app_ = std::make_unique<QApplication>(count, arguments);
  }
  void TearDown() override { app_.reset(); }

 private:
  QTemporaryDir settings_;  // no test sees those of the user, or of another test
  std::unique_ptr<QApplication> app_;
};

[[maybe_unused]] const testing::Environment* const TheEnvironment =
    testing::AddGlobalTestEnvironment(new QtEnvironment);

}  // namespace

bool wait_until(const std::function<bool()>& condition, std::chrono::milliseconds limit) {
  return QTest::qWaitFor(condition, static_cast<int>(limit.count()));
}

gui::ProblemRequest small_poisson(const QString& device) {
  return {.problem = "poisson_image_editing", .options = {{"size", "40"}}, .device = device};
}

gui::WorkspaceOptions workspace_options(std::vector<std::string> plugin_path) {
  return {.pluginPath = std::move(plugin_path), .workerCommand = {THALLO_PROGRAM, "worker"}};
}

OpenWorkspace::OpenWorkspace(const gui::ProblemRequest& request, const QString& schedule,
                             std::vector<std::string> plugin_path)
    : workspace(workspace_options(std::move(plugin_path))) {
  workspace.open(request, schedule);
  const bool has_arrived = wait_until([this] {
    return workspace.problems().problem().state == gui::RemoteState::Failed ||
           workspace.schedule().sites().isReady();
  });
  EXPECT_TRUE(has_arrived) << request.problem.toStdString() << " did not open";
  EXPECT_EQ(workspace.problems().problem().error.toStdString(), "");
}

}  // namespace thallo::test
