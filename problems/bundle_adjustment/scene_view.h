// What a reconstruction looks like: a colored mesh to turn around in a viewer, and a flat picture.
// Points are colored by the root mean square of their reprojection errors: blue is half a pixel or
// less, red five or more.
#pragma once

#include <vector>

#include "core/base/io/image.h"
#include "core/base/io/ply.h"
#include "problems/bundle_adjustment/reconstruction.h"

namespace thallo::bundle_adjustment {

// The error of each point in pixels; 0 if no camera sees it.
std::vector<double> point_errors(const Reconstruction& scene);

// All points as vertices, then five vertices and six triangles a camera: a pyramid that opens in
// its direction of view.
Mesh make_scene_mesh(const Reconstruction& scene);

// The scene seen along its flattest direction (a walk along a street from above), cameras in black.
// Both scenes are drawn in the view of the second, which may be the first after optimization,
// side by side.
Image draw_scenes(const Reconstruction& before, const Reconstruction& after);

}  // namespace thallo::bundle_adjustment
