#include "core/base/io/raster.h"

#include <algorithm>
#include <cmath>

namespace thallo {

bool Raster::is_stack() const {
  return layers.size() > 1 && std::ranges::all_of(layers, [&](const Layer& layer) {
           return layer.has_shape_of(layers.front());
         });
}

std::vector<std::string> color_channels(int count) {
  switch (count) {
    case 1: return {"gray"};
    case 2: return {"gray", "alpha"};
    case 3: return {"r", "g", "b"};
    case 4: return {"r", "g", "b", "a"};
    default: break;
  }
  std::vector<std::string> numbers;
  for (int c = 0; c < count; ++c) numbers.push_back(std::to_string(c));
  return numbers;
}

Raster to_raster(Image image) {
  Layer layer;
  layer.width = image.width;
  layer.height = image.height;
  layer.channels = color_channels(image.channels);
  layer.samples = std::move(image.data);
  return Raster(std::move(layer));
}

Image to_image(const Layer& layer) {
  Image image(layer.width, layer.height, static_cast<int>(layer.channels.size()));
  for (std::size_t i = 0; i < image.data.size(); ++i) image.data[i] = layer.value(i);
  return image;
}

Expected<Image> to_image(const std::filesystem::path& name, const Expected<Raster>& raster) {
  if (!raster) return fail(raster.error());
  const Layer& layer = raster->layers.front();
  if (!layer.fault.empty()) return fail_at({name}, "{}", layer.fault);
  return to_image(layer);
}

void mix_inks(Layer& layer) {
  std::visit(
      [&]<class T>(std::vector<T>& samples) {
        const double full = layer.full_scale;
        for (std::size_t pixel = 0; 4 * pixel < samples.size(); ++pixel) {
          const T* inks = &samples[4 * pixel];
          for (std::size_t c = 0; c < 3; ++c) {
            const double light = (full - inks[c]) * (full - inks[3]) / full;
            samples[3 * pixel + c] = static_cast<T>(std::round(light));
          }
        }
        samples.resize(samples.size() / 4 * 3);
      },
      layer.samples);
  layer.channels = color_channels(3);
}

void orient(Layer& layer, int orientation) {
  if (orientation <= 1 || orientation > 8) return;
  const bool is_transposed = orientation >= 5;
  const bool flips_x = orientation == 2 || orientation == 3 || orientation >= 7;
  const bool flips_y = orientation == 3 || orientation == 4 || orientation == 6 || orientation == 7;
  const auto width = static_cast<std::size_t>(layer.width);
  const auto height = static_cast<std::size_t>(layer.height);
  if (is_transposed) std::swap(layer.width, layer.height);
  std::visit(
      [&]<class T>(std::vector<T>& samples) {
        std::vector<T> turned;
        turned.reserve(samples.size());
        const std::size_t channels = layer.channels.size();
        for (std::size_t row = 0; row < static_cast<std::size_t>(layer.height); ++row) {
          for (std::size_t column = 0; column < static_cast<std::size_t>(layer.width); ++column) {
            std::size_t x = is_transposed ? row : column;
            std::size_t y = is_transposed ? column : row;
            if (flips_x) x = width - 1 - x;
            if (flips_y) y = height - 1 - y;
            const auto pixel =
                samples.begin() + static_cast<std::ptrdiff_t>((y * width + x) * channels);
            turned.insert(turned.end(), pixel, pixel + static_cast<std::ptrdiff_t>(channels));
          }
        }
        samples = std::move(turned);
      },
      layer.samples);
}

}  // namespace thallo
