#include "core/base/io/colmap.h"

#include <gmock/gmock.h>

#include <string>

#include "tests/support/temp_dir.h"

namespace thallo {
namespace {

using testing::ElementsAre, testing::HasSubstr;

class ColmapTest : public testing::Test {
 protected:
  void write(const std::string& cameras, const std::string& images, const std::string& points) {
    folder_.write("cameras.txt", cameras);
    folder_.write("images.txt", images);
    folder_.write("points3D.txt", points);
  }
  std::string message() {
    const auto model = read_colmap(folder_.path());
    return model ? "no error" : model.error().message();
  }

  // Two images share a camera; the second has no features, so that its line is empty.
  const std::string cameras_ = "# CAMERA_ID\n3 OPENCV 640 480 500 510 320 240 0.1 -0.2 0.01 0.02\n";
  const std::string images_ =
      "# IMAGE_ID\n7 0.6 0 0.8 0 1 2 3 3 a view.png\n10.5 20.25 -1 30 40 11\n"
      "9 1 0 0 0 0 0 0 3 b.png\n\n";
  const std::string points_ = "11 0.1 0.2 0.3 255 0 10 0.5 7 1\n";
  test::TempDir folder_;
};

TEST_F(ColmapTest, ReadsText) {
  write(cameras_, images_, points_);
  const auto model = read_colmap(folder_.path());
  ASSERT_TRUE(model) << model.error().message();
  ASSERT_EQ(model->cameras.size(), 1u);
  EXPECT_EQ(model->cameras[0].lens, LensModel::OpenCv);
  EXPECT_THAT(model->cameras[0].params, ElementsAre(500, 510, 320, 240, 0.1, -0.2, 0.01, 0.02));
  ASSERT_EQ(model->images.size(), 2u);
  EXPECT_EQ(model->images[0].name, "a view.png");
  EXPECT_THAT(model->images[0].rotation, ElementsAre(0.6, 0, 0.8, 0));
  EXPECT_THAT(model->images[0].translation, ElementsAre(1, 2, 3));
  EXPECT_THAT(model->images[0].points, ElementsAre(-1, 11));
  EXPECT_TRUE(model->images[1].places.empty());
  ASSERT_EQ(model->points.size(), 1u);
  EXPECT_THAT(model->points[0].color, ElementsAre(255, 0, 10));
  EXPECT_THAT(model->points[0].track, ElementsAre(std::array{7u, 1u}));
}

TEST_F(ColmapTest, WritesWhatItReads) {
  write(cameras_, images_, points_);
  auto model = read_colmap(folder_.path());
  ASSERT_TRUE(model) << model.error().message();
  model->points[0].position[0] = 1.0 / 3;
  for (const bool is_binary : {false, true}) {
    model->is_binary = is_binary;
    const auto to = folder_.path() / (is_binary ? "binary" : "text");
    ASSERT_TRUE(write_colmap(to, *model));
    EXPECT_EQ(std::filesystem::exists(to / "images.bin"), is_binary);
    const auto again = read_colmap(to);
    ASSERT_TRUE(again) << again.error().message();
    EXPECT_EQ(again->is_binary, is_binary);
    EXPECT_EQ(again->cameras[0].params, model->cameras[0].params);
    EXPECT_EQ(again->cameras[0].width, 640u);
    EXPECT_EQ(again->images[0].name, "a view.png");
    EXPECT_EQ(again->images[0].places, model->images[0].places);
    EXPECT_EQ(again->images[0].points, model->images[0].points);
    EXPECT_EQ(again->images[1].id, 9u);
    EXPECT_EQ(again->points[0].position, model->points[0].position);
    EXPECT_EQ(again->points[0].color, model->points[0].color);
    EXPECT_EQ(again->points[0].track, model->points[0].track);
  }
}

TEST_F(ColmapTest, NamesWhatIsWrong) {
  EXPECT_THAT(message(), HasSubstr("has no cameras.bin and no cameras.txt"));
  write("3 FULL_OPENCV 640 480 500\n", images_, points_);
  EXPECT_THAT(message(),
              HasSubstr("cameras.txt:1: found 'FULL_OPENCV' where the model of camera 3"));
  EXPECT_THAT(message(), HasSubstr("SIMPLE_RADIAL, RADIAL, OPENCV, OPENCV_FISHEYE"));
  write("3 PINHOLE 640 480 500\n", images_, points_);
  EXPECT_THAT(message(), HasSubstr("4 numbers of camera 3"));
  write(cameras_, "# images\n7 1 0 0 0 0 0 0 4 a.png\n\n", points_);
  EXPECT_THAT(message(), HasSubstr("image 7 names camera 4"));
  write(cameras_, "7 1 0 0 0 0 0 0 3 a.png\n1 2 12\n", points_);
  EXPECT_THAT(message(), HasSubstr("image 7 sees point 12"));
  write(cameras_, "7 1 0 0 0 0 0 0 3 a.png\n1 2\n", points_);
  EXPECT_THAT(message(), HasSubstr("images.txt:2"));
  for (const char* name : {"cameras.bin", "images.bin", "points3D.bin"})
    folder_.write(name, std::string("\x01\0\0\0\0\0\0\0\x03", 9));
  EXPECT_THAT(message(), HasSubstr("cameras.bin: at offset 8 should be the id of a camera"));
}

}  // namespace
}  // namespace thallo
