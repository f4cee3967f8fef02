#include "problems/bundle_adjustment/scene_checks.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <numeric>
#include <optional>

#include <fmt/format.h>

namespace thallo::bundle_adjustment {
namespace {

std::string name_of(std::string_view what, const std::vector<std::int64_t>& ids,
                    std::int32_t number) {
  return fmt::format("{} {}", what,
                     ids.empty() ? std::int64_t{number} : ids[static_cast<std::size_t>(number)]);
}

// Calls `look` with each observation.
template <class Look>
void for_each_observation(const Reconstruction& scene, const Look& look) {
  for (const LensGroup& group : scene.groups)
    for (const Observation& o : group.observations) look(o);
}

// "camera 4", "camera 4 and 2 others"
template <class Name>
std::string first_of(const std::vector<std::int32_t>& numbers, const Name& name) {
  if (numbers.size() == 1) return name(numbers.front());
  return fmt::format("{} and {} other{}", name(numbers.front()), numbers.size() - 1,
                     numbers.size() == 2 ? "" : "s");
}

std::vector<std::int32_t> not_seen(const std::vector<bool>& is_seen) {
  std::vector<std::int32_t> numbers;
  for (std::size_t i = 0; i < is_seen.size(); ++i)
    if (!is_seen[i]) numbers.push_back(static_cast<std::int32_t>(i));
  return numbers;
}

void add_unseen(const Reconstruction& scene, const SceneNames& names,
                std::vector<std::string>& doubts) {
  std::vector<bool> images(scene.poses.size()), points(scene.points.size());
  for_each_observation(scene, [&](const Observation& o) {
    images[static_cast<std::size_t>(o.image)] = true;
    points[static_cast<std::size_t>(o.point)] = true;
  });
  const auto blind = not_seen(images);
  const auto hidden = not_seen(points);
  const auto add = [&](const auto& numbers, const auto& name) {
    if (!numbers.empty())
      doubts.push_back(fmt::format("no observation names {}, which stay where they start",
                                   first_of(numbers, name)));
  };
  add(blind, [&](std::int32_t i) { return names.camera(i); });
  add(hidden, [&](std::int32_t i) { return names.point(i); });
}

double distance_ahead(const Reconstruction& scene, const bundler::Point3& in_camera) {
  return scene.looks_along_z ? in_camera[2] : -in_camera[2];
}

void add_behind(const Reconstruction& scene, const SceneNames& names,
                std::vector<std::string>& doubts) {
  std::size_t count = 0;
  std::optional<Observation> first;
  for_each_observation(scene, [&](const Observation& o) {
    if (distance_ahead(scene, scene.in_camera(o)) > 0) return;
    ++count;
    if (!first) first = o;
  });
  if (count == 0) return;
  doubts.push_back(fmt::format(
      "{} is behind {}, which sees it{}; such points rarely come back", names.point(first->point),
      names.camera(first->image),
      count > 1 ? fmt::format(", and so are those of {} other observations", count - 1) : ""));
}

// Cameras and points that observations connect are one part.
void add_parts(const Reconstruction& scene, const SceneNames& names,
               std::vector<std::string>& doubts) {
  std::vector<std::size_t> parent(scene.poses.size() + scene.points.size());
  std::iota(parent.begin(), parent.end(), std::size_t{0});
  const auto root_of = [&](std::size_t node) {
    while (parent[node] != node) node = parent[node] = parent[parent[node]];
    return node;
  };
  std::vector<bool> sees(scene.poses.size());
  for_each_observation(scene, [&](const Observation& o) {
    const auto image = static_cast<std::size_t>(o.image);
    const std::size_t a = root_of(image);
    const std::size_t b = root_of(scene.poses.size() + static_cast<std::size_t>(o.point));
    parent[std::max(a, b)] = std::min(a, b);
    sees[image] = true;
  });
  std::map<std::size_t, std::size_t> cameras;  // by the first camera of the part
  for (std::size_t i = 0; i < sees.size(); ++i)
    if (sees[i]) ++cameras[root_of(i)];
  if (cameras.size() < 2) return;
  const auto smallest =
      std::ranges::min_element(cameras, {}, [](const auto& part) { return part.second; });
  doubts.push_back(fmt::format(
      "the scene has {} parts that share no point; the smallest has {}{}. Nothing says how they "
      "lie "
      "to each other",
      cameras.size(), names.camera(static_cast<std::int32_t>(smallest->first)),
      smallest->second > 1 ? fmt::format(" and {} other cameras", smallest->second - 1) : ""));
}

}  // namespace

std::string SceneNames::camera(std::int32_t image) const {
  return name_of(image_ids.empty() ? "camera" : "image", image_ids, image);
}
std::string SceneNames::point(std::int32_t point) const {
  return name_of("point", point_ids, point);
}

SceneNames names_of(const SceneSource& source) {
  SceneNames names;
  const auto* model = std::get_if<ColmapModel>(&source);
  if (model == nullptr) return names;
  for (const auto& image : model->images) names.image_ids.push_back(image.id);
  for (const auto& point : model->points)
    names.point_ids.push_back(static_cast<std::int64_t>(point.id));
  return names;
}

Expected<void> check_scene(const std::filesystem::path& file, const Reconstruction& scene,
                           const SceneNames& names) {
  for (const LensGroup& group : scene.groups) {
    for (std::size_t i = 0; i < group.observations.size(); ++i) {
      const Observation& o = group.observations[i];
      const bundler::Point3 p = scene.in_camera(o);
      // As far as float can tell.
      if (std::abs(p[2]) > 1e-7 * std::hypot(p[0], p[1], p[2])) continue;
      return fail_at({file},
                     "observation {} of {} by {}: the point is in the plane of the camera, where "
                     "no picture shows it",
                     i, names.point(o.point), names.camera(o.image));
    }
  }
  return {};
}

std::vector<std::string> doubts_of(const Reconstruction& scene, const SceneNames& names) {
  if (scene.num_observations() == 0)
    return {"the scene has no observations, so that all stays where it starts"};
  std::vector<std::string> doubts;
  add_unseen(scene, names, doubts);
  add_behind(scene, names, doubts);
  add_parts(scene, names, doubts);
  return doubts;
}

}  // namespace thallo::bundle_adjustment
