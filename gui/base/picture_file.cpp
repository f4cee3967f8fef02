#include "gui/base/picture_file.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace thallo::gui {
namespace {

struct Range {
  float least = 0, largest = 1;

  int byteOf(float value) const {
    const float share = (value - least) / (largest - least);
    return std::isfinite(share) ? static_cast<int>(std::lround(255 * std::clamp(share, 0.f, 1.f)))
                                : 0;
  }
};

// The range over the channels that are shown.
Range rangeOf(const Image& image, int numShown) {
  Range range;
  bool isColor = true;
  float least = INFINITY, largest = -INFINITY;
  for (std::size_t i = 0; i < image.data.size(); ++i) {
    const float value = image.data[i];
    if (static_cast<int>(i % static_cast<std::size_t>(image.channels)) >= numShown ||
        !std::isfinite(value))
      continue;
    isColor = isColor && value >= 0 && value <= 1;
    least = std::min(least, value);
    largest = std::max(largest, value);
  }
  if (!isColor) range = {least, largest > least ? largest : least + 1};
  return range;
}

}  // namespace

QImage toQImage(const Image& image) {
  const bool isColored = image.channels == 3 || image.channels == 4;
  const Range range = rangeOf(image, isColored ? 3 : 1);
  QImage picture(image.width, image.height, QImage::Format_RGB32);
  for (int y = 0; y < image.height; ++y) {
    auto* line = reinterpret_cast<QRgb*>(picture.scanLine(y));
    for (int x = 0; x < image.width; ++x) {
      std::array<int, 3> color{};
      for (int c = 0; c < 3; ++c)
        color[static_cast<std::size_t>(c)] = range.byteOf(image.at(x, y, isColored ? c : 0));
      line[x] = qRgb(color[0], color[1], color[2]);
    }
  }
  return picture;
}

QPixmap pictureOf(const QString& file) {
  if (file.isEmpty()) return {};
  if (QPixmap known(file); !known.isNull()) return known;
  const auto image = read_image(file.toStdString());
  return image ? QPixmap::fromImage(toQImage(*image)) : QPixmap();
}

}  // namespace thallo::gui
