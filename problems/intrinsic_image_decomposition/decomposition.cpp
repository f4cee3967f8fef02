#include "problems/intrinsic_image_decomposition/decomposition.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "core/base/error.h"

namespace thallo::intrinsic_image_decomposition {
namespace {

constexpr double Black = 0.01;

}  // namespace

std::vector<double> to_logarithms(const Image& image) {
  std::vector<double> logarithms;
  logarithms.reserve(image.data.size());
  for (const float value : image.data) {
    logarithms.push_back(std::log2(std::max(static_cast<double>(value), 0.0) + Black));
  }
  return logarithms;
}

Image from_logarithms(const std::vector<double>& logarithms, int width, int height, int channels) {
  Image image(width, height, channels);
  THALLO_ASSERT_EQ(image.data.size(), logarithms.size());
  std::ranges::transform(logarithms, image.data.begin(),
                         [](double value) { return static_cast<float>(std::exp2(value)); });
  return image;
}

LogDecomposition split_by_intensity(const std::vector<double>& i) {
  LogDecomposition parts;
  for (std::size_t p = 0; p < i.size(); p += 3) {
    const double s = std::log2((std::exp2(i[p]) + std::exp2(i[p + 1]) + std::exp2(i[p + 2])) / 3);
    parts.s.push_back(s);
    parts.r.insert(parts.r.end(), {i[p] - s, i[p + 1] - s, i[p + 2] - s});
  }
  return parts;
}

Decomposition normalized(Decomposition parts) {
  std::vector<float> light = parts.shading.data;
  const std::size_t bright = light.size() - 1 - light.size() / 100;
  std::ranges::nth_element(light, light.begin() + static_cast<std::ptrdiff_t>(bright));
  const float scale = light[bright];
  if (!(scale > 0)) return parts;
  for (float& value : parts.shading.data) value /= scale;
  for (float& value : parts.albedo.data) value *= scale;
  return parts;
}

Image product(const Decomposition& parts) {
  Image picture = parts.albedo;
  for (std::size_t k = 0; k < picture.data.size(); ++k) {
    picture.data[k] = picture.data[k] * parts.shading.data[k / 3] - static_cast<float>(Black);
  }
  return picture;
}

double rms_difference(const Image& a, const Image& b) {
  THALLO_ASSERT_EQ(a.data.size(), b.data.size());
  double sum = 0;
  for (std::size_t k = 0; k < a.data.size(); ++k) {
    sum += std::pow(static_cast<double>(a.data[k]) - static_cast<double>(b.data[k]), 2);
  }
  return std::sqrt(sum / static_cast<double>(a.data.size()));
}

double shading_error(const Image& shading, const Image& truth) {
  THALLO_ASSERT_EQ(shading.data.size(), truth.data.size());
  double sum = 0, squares = 0;
  for (std::size_t k = 0; k < truth.data.size(); ++k) {
    const double difference = std::log2(static_cast<double>(shading.data[k])) -
                              std::log2(static_cast<double>(truth.data[k]));
    sum += difference;
    squares += difference * difference;
  }
  const auto count = static_cast<double>(truth.data.size());
  return std::sqrt(std::max(0.0, squares / count - std::pow(sum / count, 2)));
}

}  // namespace thallo::intrinsic_image_decomposition
