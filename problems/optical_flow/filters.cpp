#include "problems/optical_flow/filters.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

namespace thallo::optical_flow {
namespace {

// The sum of taps times the pixels at (x + (k - reach) dx, y + (k - reach) dy).
Image convolved(const Image& image, std::span<const float> taps, int dx, int dy) {
  const int reach = static_cast<int>(taps.size() / 2);
  Image result(image.width, image.height, image.channels);
  for (int y = 0; y < image.height; ++y) {
    for (int x = 0; x < image.width; ++x) {
      for (int k = -reach; k <= reach; ++k) {
        const int u = std::clamp(x + k * dx, 0, image.width - 1);
        const int v = std::clamp(y + k * dy, 0, image.height - 1);
        const float tap = taps[static_cast<std::size_t>(k + reach)];
        for (int c = 0; c < image.channels; ++c) result.at(x, y, c) += tap * image.at(u, v, c);
      }
    }
  }
  return result;
}

constexpr float Smoothing[] = {0.25f, 0.5f, 0.25f};
constexpr float Difference[] = {-0.5f, 0.0f, 0.5f};

}  // namespace

Image blurred(const Image& image, double sigma) {
  if (sigma <= 0) return image;
  const int reach = static_cast<int>(std::ceil(3 * sigma));
  std::vector<float> taps;
  double sum = 0;
  for (int k = -reach; k <= reach; ++k) sum += std::exp(-k * k / (2 * sigma * sigma));
  for (int k = -reach; k <= reach; ++k) {
    taps.push_back(static_cast<float>(std::exp(-k * k / (2 * sigma * sigma)) / sum));
  }
  return convolved(convolved(image, taps, 1, 0), taps, 0, 1);
}

float sampled(const Image& image, double x, double y, int channel) {
  x = std::clamp(x, 0.0, image.width - 1.0);
  y = std::clamp(y, 0.0, image.height - 1.0);
  const int left = std::min(static_cast<int>(x), std::max(0, image.width - 2));
  const int top = std::min(static_cast<int>(y), std::max(0, image.height - 2));
  const int right = std::min(left + 1, image.width - 1);
  const int bottom = std::min(top + 1, image.height - 1);
  const auto s = static_cast<float>(x - left);
  const auto t = static_cast<float>(y - top);
  const float above = (1 - s) * image.at(left, top, channel) + s * image.at(right, top, channel);
  const float below =
      (1 - s) * image.at(left, bottom, channel) + s * image.at(right, bottom, channel);
  return (1 - t) * above + t * below;
}

Image resized(const Image& image, int width, int height) {
  Image result(width, height, image.channels);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const double u = (x + 0.5) * image.width / width - 0.5;
      const double v = (y + 0.5) * image.height / height - 0.5;
      for (int c = 0; c < image.channels; ++c) result.at(x, y, c) = sampled(image, u, v, c);
    }
  }
  return result;
}

Image derivative_x(const Image& image) {
  return convolved(convolved(image, Smoothing, 0, 1), Difference, 1, 0);
}

Image derivative_y(const Image& image) {
  return convolved(convolved(image, Smoothing, 1, 0), Difference, 0, 1);
}

Image median_filtered(const Image& image) {
  constexpr int Reach = 2;
  std::array<float, (2 * Reach + 1) * (2 * Reach + 1)> window{};
  Image result(image.width, image.height, image.channels);
  for (int y = 0; y < image.height; ++y) {
    for (int x = 0; x < image.width; ++x) {
      for (int c = 0; c < image.channels; ++c) {
        auto next = window.begin();
        for (int v = y - Reach; v <= y + Reach; ++v) {
          for (int u = x - Reach; u <= x + Reach; ++u) {
            *next++ =
                image.at(std::clamp(u, 0, image.width - 1), std::clamp(v, 0, image.height - 1), c);
          }
        }
        const auto middle = window.begin() + window.size() / 2;
        std::nth_element(window.begin(), middle, window.end());
        result.at(x, y, c) = *middle;
      }
    }
  }
  return result;
}

}  // namespace thallo::optical_flow
