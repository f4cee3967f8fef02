// Judges and shows camera poses: how far they are from the reference, and what all frames look like
// when they are put together.
#pragma once

#include <span>

#include "core/base/io/image.h"
#include "core/base/io/mesh.h"
#include "problems/bundle_fusion/depth_video.h"

namespace thallo::bundle_fusion {

// Root mean squares over the frames but the first, which is held.
struct PoseError {
  double degrees;
  double millimeters;
};
PoseError compare_poses(std::span<const RigidMotion> poses, std::span<const RigidMotion> truth);

// The points of all frames as one cloud, in the space of the first; gray without colors.
Mesh fuse(const DepthVideo& video, std::span<const RigidMotion> poses);

// Two rows, before and after side by side. Above: all points, seen from behind the first camera.
// Below: a slice at its height, seen from above, one color for each frame, with the cameras and
// their reference (gray).
Image draw_fusion(const DepthVideo& video, std::span<const RigidMotion> before,
                  std::span<const RigidMotion> after);

}  // namespace thallo::bundle_fusion
