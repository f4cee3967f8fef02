// Reads recordings laid out like those of the 7-Scenes data set, in one folder:
//
//   frame-000000.depth.png   16 bits a pixel, millimeters; 0 and 65535 = none
//   frame-000000.pose.txt    4 x 4, from the camera's space to that of the world
//   frame-000000.color.jpg   or .png; may be absent
//   camera-intrinsics.txt    3 x 3: focal lengths and principal point, in pixels
#pragma once

#include <filesystem>

#include "core/base/diagnostic.h"
#include "problems/bundle_fusion/depth_video.h"

namespace thallo::bundle_fusion {

// The first `num_frames` (at least 2) frames in the order of their numbers, with poses relative to
// the first one. Fails if there are fewer, or one is damaged or of another size, or a pose is no
// rigid motion; the error names the file.
Expected<DepthVideo> read_depth_video(const std::filesystem::path& folder, int num_frames);

}  // namespace thallo::bundle_fusion
