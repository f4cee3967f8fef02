// The sequence of solves that finds a flow, coarse to fine. Each starts from the flow of the one
// before, and sees the pictures as its stage makes them.
//
//   published   two levels of blur at full size, three solves each; the weight of the pictures
//               rises in equal steps
//   robust      a pyramid of halved pictures, three solves a level; between them a median filter
//               takes outliers out of the flow
#pragma once

#include <vector>

#include "core/base/io/image.h"
#include "problems/optical_flow/flow_input.h"

namespace thallo::optical_flow {

enum class Method { Published, Robust };

struct Stage {
  int width, height;
  double sigma;  // of the blur at full size, pixels
  double fit_weight;
  bool filters_flow;  // takes the median of the flow it starts from
};

// `fit_weight` is that of the last stage.
std::vector<Stage> plan_stages(Method method, int width, int height, double fit_weight);

// What the energy compares: pictures of one channel, gray, or of three, gray and its derivatives;
// and the derivatives of the second picture's channels.
struct Features {
  Image first, second, second_dx, second_dy;
};
Features make_features(Method method, const FlowInput& input, const Stage& stage);

// The flow a stage starts from: that of the stage before, with pixels of the new size.
Image start_of(const Stage& stage, const Image& flow);

}  // namespace thallo::optical_flow
