// Pictures, and flows as pictures of two channels, at other sizes and with details taken out.
// Outside of a picture is what its border is.
#pragma once

#include "core/base/io/image.h"

namespace thallo::optical_flow {

// Gaussian, sigma in pixels; 0 = as it is.
Image blurred(const Image& image, double sigma);

// Between pixels, bilinear; (0, 0) is the center of the first one.
float sampled(const Image& image, double x, double y, int channel);

// Centers of corners do not meet; the pictures' borders do.
Image resized(const Image& image, int width, int height);

// Per pixel: Sobel's operator, over 8.
Image derivative_x(const Image& image);
Image derivative_y(const Image& image);

// The median of every channel over 5 x 5 pixels.
Image median_filtered(const Image& image);

}  // namespace thallo::optical_flow
