// The camera of "bundle adjustment in the large" (Snavely's Bundler camera), evaluated on numbers.
// Energy texts write the same model symbolically; this one is for generated input, reports and
// tests. A camera is nine numbers: angle-axis rotation w, translation t, focal length f, radial
// distortion k1, k2. A world point X has the camera coordinates P = R(w) X + t; cameras look along
// -z, so p = -P.xy / P.z, and the image position is f (1 + k1 |p|² + k2 |p|⁴) p in pixels from the
// image center, y up.
#pragma once

#include <array>

#include "core/base/io/bal.h"
#include "core/base/rotation.h"

namespace thallo::bundler {

using Point3 = Vector3;
using Pixel = std::array<double, 2>;

Point3 camera_coordinates(const BalProblem::Camera& camera, const Point3& point);
Pixel project(const BalProblem::Camera& camera, const Point3& point);

// Returns -R(w)ᵀ t, the position of the camera in the world.
Point3 camera_center(const BalProblem::Camera& camera);

}  // namespace thallo::bundler
