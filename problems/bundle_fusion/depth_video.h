// What bundle_fusion works on: frames of a depth camera with the poses they were taken from, as
// recorded (video_reader.h) or made (room.h), and the same at the size that dense alignment uses.
#pragma once

#include <array>
#include <vector>

#include "core/base/io/image.h"
#include "problems/bundle_fusion/rigid.h"

namespace thallo::bundle_fusion {

// The intrinsics of a camera that looks along z, with x to the right and y down, in pixels. The
// centers of pixels are whole numbers.
struct Intrinsics {
  std::array<double, 2> focal_length;
  std::array<double, 2> principal_point;

  Vector3 point(double x, double y, double depth) const;    // the point that a pixel shows
  std::array<double, 2> pixel(const Vector3& point) const;  // where a point is seen; point[2] > 0
};

struct DepthFrame {
  Image depth;       // meters along z; -infinity where there is none
  Image color;       // of the same view, RGB of any size; may be empty
  RigidMotion pose;  // from the camera's space to that of the first frame's camera
};

struct DepthVideo {
  Intrinsics camera;
  std::vector<DepthFrame> frames;  // not empty, of one size

  int width() const { return frames.front().depth.width; }
  int height() const { return frames.front().depth.height; }
  int num_frames() const { return static_cast<int>(frames.size()); }
};

// The video with `width` pixels in width; the height keeps the shape of a pixel. A depth is the
// median of the block of depths that it replaces, and missing if most of them are missing; a color
// is the mean of its block.
DepthVideo reduced(const DepthVideo& video, int width);

// For every pixel: the point in space it shows, and the surface's normal there, toward the camera,
// from the points left, right, above and below. Three channels, all -infinity where one is missing.
Image points_of(const DepthVideo& video, int frame);
Image normals_of(const Image& points);

// Bilinear, as SampledImageArray of the energy language reads a layer: texels outside or missing
// (-infinity) do not count; -infinity where none is left.
Vector3 sample(const Image& image, double x, double y);

}  // namespace thallo::bundle_fusion
