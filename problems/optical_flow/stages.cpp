#include "problems/optical_flow/stages.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "problems/optical_flow/filters.h"

namespace thallo::optical_flow {
namespace {

constexpr int SolvesPerLevel = 3;

std::vector<Stage> plan_published(int width, int height, double fit_weight) {
  constexpr double Sigmas[] = {5, 1};
  constexpr double FirstPart = 0.2;  // the first stage's part of the last stage's weight
  constexpr int Last = 2 * SolvesPerLevel - 1;
  std::vector<Stage> stages;
  for (const double sigma : Sigmas) {
    for (int i = 0; i < SolvesPerLevel; ++i) {
      const double part = FirstPart + (1 - FirstPart) * static_cast<double>(stages.size()) / Last;
      stages.push_back({width, height, sigma, part * fit_weight, false});
    }
  }
  return stages;
}

std::vector<Stage> plan_robust(int width, int height, double fit_weight) {
  constexpr int SmallestExtent = 16;
  constexpr double FinestSigma = 0.6;  // takes the noise out
  int num_levels = 1;
  while (std::min(width, height) >> num_levels >= SmallestExtent) ++num_levels;
  std::vector<Stage> stages;
  for (int level = num_levels - 1; level >= 0; --level) {
    const double shrunk = std::exp2(level);
    for (int i = 0; i < SolvesPerLevel; ++i) {
      stages.push_back({std::max(1, static_cast<int>(std::lround(width / shrunk))),
                        std::max(1, static_cast<int>(std::lround(height / shrunk))),
                        FinestSigma * shrunk, fit_weight, i > 0});
    }
  }
  return stages;
}

// The gray values and their derivatives, which depend less on the light.
Image with_derivatives(const Image& gray) {
  constexpr float WeightOfChange = 1.5f;
  const Image dx = derivative_x(gray);
  const Image dy = derivative_y(gray);
  Image features(gray.width, gray.height, 3);
  for (std::size_t i = 0; i < gray.data.size(); ++i) {
    features.data[3 * i] = gray.data[i];
    features.data[3 * i + 1] = WeightOfChange * dx.data[i];
    features.data[3 * i + 2] = WeightOfChange * dy.data[i];
  }
  return features;
}

}  // namespace

std::vector<Stage> plan_stages(Method method, int width, int height, double fit_weight) {
  return method == Method::Published ? plan_published(width, height, fit_weight)
                                     : plan_robust(width, height, fit_weight);
}

Features make_features(Method method, const FlowInput& input, const Stage& stage) {
  const auto features_of = [&](const Image& picture) {
    const Image gray = resized(blurred(to_gray(picture), stage.sigma), stage.width, stage.height);
    return method == Method::Published ? gray : with_derivatives(gray);
  };
  Features features;
  features.first = features_of(input.first);
  features.second = features_of(input.second);
  features.second_dx = derivative_x(features.second);
  features.second_dy = derivative_y(features.second);
  return features;
}

Image start_of(const Stage& stage, const Image& flow) {
  Image start = stage.filters_flow ? median_filtered(flow) : flow;
  if (start.width == stage.width && start.height == stage.height) return start;
  const double across = static_cast<double>(stage.width) / start.width;
  const double down = static_cast<double>(stage.height) / start.height;
  start = resized(start, stage.width, stage.height);
  for (std::size_t i = 0; i < start.data.size(); i += 2) {
    start.data[i] *= static_cast<float>(across);
    start.data[i + 1] *= static_cast<float>(down);
  }
  return start;
}

}  // namespace thallo::optical_flow
