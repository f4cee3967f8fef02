#include "core/base/io/image.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "core/base/io/exr.h"
#include "core/base/io/file.h"
#include "core/base/io/flo.h"
#include "core/base/io/imagedump.h"
#include "core/base/io/jpeg.h"
#include "core/base/io/pfm.h"
#include "core/base/io/png.h"
#include "core/base/io/pnm.h"
#include "core/base/io/tiff.h"

namespace thallo {

Image to_gray(const Image& image) {
  Image gray(image.width, image.height, 1);
  for (std::size_t i = 0; i < gray.data.size(); ++i) {
    const float* pixel = image.data.data() + i * static_cast<std::size_t>(image.channels);
    gray.data[i] =
        image.channels < 3 ? pixel[0] : 0.299f * pixel[0] + 0.587f * pixel[1] + 0.114f * pixel[2];
  }
  return gray;
}

std::vector<unsigned char> to_bytes(const Image& image, int full_scale) {
  std::vector<unsigned char> bytes;
  bytes.reserve(image.data.size() * (full_scale > 255 ? 2 : 1));
  for (const float value : image.data) {
    // Written so that NaN becomes 0.
    const float clamped = value > 0.0f ? std::min(value, 1.0f) : 0.0f;
    const long sample = std::lround(clamped * static_cast<float>(full_scale));
    if (full_scale > 255) bytes.push_back(static_cast<unsigned char>(sample >> 8));
    bytes.push_back(static_cast<unsigned char>(sample & 0xff));
  }
  return bytes;
}

Expected<void> check_extents(const std::filesystem::path& name, int width, int height,
                             int channels) {
  if (width < 1 || height < 1 || width > MaxImageExtent || height > MaxImageExtent) {
    return fail_at({name}, "the image is {} x {}, but extents must be 1 to {}", width, height,
                   MaxImageExtent);
  }
  if (static_cast<std::size_t>(width) * static_cast<std::size_t>(height) >
      MaxImageSamples / static_cast<std::size_t>(std::max(channels, 1))) {
    return fail_at({name},
                   "{} x {} pixels of {} channels are more than the {} samples that can be "
                   "read",
                   width, height, channels, MaxImageSamples);
  }
  return {};
}

Expected<Image> parse_image(const std::filesystem::path& name, std::string_view content) {
  if (is_png(content)) return to_image(name, parse_png(name, content));
  if (is_jpeg(content)) return to_image(name, parse_jpeg(name, content));
  if (is_tiff(content)) return to_image(name, parse_tiff(name, content));
  if (is_exr(content)) return to_image(name, parse_exr(name, content));
  if (is_flo(content)) return parse_flo(name, content);
  if (is_pfm(content)) return parse_pfm(name, content);
  if (is_pnm(content)) return to_image(name, parse_pnm(name, content));
  if (is_imagedump(content)) return parse_imagedump(name, content);
  return fail(Diagnostic{"is not an image that can be read",
                         {name, 0, 0},
                         {"png", "jpeg", "pgm", "ppm", "pfm", "tiff", "exr", "flo", "imagedump"}});
}

Expected<Image> read_image(const std::filesystem::path& path) { return read_as<parse_image>(path); }

Expected<void> write_image(const std::filesystem::path& path, const Image& image, int full_scale) {
  const std::string suffix = suffix_of(path);
  if (suffix == ".png") return write_png(path, image, full_scale);
  if (suffix == ".jpg" || suffix == ".jpeg") return write_jpeg(path, image);
  if (suffix == ".pgm" || suffix == ".ppm" || suffix == ".pnm")
    return write_pnm(path, image, full_scale);
  if (suffix == ".pfm") return write_pfm(path, image);
  if (suffix == ".tif" || suffix == ".tiff") return write_tiff(path, {&image, 1});
  if (suffix == ".exr") return write_exr(path, image);
  if (suffix == ".flo") return write_flo(path, image);
  if (suffix == ".imagedump") return write_imagedump(path, image);
  return fail(
      Diagnostic{"is not the name of an image that can be written",
                 {path, 0, 0},
                 {".png", ".jpg", ".pgm", ".ppm", ".pfm", ".tif", ".exr", ".flo", ".imagedump"}});
}

}  // namespace thallo
