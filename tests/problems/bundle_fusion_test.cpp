// The camera poses of a depth video: motions, frames, matches, and what the energy makes of them.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <numbers>
#include <string>
#include <vector>

#include "core/base/io/png.h"
#include "core/base/options.h"
#include "core/base/random.h"
#include "core/energy/evaluate/evaluator.h"
#include "core/explore/report/explanation.h"
#include "core/problem/choose_schedule.h"
#include "problems/bundle_fusion/depth_video.h"
#include "problems/bundle_fusion/fusion_input.h"
#include "problems/bundle_fusion/fusion_view.h"
#include "problems/bundle_fusion/matching.h"
#include "problems/bundle_fusion/rigid.h"
#include "problems/bundle_fusion/room.h"
#include "problems/bundle_fusion/video_reader.h"
#include "tests/problems/loaded_problems.h"
#include "tests/support/data.h"
#include "tests/support/loaded_constructs.h"
#include "tests/support/temp_dir.h"

namespace thallo::bundle_fusion {
namespace {

using std::numbers::pi;
using testing::AllOf, testing::Contains, testing::HasSubstr, testing::IsEmpty, testing::Not,
    testing::UnorderedElementsAre;

constexpr float NoSurface = -std::numeric_limits<float>::infinity();
const Options SmallRoom = {{"frames", 3}, {"width", 16}, {"matches", 20}};

void expect_near(const Vector3& a, const Vector3& b, double tolerance) {
  for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(a[k], b[k], tolerance) << "entry " << k;
}

TEST(RigidMotion, TurnsAboutAnAxisAsThatOfTheEnergyLanguage) {
  const RigidMotion quarter = exponential({{0, 0, pi / 2}, {0, 0, 0}});
  expect_near(quarter.move({1, 0, 0}), {0, 1, 0}, 1e-15);
  // A screw: once around a circle's quarter while it is pushed along its tangent.
  const RigidMotion arc = exponential({{0, 0, pi / 2}, {pi / 2, 0, 0}});
  expect_near(arc.translation, {1, 1, 0}, 1e-15);
  // The unknowns mean what PoseToMatrix makes of them: matches that agree at the reference cost
  // nothing there.
  const test::Made made = test::make("bundle_fusion", {{"dense", false},
                                                       {"frames", 4},
                                                       {"width", 16},
                                                       {"matches", 60},
                                                       {"rotation_error", 0.0},
                                                       {"translation_error", 0.0}});
  const double millimeters = 1000 * std::sqrt(2 * test::cost_of(made) / 60);
  EXPECT_GT(millimeters, 0.0) << "depths are between pixels, and noisy";
  EXPECT_LT(millimeters, 10.0);
}

TEST(RigidMotion, HasItsTwistBackAndIsUndoneByItsInverse) {
  Random random(3);
  for (const double angle : {0.0, 1e-9, 9e-5, 1.1e-4, 0.1, 2.0, 3.1, pi - 1e-9}) {
    Vector3 axis = {random.normal(), random.normal(), random.normal()};
    axis = 1 / length(axis) * axis;
    const Twist twist = {angle * axis, {random.normal(), random.normal(), random.normal()}};
    const Twist back = logarithm(exponential(twist));
    expect_near(back.rotation, twist.rotation, 1e-12);
    expect_near(back.translation, twist.translation, 1e-7);
  }
  const RigidMotion motion = exponential({{0.3, -1.2, 0.5}, {1, 2, 3}});
  const RigidMotion same = motion * inverse(motion);
  expect_near(same.translation, {0, 0, 0}, 1e-14);
  expect_near(logarithm(same).rotation, {0, 0, 0}, 1e-14);
}

DepthVideo flat_wall(int width, int height, float depth) {
  DepthVideo video;
  video.camera = {{10, 10}, {(width - 1) / 2.0, (height - 1) / 2.0}};
  DepthFrame frame = {Image(width, height, 1), Image(width, height, 3), {}};
  for (float& z : frame.depth.data) z = depth;
  video.frames = {frame};
  return video;
}

TEST(DepthVideo, IsReducedToMediansOfWhatIsThere) {
  DepthVideo video = flat_wall(8, 8, 2);
  Image& depth = video.frames[0].depth;
  depth.at(1, 1) = 50;  // does not count as one of sixteen
  for (int y = 0; y < 4; ++y) {
    for (int x = 4; x < 8; ++x) depth.at(x, y) = y == 0 ? 3.0f : NoSurface;
  }
  const DepthVideo small = reduced(video, 2);
  EXPECT_EQ(small.height(), 2);
  EXPECT_EQ(small.frames[0].depth.at(0, 0), 2);
  EXPECT_EQ(small.frames[0].depth.at(1, 0), NoSurface) << "most are missing";
  EXPECT_DOUBLE_EQ(small.camera.focal_length[0], 2.5);
  EXPECT_DOUBLE_EQ(small.camera.principal_point[0], 0.5) << "stays in the middle";
  EXPECT_EQ(reduced(video, 8).frames[0].depth, depth);
}

TEST(DepthVideo, HasPointsAndNormalsTowardTheCameraAlsoBetweenThem) {
  DepthVideo video = flat_wall(5, 5, 2);
  video.frames[0].depth.at(0, 2) = NoSurface;
  Image points = points_of(video, 0);
  EXPECT_EQ(points.at(4, 2, 0), 2 * 2.0f / 10);
  EXPECT_EQ(points.at(4, 2, 2), 2);
  EXPECT_EQ(points.at(0, 2, 0), NoSurface);
  const Image normals = normals_of(points);
  EXPECT_EQ(normals.at(2, 2, 0), 0);
  EXPECT_EQ(normals.at(2, 2, 2), -1);
  EXPECT_EQ(normals.at(1, 2, 0), NoSurface) << "its left neighbor is missing";
  EXPECT_EQ(normals.at(4, 2, 0), NoSurface) << "it has no right neighbor";
  video = flat_wall(3, 3, 2);
  video.frames[0].depth.at(1, 0) = 4;
  video.frames[0].depth.at(0, 1) = NoSurface;
  points = points_of(video, 0);
  EXPECT_DOUBLE_EQ(sample(points, 0.25, 0)[2], 2.5);
  EXPECT_DOUBLE_EQ(sample(points, 0.25, 1)[2], 2) << "the left one is missing";
  EXPECT_DOUBLE_EQ(sample(points, 0, 0.75)[2], 2);
  EXPECT_EQ(sample(points, 0, 1)[2], NoSurface);
  EXPECT_EQ(sample(points, 3, 1)[2], NoSurface);
  EXPECT_EQ(sample(points, std::nan(""), 1)[2], NoSurface);
}

// Projected into another frame, what the first sees of the walls is there.
TEST(Room, IsSeenAlikeByItsFrames) {
  const DepthVideo room = make_room({.frames = 5, .width = 64, .noise = 0});
  EXPECT_EQ(room.num_frames(), 5);
  EXPECT_EQ(room.height(), 48);
  expect_near(room.frames[0].pose.translation, {0, 0, 0}, 1e-15);
  EXPECT_GT(length(room.frames[4].pose.translation), 0.5);
  const auto matches = make_matches(room, make_pairs(5, 0), 400, 1);
  ASSERT_TRUE(matches) << matches.error().message();
  double sum = 0;
  for (const Match& match : *matches) {
    const auto& [i, j] = match.frames;
    const Vector3 a = room.frames[static_cast<std::size_t>(i)].pose.move(match.points[0]);
    const Vector3 b = room.frames[static_cast<std::size_t>(j)].pose.move(match.points[1]);
    sum += length(a - b);
  }
  EXPECT_LT(sum / 400, 0.002) << "meters, where depths lie between pixels";
  EXPECT_EQ(make_room({.frames = 2, .width = 16, .seed = 4}).frames[1].depth,
            make_room({.frames = 2, .width = 16, .seed = 4}).frames[1].depth);
}

TEST(Matching, PairsFramesUpToASpanThatSeeSomethingInCommon) {
  EXPECT_EQ(make_pairs(11, 0).size(), 55u);
  EXPECT_EQ(make_pairs(64, 5).size(), 64u * 5 - 15);
  EXPECT_EQ(make_pairs(3, 1), (std::vector<FramePair>{{0, 1}, {1, 2}}));
  DepthVideo video = flat_wall(16, 12, 2);
  video.frames.push_back(video.frames[0]);
  video.frames[1].pose.translation = {100, 0, 0};
  const auto matches = make_matches(video, make_pairs(2, 0), 10, 1);
  ASSERT_FALSE(matches);
  EXPECT_THAT(matches.error().message(), AllOf(HasSubstr("found 0"), HasSubstr("expected 10")));
}

TEST(Matching, SpreadsMatchesOverPairsInOrder) {
  const DepthVideo room = make_room({.frames = 4, .width = 48});
  const auto pairs = make_pairs(4, 0);
  const auto matches = make_matches(room, pairs, 120, 1);
  ASSERT_TRUE(matches) << matches.error().message();
  EXPECT_EQ(matches->size(), 120u);
  EXPECT_TRUE(std::ranges::is_sorted(*matches, {}, &Match::frames));
  for (const FramePair& pair : pairs) {
    EXPECT_GE(std::ranges::count(*matches, pair, &Match::frames), 10) << pair[0] << " " << pair[1];
  }
}

// By the definition of the energy: a pixel that matches has a derivative.
TEST(Matching, CountsThePixelsThatTheEnergyCounts) {
  const test::Made made = test::make("bundle_fusion", SmallRoom);
  EnergyEvaluator evaluator(made.energy, made.instance.binding);
  std::int64_t counted = 0;
  for (std::int64_t point = 0; point < evaluator.num_points(0); ++point) {
    for (const ResidualRow& row : evaluator.linearize(0, point)) {
      counted += std::ranges::any_of(row.partials,
                                     [](const AccessPartial& p) { return p.value.value != 0; });
    }
  }
  const auto input = make_input({.frames = 3, .width = 16, .matches = 20});
  ASSERT_TRUE(input) << input.error().message();
  EXPECT_GT(counted, 20);
  EXPECT_EQ(counted, count_matching(input->surfaces, input->pairs, input->start, {}));
  EXPECT_GT(count_matching(input->surfaces, input->pairs, input->truth, {}), counted);
}

TEST(PoseError, IsTheRootMeanSquareWithoutTheFirst) {
  std::vector<RigidMotion> truth(3);
  std::vector<RigidMotion> poses(3);
  poses[1].translation = {0.003, 0, 0};
  poses[2].translation = {0, 0.004, 0};
  poses[2].rotation = exponential({{0, 0.02 * pi, 0}, {}}).rotation;
  const PoseError error = compare_poses(poses, truth);
  EXPECT_NEAR(error.millimeters, std::sqrt((9.0 + 16.0) / 2), 1e-12);
  EXPECT_NEAR(error.degrees, 3.6 / std::sqrt(2), 1e-9);
}

TEST(FusionInput, StartsAsFarOffAsItIsTold) {
  const auto input = make_input(
      {.frames = 4, .width = 16, .matches = 10, .rotation_error = 3, .translation_error = 40});
  ASSERT_TRUE(input) << input.error().message();
  expect_near(input->start[0].translation, {0, 0, 0}, 1e-15);
  const PoseError error = compare_poses(input->start, input->truth);
  EXPECT_NEAR(error.degrees, 3, 1e-9);
  EXPECT_NEAR(error.millimeters, 40, 1e-9);
  EXPECT_EQ(input->video.width(), 16);
}

TEST(BundleFusion, HoldsTheFirstFrameRunsFiveSolvesAndSaysWhatIsWrong) {
  test::Made made = test::make("bundle_fusion", SmallRoom);
  EXPECT_EQ(made.instance.solver.num_iterations, 3);
  EXPECT_EQ(made.instance.solver.num_linear_iterations, 9);
  int solves = 1;
  while (*made.problem->advance(made.instance, solves - 1, {})) ++solves;
  EXPECT_EQ(solves, 5);
  EXPECT_EQ(made.energy.exclusions().size(), 2u);
  const test::TempDir folder;
  EXPECT_THAT(test::error_of("bundle_fusion", {{"folder", (folder.path() / "absent").string()}}),
              HasSubstr("absent"));
  EXPECT_THAT(test::error_of("bundle_fusion", {{"frames", 1}}), HasSubstr("frames"));
}

// A frame of a recording: one depth in meters, 0 for none, in four by three pixels.
void write_frame(const test::TempDir& folder, const std::string& number, double meters,
                 const std::string& pose) {
  Image depth(4, 3, 1);
  for (float& sample : depth.data) sample = static_cast<float>(1000 * meters / 65535);
  depth.at(0, 0) = 1;
  ASSERT_TRUE(write_png(folder.path() / ("frame-" + number + ".depth.png"), depth, 65535));
  folder.write("frame-" + number + ".pose.txt", pose);
}

const std::string IdentityPose = "1 0 0 5\n0 1 0 6\n0 0 1 7\n0 0 0 1\n";

TEST(VideoReader, ReadsFramesInTheOrderOfTheirNumbers) {
  const test::TempDir folder;
  folder.write("camera-intrinsics.txt", "585 0 320\n0 586 240\n0 0 1\n");
  write_frame(folder, "000010", 3, "0 -1 0 5\n1 0 0 6\n0 0 1 8\n0 0 0 1\n");
  write_frame(folder, "000009", 2, IdentityPose);
  write_frame(folder, "000100", 4, IdentityPose);
  const auto video = read_depth_video(folder.path(), 2);
  ASSERT_TRUE(video) << video.error().message();
  EXPECT_EQ(video->num_frames(), 2);
  EXPECT_NEAR(video->frames[0].depth.at(1, 0), 2, 1e-6);
  EXPECT_EQ(video->frames[0].depth.at(0, 0), NoSurface) << "65535";
  EXPECT_NEAR(video->frames[1].depth.at(3, 2), 3, 1e-6);
  EXPECT_TRUE(video->frames[0].color.data.empty());
  EXPECT_EQ(video->camera.focal_length[1], 586);
  EXPECT_EQ(video->camera.principal_point[0], 320);
  expect_near(video->frames[1].pose.move({1, 0, 0}), {0, 1, 1}, 1e-12);
}

TEST(VideoReader, SaysWhatIsWrongWithARecording) {
  const test::TempDir folder;
  const auto error = [&folder](int num_frames) {
    const auto video = read_depth_video(folder.path(), num_frames);
    return video ? "no error" : video.error().message();
  };
  EXPECT_THAT(error(2), HasSubstr("camera-intrinsics.txt"));
  folder.write("camera-intrinsics.txt", "585 0 320\n0 foo 240\n0 0 1\n");
  EXPECT_THAT(error(2), HasSubstr("camera-intrinsics.txt:2: found 'foo'"));
  folder.write("camera-intrinsics.txt", "585 0 320\n0 -585 240\n0 0 1\n");
  EXPECT_THAT(error(2), HasSubstr("-585"));
  folder.write("camera-intrinsics.txt", "585 0 320\n0 585 240\n0 0 1\n");
  write_frame(folder, "000000", 2, IdentityPose);
  EXPECT_THAT(error(2), AllOf(HasSubstr("found 1 frames"), HasSubstr("expected 2")));
  write_frame(folder, "000001", 2, "2 0 0 5\n0 1 0 6\n0 0 1 7\n0 0 0 1\n");
  EXPECT_THAT(error(2), AllOf(HasSubstr("frame-000001.pose.txt"), HasSubstr("no rotation")));
  write_frame(folder, "000001", 2, "1 0 0 5\n0 1 0 6\n");
  EXPECT_THAT(error(2), AllOf(HasSubstr("found 8 numbers"), HasSubstr("expected 16")));
  write_frame(folder, "000001", 2, IdentityPose);
  ASSERT_TRUE(write_png(folder.path() / "frame-000001.depth.png", Image(4, 2, 1)));
  EXPECT_THAT(error(2), AllOf(HasSubstr("frame-000001.depth.png"), HasSubstr("4 x 2")));
}

TEST(BundleFusion, TakesARecording) {
  THALLO_REQUIRE_DATA(folder, "rgbd/7scenes");
  const test::Made made = test::make(
      "bundle_fusion", {{"folder", folder.string() + "/"}, {"width", 80}, {"frames", 4}});
  EXPECT_EQ(made.instance.title, "7scenes");
  EXPECT_EQ(made.instance.binding.num_unknowns(made.energy), 24);
  EXPECT_EQ(made.instance.binding.num_residuals(made.energy), 6 * 80 * 60 + 3 * 2000);
}

// Both [JtJ]p would do for the matrix that they share; the stored poses change what fills it.
TEST(BundleFusionSchedule, IsExplainedByTheDirectivesThatNeedIt) {
  const test::Made made = test::make("bundle_fusion", SmallRoom);
  const Options options = complete_options(made.problem->options(), SmallRoom).value();
  const EnergyFile file = made.problem->energy(options).value();
  const Schedule schedule = choose_schedule("file", file, test::loaded_constructs()).value();
  const Expected<Explanation> explanation =
      explain(file.energy, schedule, test::loaded_constructs(), {}, made.instance.binding,
              Precision::Float);
  ASSERT_TRUE(explanation) << explanation.error().message();
  std::map<std::string, std::vector<std::string>> askers;
  for (const ExplainedKernel& kernel : explanation->kernels) askers[kernel.label] = kernel.asked_by;
  for (const ExplainedBuffer& buffer : explanation->buffers) askers[buffer.name] = buffer.asked_by;
  const std::string dense = "r.dense:strategy(\"[JtJ]p\")";
  const std::string sparse = "r.sparse:strategy(\"[JtJ]p\")";
  for (const char* shared : {"dense_product", "dense_halves", "JtJ"})
    EXPECT_THAT(askers[shared], UnorderedElementsAre(dense, sparse)) << shared;
  EXPECT_THAT(askers["jtf_jtj [dense]"], AllOf(Contains(dense), Not(Contains(sparse))));
  EXPECT_THAT(askers["jtf_jtj [sparse]"], AllOf(Contains(sparse), Not(Contains(dense))));
  for (const char* solvers : {"damp", "update", "direction", "retract"})
    EXPECT_THAT(askers[solvers], IsEmpty()) << solvers;
}

}  // namespace
}  // namespace thallo::bundle_fusion
