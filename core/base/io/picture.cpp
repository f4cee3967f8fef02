#include "core/base/io/picture.h"

#include <algorithm>

#include "core/base/error.h"

namespace thallo {

Image to_rgb(const Image& image) {
  Image rgb(image.width, image.height, 3);
  const bool has_alpha = image.channels == 2 || image.channels == 4;
  for (int y = 0; y < image.height; ++y) {
    for (int x = 0; x < image.width; ++x) {
      const float alpha = has_alpha ? image.at(x, y, image.channels - 1) : 1.0f;
      for (int c = 0; c < 3; ++c) {
        const float value = image.at(x, y, image.channels >= 3 ? c : 0);
        rgb.at(x, y, c) = alpha * value + (1.0f - alpha);
      }
    }
  }
  return rgb;
}

Image side_by_side(std::span<const Image> pictures) {
  if (pictures.empty()) return {};
  int width = 0;
  for (const Image& picture : pictures) {
    THALLO_ASSERT_EQ(picture.height, pictures[0].height);
    THALLO_ASSERT_EQ(picture.channels, pictures[0].channels);
    width += picture.width;
  }
  Image row(width, pictures[0].height, pictures[0].channels);
  int left = 0;
  for (const Image& picture : pictures) {
    for (int y = 0; y < row.height; ++y) {
      const float* from = picture.data.data() + picture.index(0, y);
      std::copy_n(from, picture.index(picture.width, 0), row.data.data() + row.index(left, y));
    }
    left += picture.width;
  }
  return row;
}

}  // namespace thallo
