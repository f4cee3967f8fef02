// Scenes from files: what is in them counts as it should, and the solution is written back.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include <fmt/format.h>

#include "core/base/io/bal.h"
#include "core/base/io/bundler.h"
#include "core/base/io/colmap.h"
#include "core/base/io/file.h"
#include "core/base/random.h"
#include "core/problem/report/report.h"
#include "problems/bundle_adjustment/reconstruction.h"
#include "problems/bundle_adjustment/scene.h"
#include "problems/bundle_adjustment/scene_checks.h"
#include "tests/problems/loaded_problems.h"
#include "tests/problems/runs.h"
#include "tests/support/temp_dir.h"

namespace thallo::bundle_adjustment {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pointwise;

BalProblem small_scene() {
  auto scene = generate_scene({.num_cameras = 4, .num_points = 30, .mean_track_length = 3.5});
  return std::move(scene->problem);
}

// Seven images of thirty points around the origin, from a distance of 5; a camera of each model,
// and the first image again by the camera of the second.
ColmapModel model_of_all_lenses() {
  Random random(5);
  ColmapModel model;
  const auto add = [&](LensModel lens, std::vector<double> params) {
    const auto id = static_cast<std::uint32_t>(10 + model.cameras.size());
    model.cameras.push_back({id, lens, 640, 480, std::move(params)});
  };
  add(LensModel::SimplePinhole, {500, 320, 240});
  add(LensModel::Pinhole, {500, 510, 320, 240});
  add(LensModel::SimpleRadial, {500, 320, 240, -0.05});
  add(LensModel::Radial, {500, 320, 240, -0.05, 0.01});
  add(LensModel::OpenCv, {500, 510, 320, 240, -0.05, 0.01, 0.001, -0.002});
  add(LensModel::OpenCvFisheye, {500, 510, 320, 240, 0.01, -0.02, 0.003, 0.001});
  for (std::uint64_t i = 0; i < 30; ++i)
    model.points.push_back(
        {.id = 100 + i, .position = {random.normal(), random.normal(), random.normal()}});
  for (std::uint32_t i = 0; i < 7; ++i) {
    const double half = 0.1 * (i % 6);
    ColmapModel::Image image{.id = i + 1,
                             .rotation = {std::cos(half), 0, std::sin(half), 0},
                             .translation = {0.1 * i, 0, 5},
                             .camera = 10 + i % 6 + (i == 6 ? 1 : 0),
                             .name = fmt::format("{}.png", i)};
    for (const auto& point : model.points) {
      image.places.push_back({});
      image.points.push_back(static_cast<std::int64_t>(point.id));
    }
    image.places.push_back({1, 2});
    image.points.push_back(-1);
    model.images.push_back(std::move(image));
  }
  // Observed where the lenses see them, but for noise.
  const Reconstruction scene = reconstruction_of(model);
  std::vector<std::size_t> next(model.images.size(), 0);
  for (const LensGroup& group : scene.groups) {
    for (Observation o : group.observations) {
      o.x = o.y = 0;
      const auto image = static_cast<std::size_t>(o.image);
      const auto [x, y] = scene.error(o);
      model.images[image].places[next[image]++] = {320 + x + 0.3 * random.normal(),
                                                   240 + y + 0.3 * random.normal()};
    }
  }
  return model;
}

class SceneFileTest : public testing::Test {
 protected:
  thallo::Run solve(const std::filesystem::path& file, Options options = {}) {
    options.set("file", std::string_view(file.string()));
    auto run = test::run("bundle_adjustment", options);
    const auto written = write_report(run.report, folder_.path() / "out");
    EXPECT_TRUE(written) << written.error().message();
    return run;
  }
  std::filesystem::path out(const char* name) { return folder_.path() / "out" / name; }

  test::TempDir folder_;
};

TEST_F(SceneFileTest, ABalFileIsWrittenWithItsSolution) {
  const auto file = folder_.path() / "scene.txt";
  ASSERT_TRUE(write_bal(file, small_scene()));
  const auto run = solve(file);
  const auto solution = read_as<parse_bal>(out("scene.txt"));
  ASSERT_TRUE(solution) << solution.error().message();
  EXPECT_NEAR(reconstruction_of(*solution).cost() / run.solution.final_cost(), 1, 1e-9);
  EXPECT_EQ(solution->observations, small_scene().observations);
}

TEST_F(SceneFileTest, ABundlerFileIsTheSameScene) {
  const BalProblem scene = small_scene();
  BundlerFile bundler{.scene = scene};
  std::ranges::stable_sort(bundler.scene.observations, {}, &BalObservation::point);
  bundler.colors.resize(scene.points.size());
  bundler.keys.resize(scene.observations.size(), 7);
  ASSERT_TRUE(write_bundler(folder_.path() / "bundle.out", bundler));
  ASSERT_TRUE(write_bal(folder_.path() / "scene.txt", scene));
  const auto bal = solve(folder_.path() / "scene.txt");
  const auto run = solve(folder_.path() / "bundle.out");
  EXPECT_NEAR(run.solution.initial_cost() / bal.solution.initial_cost(), 1, 1e-9);
  EXPECT_NEAR(run.solution.final_cost() / bal.solution.final_cost(), 1, 1e-6);
  const auto solution = parse_bundler("bundle.out", *read_file(out("bundle.out")));
  ASSERT_TRUE(solution) << solution.error().message();
  EXPECT_NEAR(reconstruction_of(solution->scene).cost() / run.solution.final_cost(), 1, 1e-9);
  EXPECT_EQ(solution->keys, bundler.keys);
}

// The energy agrees with the lenses in C++ at the start and at the solution, for every model.
TEST_F(SceneFileTest, AColmapModelIsSolvedAndWritten) {
  const ColmapModel model = model_of_all_lenses();
  ASSERT_TRUE(write_colmap(folder_.path() / "in", model));
  const auto run = solve(folder_.path() / "in", {{"loss", ""}});
  EXPECT_NEAR(run.solution.initial_cost() / reconstruction_of(model).cost(), 1, 1e-9);
  EXPECT_LT(run.solution.final_cost(), 0.8 * run.solution.initial_cost());
  const auto solution = read_colmap(out("model"));
  ASSERT_TRUE(solution) << solution.error().message();
  EXPECT_NEAR(reconstruction_of(*solution).cost() / run.solution.final_cost(), 1, 1e-6);
  EXPECT_EQ(solution->images[0].places, model.images[0].places);
  EXPECT_EQ(solution->cameras[4].params[2], 320) << "principal points are known";
  EXPECT_NE(solution->cameras[4].params[7], model.cameras[4].params[7]);
}

TEST_F(SceneFileTest, WhatIsFixedStays) {
  ColmapModel model = model_of_all_lenses();
  for (double& q : model.images[5].rotation) q = -q;  // the same rotation
  ASSERT_TRUE(write_colmap(folder_.path() / "in", model));
  solve(folder_.path() / "in", {{"fix", "intrinsics"}});
  auto solution = read_colmap(out("model"));
  EXPECT_EQ(solution->cameras[5].params, model.cameras[5].params);
  EXPECT_NE(solution->images[5].translation, model.images[5].translation);
  solve(folder_.path() / "in", {{"fix", "poses"}});
  solution = read_colmap(out("model"));
  EXPECT_NE(solution->cameras[5].params, model.cameras[5].params);
  EXPECT_EQ(solution->images[5].translation, model.images[5].translation);
  EXPECT_EQ(solution->images[5].rotation, model.images[5].rotation);
  solve(folder_.path() / "in", {{"fix", "both"}});
  solution = read_colmap(out("model"));
  EXPECT_EQ(solution->cameras[5].params, model.cameras[5].params);
  EXPECT_EQ(solution->images[5].translation, model.images[5].translation);
  EXPECT_NE(solution->points[5].position, model.points[5].position);
}

TEST_F(SceneFileTest, ASharedLensIsOne) {
  const auto file = folder_.path() / "scene.txt";
  ASSERT_TRUE(write_bal(file, small_scene()));
  const double free = solve(file).solution.final_cost();
  const auto run = solve(file, {{"share", "intrinsics"}});
  EXPECT_GT(run.solution.final_cost(), free);
  const auto solution = read_as<parse_bal>(out("scene.txt"));
  EXPECT_NEAR(reconstruction_of(*solution).cost() / run.solution.final_cost(), 1, 1e-9);
  for (const BalProblem::Camera& camera : solution->cameras)
    EXPECT_EQ(camera[6], solution->cameras[0][6]);
}

// Errors (3, 4) and (0, -1), of which huber(1) makes 2 * 5 - 1 and 1.
TEST_F(SceneFileTest, ALossIsOfTheErrorOfAnObservation) {
  BalProblem problem;
  problem.cameras = {{0, 0, 0, 0, 0, -1, 100, 0, 0}};
  problem.points = {{0, 0, 0}, {0.1, 0.2, 0}};
  problem.observations = {{0, 0, 3, 4}, {0, 1, 10, 19}};
  ASSERT_TRUE(write_bal(folder_.path() / "scene.txt", problem));
  for (const std::string fix : {"none", "intrinsics"}) {
    const auto run = solve(folder_.path() / "scene.txt", {{"loss", "huber:1"}, {"fix", fix}});
    EXPECT_NEAR(run.solution.initial_cost(), 0.5 * (9 + 1), 1e-9) << fix;
  }
}

// At the radius of the Earth, from where float sees no more than half a meter.
TEST_F(SceneFileTest, ASceneFarAwayIsSolvedAboutItsMiddle) {
  const BalProblem near = small_scene();
  Reconstruction moved = reconstruction_of(near);
  const Reconstruction::Point away = {-3.2e6, -4.1e6, -3.5e6};
  move_origin(moved, away);
  ASSERT_TRUE(write_bal(folder_.path() / "near.txt", near));
  ASSERT_TRUE(write_bal(folder_.path() / "far.txt", bal_of(moved)));
  const auto here = solve(folder_.path() / "near.txt");
  const auto there = solve(folder_.path() / "far.txt");
  EXPECT_NEAR(there.solution.initial_cost() / here.solution.initial_cost(), 1, 1e-4);
  EXPECT_NEAR(there.solution.final_cost() / here.solution.final_cost(), 1, 1e-4);
  const auto in_float =
      test::run_in_float("bundle_adjustment", {{"file", (folder_.path() / "far.txt").string()}});
  EXPECT_NEAR(in_float.solution.initial_cost() / here.solution.initial_cost(), 1, 1e-3);
  const auto solution = read_as<parse_bal>(out("scene.txt"));
  EXPECT_NEAR(solution->points[0][0], 3.2e6, 100);
  EXPECT_NEAR(reconstruction_of(*solution).cost() / there.solution.final_cost(), 1, 1e-2);
}

TEST(FarOrigin, IsThatOfGeoreferencedScenesAlone) {
  Reconstruction scene = reconstruction_of(small_scene());
  EXPECT_EQ(far_origin(scene), Reconstruction::Point{});
  const double before = scene.cost();
  move_origin(scene, {1000, 2000, 3000});
  EXPECT_NEAR(scene.cost() / before, 1, 1e-6);
  EXPECT_THAT(far_origin(scene), Pointwise(DoubleNear(30), {-1000.0, -2000.0, -3000.0}));
}

class SceneDoubts : public testing::Test {
 protected:
  SceneDoubts() {
    // Two cameras at the origin look along -z at three points.
    problem_.cameras = {{0, 0, 0, 0, 0, 0, 100, 0, 0}, {0, 0, 0, 0, 0, 0, 100, 0, 0}};
    problem_.points = {{0, 0, -1}, {0, 1, -5}, {1, 1, -9}};
    problem_.observations = {{0, 0, 0, 0}, {1, 0, 0, 0}, {0, 1, 0, 0}, {1, 2, 0, 0}};
  }
  std::vector<std::string> doubts() const {
    return doubts_of(reconstruction_of(problem_), SceneNames());
  }
  std::string fault() const {
    const auto checked = check_scene("a.txt", reconstruction_of(problem_), SceneNames());
    return checked ? "no fault" : checked.error().message();
  }

  BalProblem problem_;
};

TEST_F(SceneDoubts, AreNoneOfAGoodScene) {
  EXPECT_THAT(doubts(), IsEmpty());
  EXPECT_EQ(fault(), "no fault");
}

TEST_F(SceneDoubts, NameWhatNothingObserves) {
  problem_.cameras.push_back(problem_.cameras[0]);
  problem_.points.insert(problem_.points.end(), 2, {0, 0, -1});
  EXPECT_THAT(doubts(), ElementsAre(HasSubstr("no observation names camera 2"),
                                    HasSubstr("no observation names point 3 and 1 other")));
}

TEST_F(SceneDoubts, NameAPointBehindACamera) {
  problem_.points[1][2] = 5;
  EXPECT_THAT(doubts(), ElementsAre(HasSubstr("point 1 is behind camera 0")));
  // A camera of COLMAP looks the other way.
  Reconstruction scene = reconstruction_of(problem_);
  scene.looks_along_z = true;
  EXPECT_THAT(doubts_of(scene, SceneNames()),
              ElementsAre(HasSubstr("those of 2 other observations")));
}

TEST_F(SceneDoubts, CountPartsThatShareNoPoint) {
  problem_.observations[1] = {1, 2, 0, 0};
  EXPECT_THAT(doubts(), ElementsAre(HasSubstr("2 parts that share no point")));
}

TEST_F(SceneDoubts, NameTheLackOfObservations) {
  problem_.observations.clear();
  EXPECT_THAT(doubts(), ElementsAre(HasSubstr("has no observations")));
}

TEST_F(SceneDoubts, AreFaultsWhereNoCostIsFinite) {
  problem_.points[1][2] = 0;
  EXPECT_EQ(fault(),
            "a.txt: observation 2 of point 1 by camera 0: the point is in the plane of the camera, "
            "where no picture shows it");
}

}  // namespace
}  // namespace thallo::bundle_adjustment
