// A small room of walls, a box and balls, filmed by a depth camera that swings through it: the
// input of bundle_fusion when no folder is given. The same options give the same video everywhere.
#pragma once

#include <cstdint>

#include "problems/bundle_fusion/depth_video.h"

namespace thallo::bundle_fusion {

struct RoomOptions {
  int frames = 11;
  int width = 80;         // pixels; the height is three quarters of it
  double noise = 0.0005;  // of depths, in meters at one meter; grows with the square of the depth
  std::uint64_t seed = 1;
};

DepthVideo make_room(const RoomOptions& options);

}  // namespace thallo::bundle_fusion
