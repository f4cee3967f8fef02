// A picture in memory: the common currency of the image readers and writers.
//
// Pixels are floats, row-major from the top left, channels interleaved: pixel (x, y), channel c is
// data[(y * width + x) * channels + c]. Unsigned integers (of png, jpeg, pgm, ppm, tiff) are
// scaled so that 1 is the largest (255 or 65535); numbers (of pfm, tiff, exr, flo, imagedump) are
// taken as they are. Of several pages or parts it is the first. raster.h has what is stored.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string_view>
#include <vector>

#include "core/base/diagnostic.h"

namespace thallo {

struct Image {
  int width = 0;
  int height = 0;
  int channels = 1;
  std::vector<float> data;

  Image() = default;
  // All samples are zero.
  Image(int image_width, int image_height, int num_channels)
      : width(image_width),
        height(image_height),
        channels(num_channels),
        data(static_cast<std::size_t>(image_width) * static_cast<std::size_t>(image_height) *
             static_cast<std::size_t>(num_channels)) {}

  std::size_t index(int x, int y, int channel = 0) const {
    return (static_cast<std::size_t>(y) * static_cast<std::size_t>(width) +
            static_cast<std::size_t>(x)) *
               static_cast<std::size_t>(channels) +
           static_cast<std::size_t>(channel);
  }
  float& at(int x, int y, int channel = 0) { return data[index(x, y, channel)]; }
  float at(int x, int y, int channel = 0) const { return data[index(x, y, channel)]; }

  friend bool operator==(const Image&, const Image&) = default;
};

// The largest width and height that readers accept; a larger value means that the header is
// damaged.
inline constexpr int MaxImageExtent = 1 << 20;
// The largest product of width, height and channels that readers accept.
inline constexpr std::size_t MaxImageSamples = std::size_t{1} << 30;

// Fails if an extent is less than 1 or exceeds these limits.
Expected<void> check_extents(const std::filesystem::path& name, int width, int height,
                             int channels);

// Returns gray (0.299 R + 0.587 G + 0.114 B) for any number of channels; alpha is dropped.
Image to_gray(const Image& image);

// Returns samples clamped to [0, 1] and scaled to 0 ... full_scale, rounded. If that is more than
// 255, a sample has two bytes, the most significant one first.
std::vector<unsigned char> to_bytes(const Image& image, int full_scale = 255);

// Detects the format from the content: png, jpeg, pgm/ppm, pfm, tiff, exr, flo, imagedump.
Expected<Image> parse_image(const std::filesystem::path& name, std::string_view content);
Expected<Image> read_image(const std::filesystem::path& path);
// Chooses the format by name: .png, .jpg or .jpeg, .pgm or .ppm, .pfm, .tif or .tiff, .exr, .flo,
// .imagedump. If `full_scale` is more than 255, png, pgm and ppm have 16 bits.
Expected<void> write_image(const std::filesystem::path& path, const Image& image,
                           int full_scale = 255);

}  // namespace thallo
