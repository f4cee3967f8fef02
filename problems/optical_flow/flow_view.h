// Judges and shows flows. A flow is a picture of two channels, right and down, in pixels.
#pragma once

#include "core/base/io/image.h"

namespace thallo::optical_flow {

// The coding of the Middlebury benchmark: the direction is the hue, the length the saturation; a
// length of `longest` is fully saturated, longer ones are dark. Unknown flow is black.
Image color_coded(const Image& flow, double longest);

// The length of the longest known motion; 1 if nothing moves.
double longest_motion(const Image& flow);

struct FlowError {
  double endpoint = 0;      // mean distance between the ends, pixels
  double angle = 0;         // mean angle between (u, v, 1) and the truth, degrees
  double over_a_pixel = 0;  // fraction of the pixels with an endpoint error above 1
};
// The errors over the pixels where the truth is known.
FlowError compare_flows(const Image& flow, const Image& truth);
// The endpoint error, white at `largest` pixels, black where the truth is unknown.
Image error_picture(const Image& flow, const Image& truth, double largest);

// The second picture, brought back along the flow: the first one where the flow is right.
Image brought_back(const Image& second, const Image& flow);

}  // namespace thallo::optical_flow
