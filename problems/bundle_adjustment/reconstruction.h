// Cameras, points and observations, whatever file they come from, and the way back into it.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <span>
#include <variant>
#include <vector>

#include "core/base/camera_model.h"
#include "core/base/diagnostic.h"
#include "core/base/io/bal.h"
#include "core/base/io/bundler.h"
#include "core/base/io/colmap.h"
#include "core/base/lens_model.h"

namespace thallo::bundle_adjustment {

struct Observation {
  std::int32_t image = 0, point = 0;
  double x = 0, y = 0;  // pixels from the principal point
};

// The lenses of one model, and what is seen through them.
struct LensGroup {
  LensModel model = LensModel::Bundler;
  std::vector<double> lenses;             // info_of(model).size() numbers each
  std::vector<Observation> observations;  // sorted by image, then by point
};

struct Reconstruction {
  using Pose = std::array<double, 6>;  // rotation (axis times angle), translation; world to camera
  using Point = bundler::Point3;
  struct LensOfImage {
    std::int32_t group = 0, lens = 0;
  };

  // COLMAP's cameras look along z, with y down; those of BAL and Bundler along -z, with y up.
  bool looks_along_z = false;
  std::vector<Pose> poses;
  std::vector<LensOfImage> lens_of;  // by image
  std::vector<Point> points;
  std::vector<LensGroup> groups;

  std::size_t num_observations() const;
  std::span<const double> lens(std::int32_t image) const;
  Point in_camera(const Observation& o) const;
  // Where the point of an observation is seen, less where it was observed.
  std::array<double, 2> error(const Observation& o) const;
  // ½ Σ |error|², in pixels².
  double cost() const;
};

Reconstruction reconstruction_of(const BalProblem& problem);
// The principal points are taken off the observations. Models that no image has make no group.
Reconstruction reconstruction_of(const ColmapModel& model);
BalProblem bal_of(const Reconstruction& scene);
std::vector<BalProblem::Camera> cameras_of(const Reconstruction& scene);

// All images whose lenses have one model get one lens, their mean.
void share_lenses(Reconstruction& scene);

// Moves the world's origin by `shift`: what was there is at 0 afterwards. Nothing that is observed
// changes.
void move_origin(Reconstruction& scene, const Reconstruction::Point& shift);
// The middle of the points where it is so far away that rounding to float, or adding a translation
// as large, costs digits; else 0.
Reconstruction::Point far_origin(const Reconstruction& scene);

// What a scene was read from, to be written with other cameras and points. BAL files need nothing
// but these.
using SceneSource = std::variant<std::monostate, BundlerFile, ColmapModel>;

struct SceneFile {
  Reconstruction scene;
  SceneSource source;
};
// A BAL or Bundler file, or the folder of a model of COLMAP.
Expected<SceneFile> read_scene(const std::filesystem::path& path);
// The models of the lenses in a file, by their order in Reconstruction::groups.
Expected<std::vector<LensModel>> lens_models_of(const std::filesystem::path& path);

// What was read, with the cameras and points of the scene.
ColmapModel with_scene(ColmapModel model, const Reconstruction& scene);
BundlerFile with_scene(BundlerFile file, const Reconstruction& scene);

}  // namespace thallo::bundle_adjustment
