// A picture as its file stores it: named channels of samples, in one layer or in several. image.h
// has pictures for processing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/base/diagnostic.h"
#include "core/base/io/image.h"

namespace thallo {

using Samples =
    std::variant<std::vector<std::uint8_t>, std::vector<std::uint16_t>, std::vector<std::int32_t>,
                 std::vector<std::uint32_t>, std::vector<float>, std::vector<double>>;

// One of the pictures in a file: a page of a TIFF, a part of an EXR.
struct Layer {
  std::string name;  // "page0", or the name of the part; may be empty if the file has one picture
  int width = 0;
  int height = 0;
  std::vector<std::string> channels;  // "r", "gray", "Z"
  // Row-major from the top left, channels interleaved.
  Samples samples;
  // The sample that stands for 1: 2^bits - 1 for unsigned integers, 1 for numbers that are taken as
  // they are.
  double full_scale = 1;
  std::string fault;  // says why the layer cannot be read; it has no samples then

  // Returns a sample in the units of Image.
  float value(std::size_t i) const {
    return std::visit(
        [&](const auto& all) {
          return static_cast<float>(static_cast<double>(all[i]) / full_scale);
        },
        samples);
  }
  // True if this layer could be a page of the same stack as the other one.
  bool has_shape_of(const Layer& other) const {
    return width == other.width && height == other.height && channels == other.channels &&
           full_scale == other.full_scale;
  }
};

struct Raster {
  Raster() = default;
  explicit Raster(Layer only) { layers.push_back(std::move(only)); }

  std::vector<Layer> layers;  // at least one
  // The number of each pixel's color in the palette; it has no channels if there is no palette.
  Layer index;

  // True if there are several layers, and all have the same extents, channels and full_scale.
  bool is_stack() const;
};

// Names the channels of a picture of the common kinds: gray, gray alpha, r g b, r g b a. Other
// numbers of channels get numbers as names.
std::vector<std::string> color_channels(int count);

Raster to_raster(Image image);
Image to_image(const Layer& layer);
// Returns the first layer; fails if it cannot be read.
Expected<Image> to_image(const std::filesystem::path& name, const Expected<Raster>& raster);

// Replaces the four inks of each pixel (full_scale is the most of one) by r, g, b. The samples must
// be unsigned integers.
void mix_inks(Layer& layer);

// Turns and mirrors a layer as the tag Orientation of TIFF and EXIF says: 1 leaves it as it is, 6
// turns it by 90 degrees clockwise.
void orient(Layer& layer, int orientation);

}  // namespace thallo
