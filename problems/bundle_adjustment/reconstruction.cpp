#include "problems/bundle_adjustment/reconstruction.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <system_error>
#include <unordered_map>
#include <utility>

#include "core/base/io/file.h"
#include "problems/bundle_adjustment/scene.h"

namespace thallo::bundle_adjustment {
namespace {

using bundler::Point3;

std::size_t size_of(const LensGroup& group) { return info_of(group.model).size(); }

Point3 rotation_of(const Reconstruction::Pose& pose) { return {pose[0], pose[1], pose[2]}; }

// The place of each camera's lens, in the order of the cameras. Cameras of models in `used` alone.
std::unordered_map<std::uint32_t, Reconstruction::LensOfImage> places_of_lenses(
    const ColmapModel& model, std::vector<LensGroup>& groups) {
  std::unordered_map<std::uint32_t, LensModel> model_of;
  for (const auto& camera : model.cameras) model_of[camera.id] = camera.lens;
  std::vector<LensModel> used;
  for (const auto& image : model.images) used.push_back(model_of.at(image.camera));
  for (const LensModelInfo& info : lens_models())
    if (std::ranges::find(used, info.model) != used.end()) groups.push_back({.model = info.model});

  std::unordered_map<std::uint32_t, Reconstruction::LensOfImage> places;
  for (const auto& camera : model.cameras) {
    const auto group = std::ranges::find(groups, camera.lens, &LensGroup::model);
    if (group == groups.end()) continue;
    places[camera.id] = {static_cast<std::int32_t>(group - groups.begin()),
                         static_cast<std::int32_t>(group->lenses.size() / size_of(*group))};
    const auto focal = static_cast<std::ptrdiff_t>(info_of(camera.lens).num_focal_lengths);
    group->lenses.insert(group->lenses.end(), camera.params.begin(), camera.params.begin() + focal);
    group->lenses.insert(group->lenses.end(), camera.params.begin() + focal + 2,
                         camera.params.end());
  }
  return places;
}

}  // namespace

std::size_t Reconstruction::num_observations() const {
  std::size_t count = 0;
  for (const LensGroup& group : groups) count += group.observations.size();
  return count;
}

std::span<const double> Reconstruction::lens(std::int32_t image) const {
  const LensOfImage place = lens_of[static_cast<std::size_t>(image)];
  const LensGroup& group = groups[static_cast<std::size_t>(place.group)];
  const std::size_t size = size_of(group);
  return std::span(group.lenses).subspan(size * static_cast<std::size_t>(place.lens), size);
}

Point3 Reconstruction::in_camera(const Observation& o) const {
  const Pose& pose = poses[static_cast<std::size_t>(o.image)];
  return rotate(rotation_of(pose), points[static_cast<std::size_t>(o.point)]) +
         Point3{pose[3], pose[4], pose[5]};
}

std::array<double, 2> Reconstruction::error(const Observation& o) const {
  const Point3 p = in_camera(o);
  const double ahead = looks_along_z ? p[2] : -p[2];
  const LensOfImage place = lens_of[static_cast<std::size_t>(o.image)];
  const LensModel model = groups[static_cast<std::size_t>(place.group)].model;
  const auto seen = project(model, lens(o.image), {p[0] / ahead, p[1] / ahead});
  return {seen[0] - o.x, seen[1] - o.y};
}

double Reconstruction::cost() const {
  double sum = 0;
  for (const LensGroup& group : groups) {
    for (const Observation& o : group.observations) {
      const auto [x, y] = error(o);
      sum += x * x + y * y;
    }
  }
  return 0.5 * sum;
}

Reconstruction reconstruction_of(const BalProblem& problem) {
  Reconstruction scene;
  scene.points = problem.points;
  LensGroup& group = scene.groups.emplace_back();
  for (const BalProblem::Camera& c : problem.cameras) {
    scene.lens_of.push_back({0, static_cast<std::int32_t>(scene.poses.size())});
    scene.poses.push_back({c[0], c[1], c[2], c[3], c[4], c[5]});
    group.lenses.insert(group.lenses.end(), c.begin() + 6, c.end());
  }
  group.observations.reserve(problem.observations.size());
  for (const BalObservation& o : problem.observations)
    group.observations.push_back({o.camera, o.point, o.x, o.y});
  return scene;
}

std::vector<BalProblem::Camera> cameras_of(const Reconstruction& scene) {
  std::vector<BalProblem::Camera> cameras(scene.poses.size());
  for (std::size_t i = 0; i < cameras.size(); ++i) {
    const auto lens = scene.lens(static_cast<std::int32_t>(i));
    std::ranges::copy(lens, std::ranges::copy(scene.poses[i], cameras[i].begin()).out);
  }
  return cameras;
}

BalProblem bal_of(const Reconstruction& scene) {
  BalProblem problem{cameras_of(scene), scene.points, {}};
  for (const LensGroup& group : scene.groups)
    for (const Observation& o : group.observations)
      problem.observations.push_back({o.image, o.point, o.x, o.y});
  return problem;
}

Reconstruction reconstruction_of(const ColmapModel& model) {
  Reconstruction scene{.looks_along_z = true};
  const auto places = places_of_lenses(model, scene.groups);
  std::unordered_map<std::uint32_t, std::array<double, 2>> centers;
  for (const auto& camera : model.cameras) {
    const std::size_t focal = info_of(camera.lens).num_focal_lengths;
    centers[camera.id] = {camera.params[focal], camera.params[focal + 1]};
  }
  std::unordered_map<std::int64_t, std::int32_t> point_of;
  for (const auto& point : model.points) {
    point_of[static_cast<std::int64_t>(point.id)] = static_cast<std::int32_t>(scene.points.size());
    scene.points.push_back(point.position);
  }
  for (const auto& image : model.images) {
    const auto number = static_cast<std::int32_t>(scene.poses.size());
    const Point3 w = rotation_vector(image.rotation);
    const auto& t = image.translation;
    scene.poses.push_back({w[0], w[1], w[2], t[0], t[1], t[2]});
    scene.lens_of.push_back(places.at(image.camera));
    const auto& center = centers.at(image.camera);
    auto& observations =
        scene.groups[static_cast<std::size_t>(scene.lens_of.back().group)].observations;
    const auto first = static_cast<std::ptrdiff_t>(observations.size());
    for (std::size_t k = 0; k < image.places.size(); ++k) {
      if (image.points[k] == -1) continue;
      observations.push_back({number, point_of.at(image.points[k]), image.places[k][0] - center[0],
                              image.places[k][1] - center[1]});
    }
    std::ranges::sort(observations.begin() + first, observations.end(), {}, &Observation::point);
  }
  return scene;
}

ColmapModel with_scene(ColmapModel model, const Reconstruction& scene) {
  for (std::size_t i = 0; i < model.images.size(); ++i) {
    const Reconstruction::Pose& pose = scene.poses[i];
    // An image that was not turned keeps its quaternion to the sign.
    if (rotation_vector(model.images[i].rotation) != rotation_of(pose))
      model.images[i].rotation = quaternion_of(rotation_of(pose));
    model.images[i].translation = {pose[3], pose[4], pose[5]};
    const auto camera =
        std::ranges::find(model.cameras, model.images[i].camera, &ColmapModel::Camera::id);
    const auto lens = scene.lens(static_cast<std::int32_t>(i));
    const std::size_t focal = info_of(camera->lens).num_focal_lengths;
    std::ranges::copy(lens.first(focal), camera->params.begin());
    std::ranges::copy(lens.subspan(focal),
                      camera->params.begin() + static_cast<std::ptrdiff_t>(focal) + 2);
  }
  for (std::size_t i = 0; i < model.points.size(); ++i) model.points[i].position = scene.points[i];
  return model;
}

BundlerFile with_scene(BundlerFile file, const Reconstruction& scene) {
  file.scene.cameras = cameras_of(scene);
  file.scene.points = scene.points;
  return file;
}

void share_lenses(Reconstruction& scene) {
  for (LensGroup& group : scene.groups) {
    const std::size_t size = size_of(group);
    std::vector<double> mean(size, 0.0);
    for (std::size_t i = 0; i < group.lenses.size(); ++i)
      mean[i % size] +=
          group.lenses[i] * static_cast<double>(size) / static_cast<double>(group.lenses.size());
    group.lenses = std::move(mean);
  }
  for (auto& place : scene.lens_of) place.lens = 0;
}

void move_origin(Reconstruction& scene, const Point3& shift) {
  for (Point3& point : scene.points) point = point - shift;
  for (Reconstruction::Pose& pose : scene.poses) {
    const Point3 turned = rotate(rotation_of(pose), shift);
    for (std::size_t k = 0; k < 3; ++k) pose[3 + k] += turned[k];
  }
}

Point3 far_origin(const Reconstruction& scene) {
  constexpr double Far = 10;  // spreads of the points
  const double count = std::max<double>(1, static_cast<double>(scene.points.size()));
  Point3 middle{};
  for (const Point3& point : scene.points) middle = middle + 1 / count * point;
  double spread = 0;
  for (const Point3& point : scene.points) {
    const Point3 off = point - middle;
    spread += dot(off, off) / count;
  }
  const double distance = length(middle);
  return spread > 0 && distance > Far * std::sqrt(spread) ? middle : Point3{};
}

Expected<SceneFile> read_scene(const std::filesystem::path& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) {
    THALLO_TRY(auto model, read_colmap(path));
    Reconstruction scene = reconstruction_of(model);
    return SceneFile{std::move(scene), std::move(model)};
  }
  THALLO_TRY(const auto content, read_file(path));
  if (is_bundler(content)) {
    THALLO_TRY(auto file, parse_bundler(path, content));
    BalProblem sorted = file.scene;
    sort_observations(sorted);
    return SceneFile{reconstruction_of(sorted), std::move(file)};
  }
  THALLO_TRY(auto problem, parse_bal(path, content));
  sort_observations(problem);
  return SceneFile{reconstruction_of(problem), {}};
}

Expected<std::vector<LensModel>> lens_models_of(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::is_directory(path, error)) return std::vector{LensModel::Bundler};
  THALLO_TRY(const auto model, read_colmap(path));
  std::vector<LensGroup> groups;
  places_of_lenses(model, groups);
  std::vector<LensModel> models;
  for (const LensGroup& group : groups) models.push_back(group.model);
  return models;
}

}  // namespace thallo::bundle_adjustment
