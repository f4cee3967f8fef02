// What a reconstruction looks like: a colored mesh to turn around in a viewer, and a flat picture.
// Points are colored by the root mean square of their reprojection errors: blue is half a pixel or
// less, red five or more.
#pragma once

#include <vector>

#include "core/base/io/bal.h"
#include "core/base/io/image.h"
#include "core/base/io/ply.h"

namespace thallo::bundle_adjustment {

// The error of each point in pixels; 0 if no camera sees it.
std::vector<double> point_errors(const BalProblem& problem);

// All points as vertices, then five vertices and six triangles a camera: a pyramid that opens in
// its direction of view.
Mesh make_scene_mesh(const BalProblem& problem);

// The scene seen along its flattest direction (a walk along a street from above), cameras in black.
// Both problems are drawn in the view of the second, which may be the first after optimization,
// side by side.
Image draw_scenes(const BalProblem& before, const BalProblem& after);

}  // namespace thallo::bundle_adjustment
