// Filters for pictures, and for flows as pictures of two channels: blur, other sizes, derivatives,
// the median. Outside of a picture its border is repeated.
#pragma once

#include "core/base/io/image.h"

namespace thallo::optical_flow {

// Gaussian, sigma in pixels; 0 = as it is.
Image blurred(const Image& image, double sigma);

// Interpolates bilinearly between pixels; (0, 0) is the center of the first one.
float sampled(const Image& image, double x, double y, int channel);

// The borders of both pictures coincide, not the centers of their corner pixels.
Image resized(const Image& image, int width, int height);

// Differences per pixel, by Sobel's operator over 8.
Image derivative_x(const Image& image);
Image derivative_y(const Image& image);

// The median of every channel over 5 x 5 pixels.
Image median_filtered(const Image& image);

}  // namespace thallo::optical_flow
