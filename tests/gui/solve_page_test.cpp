#include "gui/solve/view/solve_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include <QApplication>

#include "tests/gui/qt_environment.h"

namespace thallo::test {
namespace {

using testing::HasSubstr;

class SolvePageTest : public testing::Test {
 protected:
  void SetUp() override {
    page.resize(640, 480);
    page.show();
    ASSERT_TRUE(wait_until([this] { return child<QPushButton>("solveButton").isEnabled(); }));
  }
  template <class T>
  T& child(const char* name) {
    return *page.findChild<T*>(name);
  }

  OpenWorkspace open{small_poisson("h200")};
  std::unique_ptr<gui::Page> made{gui::makeSolvePage(open.workspace)};
  gui::Page& page = *made;
};

TEST_F(SolvePageTest, OffersEveryLinearSolverAndPreconditioner) {
  for (const char* name : {"dense", "pcg", "schur_cholesky", "schur_pcg", "sparse_cholesky"})
    EXPECT_GE(child<QComboBox>("linearSolver").findData(name), 0) << name;
  for (const char* name : {"none", "jacobi", "block_jacobi", "multigrid"})
    EXPECT_GE(child<QComboBox>("preconditioner").findData(name), 0) << name;
}

// A sentence that says what is legal is long. It had taken the place of the options, and made the
// window wider.
TEST_F(SolvePageTest, SaysWhatIsWrongWithTheOptionsBelowThem) {
  auto& options = child<QLineEdit>("solverOptions");
  const auto& fault = child<QLabel>("solverOptionsFault");
  const int least = page.minimumSizeHint().width();
  const int width = options.width();
  EXPECT_FALSE(fault.isVisible());
  options.setText("linear_solver=schur");
  child<QPushButton>("solveButton").click();
  QCoreApplication::processEvents();
  ASSERT_TRUE(fault.isVisible());
  EXPECT_THAT(fault.text().toStdString(), HasSubstr("legal: dense, "));
  EXPECT_EQ(options.width(), width);
  EXPECT_GT(fault.y(), options.geometry().bottom());
  EXPECT_EQ(page.minimumSizeHint().width(), least);
  EXPECT_FALSE(open.workspace.solve().isRunning());
}

}  // namespace
}  // namespace thallo::test
