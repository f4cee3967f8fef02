// Places of which people take many pictures, as generated scenes show them: where the cameras
// stand, what they look at, and the surface on which the points lie. All are about ten units in
// front of their cameras.
//
//   street   a car drives around a block, and comes back if there are 126 cameras or more; its
//            three cameras of one lens look left, right and ahead, at facades on both sides
//   dome     cameras of one lens on a hemisphere, around a thing on the ground
//   aerial   a survey looks down from strips that overlap, forward by 80 % and sideways by 60 %
//   venice   crowds in front of landmarks along a canal, each camera with a focal length of its
//            own; every twelfth camera stands far away and sees two landmarks
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "core/base/camera_model.h"
#include "core/base/random.h"

namespace thallo::bundle_adjustment {

enum class SceneKind { Walk, Street, Dome, Aerial, Venice };

// Half of the width and the height of every picture, pixels.
inline constexpr double HalfWidth = 700.0, HalfHeight = 525.0;
inline constexpr double FocalLength = 800.0;  // of a usual lens, pixels

// A place on the surface of a site: `u` and `v` are coordinates of one of its patches.
struct Spot {
  int patch = 0;
  double u = 0, v = 0;
};

struct SurfacePoint {
  bundler::Point3 place, normal;
};

struct Site {
  std::vector<BalProblem::Camera> cameras;
  std::vector<std::vector<Spot>> spots;  // that each camera looks at
  std::function<SurfacePoint(const Spot&)> surface;
  Spot spread;  // how far around its spots a camera's points lie, standard deviations
  bool has_one_lens = true;
};

// `kind` is no walk.
Site make_site(SceneKind kind, int num_cameras, Random& random);

// World z is up, unless `up` says otherwise. A camera's y points up in its picture and it looks
// along its -z. Focal length and distortion are 0.
BalProblem::Camera look_at(const bundler::Point3& center, const bundler::Point3& target,
                           const bundler::Point3& up = {0, 0, 1});

// Returns where the camera sees the point, if that is in its picture.
std::optional<bundler::Pixel> find_pixel(const BalProblem::Camera& camera,
                                         const bundler::Point3& point);

// How far a facade stands out at a place: windows are set back; `along` is the way along the wall.
double relief(double along, double height);

}  // namespace thallo::bundle_adjustment
