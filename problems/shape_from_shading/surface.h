// The surface that a depth map shows: points, normals, the light on it, pictures and a mesh.
#pragma once

#include "core/base/io/image.h"
#include "core/base/io/ply.h"
#include "core/base/vector3.h"
#include "problems/shape_from_shading/depth_input.h"

namespace thallo::shape_from_shading {

Vector3 point_at(const Camera& camera, const Image& depth, int x, int y);
// The unit normal toward the camera, from the pixel and its left and upper neighbors, whose depths
// must be there.
Vector3 normal_at(const Camera& camera, const Image& depth, int x, int y);
// The brightness of a surface with this normal.
double reflected(const Light& light, const Vector3& normal);

// The root mean square, over the pixels that compare with a neighbor, of how far the change of the
// reflected light is from that of the brightness.
double shading_error(const DepthInput& input, const Image& depth);

struct SurfaceError {
  double depth_mm = 0;         // root mean square
  double normals_degrees = 0;  // mean angle
};
// The errors over the pixels with a normal.
SurfaceError compare_surfaces(const DepthInput& input, const Image& depth, const Image& truth);

// The surface seen from the camera, gray, lit from the upper left; white where there is no depth.
Image render_surface(const DepthInput& input, const Image& depth);

// A ball in this light, seen from the camera, on white: its darkest place is nearly black, its
// brightest nearly white.
Image render_ball(const Light& light);

// The points (x right, y up, z toward the viewer, in meters), and two triangles for four neighbors.
Mesh make_mesh(const DepthInput& input, const Image& depth);

}  // namespace thallo::shape_from_shading
