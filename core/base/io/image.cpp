#include "core/base/io/image.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "core/base/io/file.h"
#include "core/base/io/pfm.h"
#include "core/base/io/png.h"
#include "core/base/io/pnm.h"

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

std::vector<unsigned char> to_bytes(const Image& image) {
  std::vector<unsigned char> bytes(image.data.size());
  std::transform(image.data.begin(), image.data.end(), bytes.begin(), [](float value) {
    // Written so that NaN becomes 0.
    const float clamped = value > 0.0f ? std::min(value, 1.0f) : 0.0f;
    return static_cast<unsigned char>(std::lround(clamped * 255.0f));
  });
  return bytes;
}

Expected<Image> read_image(const std::filesystem::path& path) {
  const auto content = read_file(path);
  if (!content) return tl::unexpected(content.error());
  if (is_png(*content)) return parse_png(path, *content);
  if (is_pfm(*content)) return parse_pfm(path, *content);
  if (is_pnm(*content)) return parse_pnm(path, *content);
  Diagnostic diagnostic{
      "is not an image that can be read", {path, 0, 0}, {"png", "pgm", "ppm", "pfm"}};
  return fail(std::move(diagnostic));
}

}  // namespace thallo
