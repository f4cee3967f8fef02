#include "gui/solve/view/run_pictures.h"

#include <gtest/gtest.h>
#include <QtTest/QTest>

#include "core/base/io/image.h"
#include "core/base/io/ply.h"
#include "gui/base/picture_file.h"
#include "tests/gui/qt_environment.h"
#include "tests/support/temp_dir.h"

namespace thallo::test {
namespace {

// A run with a picture and the meshes `before` and `after`.
class RunPicturesTest : public testing::Test {
 protected:
  void SetUp() override {
    pictures.resize(600, 400);
    QImage picture(60, 40, QImage::Format_RGB888);
    picture.fill(Qt::red);
    ASSERT_TRUE(picture.save(path("seen.png")));
    run.pictures = {{path("seen.png"), "What is seen"}};
    for (const char* name : {"before", "after"}) {
      const Mesh mesh{.positions = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, .triangles = {{0, 1, 2}}};
      ASSERT_TRUE(write_ply(folder.path() / (std::string(name) + ".ply"), mesh));
      run.meshes.push_back({path(QString(name) + ".ply"), name});
    }
    pictures.show(&run);
    static_cast<QWidget&>(pictures).show();
  }
  QString path(const QString& name) const {
    return QString::fromStdString((folder.path() / name.toStdString()).string());
  }
  template <class T>
  T& child(const char* name) {
    return *pictures.findChild<T*>(name);
  }
  void show_meshes() {
    QTest::mouseClick(&child<QToolButton>("asMeshes"), Qt::LeftButton);
    ASSERT_TRUE(wait_until([this] { return !scene().picture().isNull() && scene().isSettled(); }));
  }
  gui::SceneView& scene() { return child<gui::SceneView>("sceneView"); }

  TempDir folder;
  gui::SolveRun run;
  gui::RunPictures pictures;
};

TEST_F(RunPicturesTest, ShowsPicturesFirst) {
  EXPECT_TRUE(child<gui::ImageCompare>("imageCompare").isVisible());
  EXPECT_FALSE(child<gui::ImageCompare>("imageCompare").isEmpty());
  EXPECT_FALSE(child<QComboBox>("firstPicture").isVisible()) << "there is one alone";
  EXPECT_TRUE(child<QToolButton>("asMeshes").isVisible());
  run.meshes.clear();
  pictures.show(&run);
  EXPECT_FALSE(child<QToolButton>("asMeshes").isVisible());
}

TEST_F(RunPicturesTest, ShowsTwoMeshesFromOneSide) {
  show_meshes();
  EXPECT_EQ(child<QComboBox>("firstPicture").currentText(), "before");
  EXPECT_EQ(child<QComboBox>("secondPicture").currentText(), "after");
  const QImage picture = scene().picture();
  ASSERT_EQ(picture.width(), 2 * picture.height());
  const QRect left(0, 0, picture.height(), picture.height());
  EXPECT_EQ(picture.copy(left), picture.copy(left.translated(left.width(), 0)));
}

TEST_F(RunPicturesTest, AreTurnedByTheMouseAndTheKeys) {
  show_meshes();
  const QImage before = scene().picture();
  const gui::SceneCamera first = scene().camera();
  QTest::mousePress(&scene(), Qt::LeftButton, {}, {100, 100});
  QMouseEvent move(QEvent::MouseMove, QPointF(160, 90), scene().mapToGlobal(QPointF(160, 90)),
                   Qt::NoButton, Qt::LeftButton, {});
  QApplication::sendEvent(&scene(), &move);
  EXPECT_LT(scene().camera().yaw, first.yaw);
  EXPECT_LT(scene().camera().pitch, first.pitch);
  ASSERT_TRUE(wait_until([this] { return scene().isSettled(); }));
  EXPECT_NE(scene().picture(), before);
  QTest::keyClick(&scene(), Qt::Key_0);
  EXPECT_EQ(scene().camera(), first);
  ASSERT_TRUE(wait_until([this] { return scene().isSettled(); }));
  EXPECT_EQ(scene().picture(), before);
}

TEST_F(RunPicturesTest, NameAMeshThatCannotBeRead) {
  folder.write("after.ply", "ply\nnonsense\n");
  QTest::mouseClick(&child<QToolButton>("asMeshes"), Qt::LeftButton);
  ASSERT_TRUE(wait_until([this] { return scene().isSettled(); }));
  EXPECT_TRUE(scene().picture().isNull());
  EXPECT_TRUE(scene().fault().contains("after.ply")) << scene().fault().toStdString();
}

TEST_F(RunPicturesTest, ShowAPictureOfAFormatThatQtDoesNotRead) {
  Image depth(3, 2, 1);
  depth.data = {-2, 0, 2, 4, 6, 8};
  ASSERT_TRUE(write_image(folder.path() / "depth.pfm", depth));
  run.pictures = {{path("depth.pfm"), "depth"}};
  pictures.show(&run);
  EXPECT_FALSE(child<gui::ImageCompare>("imageCompare").isEmpty());
  const QImage shown = gui::pictureOf(path("depth.pfm")).toImage();
  ASSERT_EQ(shown.size(), QSize(3, 2));
  EXPECT_EQ(shown.pixelColor(0, 0), QColor(0, 0, 0));
  EXPECT_EQ(shown.pixelColor(2, 1), QColor(255, 255, 255));
}

TEST_F(RunPicturesTest, SayWhyThereIsNone) {
  const auto& images = child<gui::ImageCompare>("imageCompare");
  pictures.show(nullptr);
  EXPECT_EQ(images.message(), "Solve, and the pictures of the run stand here.");
  gui::SolveRun other;
  pictures.show(&other);
  EXPECT_EQ(images.message(), "The pictures of the run are written when it ends.");
  other.state = gui::SolveRun::State::Finished;
  pictures.show(&other);
  EXPECT_EQ(images.message(), "The run wrote no picture.");
  folder.write("broken.png", "nonsense");
  other.pictures = {{path("broken.png"), "X"}};
  pictures.show(&other);
  EXPECT_TRUE(images.isEmpty());
  EXPECT_TRUE(images.message().contains("broken.png")) << images.message().toStdString();
}

}  // namespace
}  // namespace thallo::test
