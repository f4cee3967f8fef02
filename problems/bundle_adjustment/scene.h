// Generated scenes for bundle adjustment. Equal options, the seed among them, give equal scenes.
// Streets, domes, aerial surveys and venices are described in site.h and collection.h.
//
// A walk leads along a wall. The cameras stand on a ring (on an
// arc while they are few) around a round building and look at it, ten units from its wall; points
// lie on the wall, which has relief, and are seen by some of the cameras nearby. So the structure
// is that of a street-level image collection: every camera overlaps with its neighbors only, tracks
// have a long tail of lengths, and the ring closes.
//
// 1778 cameras, 994,000 points and a mean track of 5.03 observations give the size of BAL's Venice
// in a few seconds.
#pragma once

#include <cstdint>

#include "core/base/diagnostic.h"
#include "core/base/io/bal.h"
#include "problems/bundle_adjustment/site.h"

namespace thallo::bundle_adjustment {

struct SceneOptions {
  SceneKind kind = SceneKind::Walk;
  int num_cameras = 24;
  int num_points = 1500;
  double mean_track_length = 4.5;  // observations a point, at least 2
  std::uint64_t seed = 1;

  double pixel_noise = 0.5;  // standard deviation of the observations, pixels
  double outliers = 0;       // share of the observations anywhere in the picture, not of a walk
  // How far the start is from the truth, as standard deviations: cameras turn (radians) and move,
  // points move (units; the wall is 10 away), focal lengths change by a factor.
  double rotation_error = 0.01;
  double position_error = 0.1;
  double point_error = 0.2;
  double focal_error = 0.02;

  Expected<void> validate() const;
};

struct Scene {
  // Observations of the true scene plus noise and outliers, sorted by (camera, point); cameras and
  // points as the optimization finds them, off by the errors above and without distortion.
  BalProblem problem;
  std::vector<BalProblem::Camera> true_cameras;
  std::vector<BalProblem::Point> true_points;
};

Expected<Scene> generate_scene(const SceneOptions& options);

// Sorts by camera, and by point within a camera: the order in which the kernels read cameras and
// points coherently. Linear time.
void sort_observations(BalProblem& problem);

}  // namespace thallo::bundle_adjustment
