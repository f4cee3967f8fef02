#include "problems/shape_from_shading/depth_input.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>
#include <string>

#include "core/base/io/file.h"
#include "core/base/io/imagedump.h"

namespace thallo::shape_from_shading {
namespace {

// dir/default.SFSSolverParameters → dir/default + suffix, whichever compression is there.
std::filesystem::path beside(const std::filesystem::path& parameters, const std::string& suffix) {
  const auto plain = parameters.parent_path() / (parameters.stem().string() + suffix);
  for (const char* compression : {".gz", ".bz2", ".xz"}) {
    auto compressed = plain;
    compressed += compression;
    if (!std::filesystem::exists(plain) && std::filesystem::exists(compressed)) return compressed;
  }
  return plain;
}

Expected<Image> read_gray(const std::filesystem::path& path, int width, int height) {
  auto image = read_as<parse_imagedump>(path);
  if (image && (image->width != width || image->height != height || image->channels != 1)) {
    return fail_at({path.string(), 0, 0},
                   "found {} x {} pixels of {} channels, expected {} x {} of 1", image->width,
                   image->height, image->channels, width, height);
  }
  return image;
}

Expected<void> read_edges(const std::filesystem::path& path, DepthInput& input) {
  const int height = input.height();
  THALLO_TRY(const auto masks, read_gray(path, input.width(), 2 * height));
  const auto half = static_cast<std::ptrdiff_t>(masks.index(0, height));
  const auto to_mask = [](float value) { return static_cast<std::uint8_t>(value != 0.0f); };
  std::transform(masks.data.begin(), masks.data.begin() + half, input.compares_right.begin(),
                 to_mask);
  std::transform(masks.data.begin() + half, masks.data.end(), input.compares_down.begin(), to_mask);
  return {};
}

}  // namespace

std::int64_t DepthInput::num_measured() const {
  return std::ranges::count_if(depth.data, [](float z) { return z > 0.0f; });
}

void compare_all(DepthInput& input) {
  const auto has_normal = [&input](int x, int y) {
    return input.measured(x, y) && input.measured(x - 1, y) && input.measured(x, y - 1);
  };
  input.compares_right.assign(input.depth.data.size(), 0);
  input.compares_down.assign(input.depth.data.size(), 0);
  for (int y = 0; y < input.height(); ++y) {
    for (int x = 0; x < input.width(); ++x) {
      if (!has_normal(x, y)) continue;
      const std::size_t at = input.depth.index(x, y);
      input.compares_right[at] = has_normal(x + 1, y) ? 1 : 0;
      input.compares_down[at] = has_normal(x, y + 1) ? 1 : 0;
    }
  }
}

void drop_dark_pixels(DepthInput& input, double darkest) {
  for (std::size_t i = 0; i < input.depth.data.size(); ++i) {
    if (double{input.brightness.data[i]} < darkest)
      input.depth.data[i] = -std::numeric_limits<float>::infinity();
  }
}

Light even_light(const DepthInput& input) {
  double sum = 0;
  for (std::size_t i = 0; i < input.depth.data.size(); ++i)
    if (input.depth.data[i] > 0) sum += double{input.brightness.data[i]};
  const std::int64_t count = input.num_measured();
  return {count == 0 ? 0 : sum / static_cast<double>(count)};
}

Expected<void> parse_parameters(const std::filesystem::path& file, std::string_view content,
                                DepthInput& input) {
  // In order: weights of fit, smoothness, a prior, shading, and three more that the energy does not
  // use; focal lengths, principal point; a 4 x 4 transform; the light; four counts of iterations.
  constexpr std::size_t NumNumbers = 40;
  constexpr std::size_t FirstOfCamera = 7;
  constexpr std::size_t FirstOfLight = 27;
  std::array<float, NumNumbers> numbers{};
  if (content.size() != sizeof numbers) {
    return fail_at({file.string(), 0, 0}, "found {} bytes, expected {}: {} numbers of 4 bytes",
                   content.size(), sizeof numbers, NumNumbers);
  }
  std::memcpy(numbers.data(), content.data(), sizeof numbers);
  for (std::size_t k = 0; k < FirstOfLight + input.light.size(); ++k) {
    if (std::isfinite(numbers[k])) continue;
    return fail_at({file.string(), 0, 0}, "number {} of {} is {}", k + 1, NumNumbers, numbers[k]);
  }
  input.weights = {numbers[0], numbers[1], numbers[3]};
  input.camera = {{numbers[FirstOfCamera], numbers[FirstOfCamera + 1]},
                  {numbers[FirstOfCamera + 2], numbers[FirstOfCamera + 3]}};
  for (const double length : input.camera.focal_length) {
    if (length <= 0) return fail_at({file.string(), 0, 0}, "the focal length is {}", length);
  }
  for (const double weight : {input.weights.fit, input.weights.smooth, input.weights.shading}) {
    if (weight < 0) return fail_at({file.string(), 0, 0}, "a weight is {}", weight);
  }
  std::copy_n(numbers.begin() + FirstOfLight, input.light.size(), input.light.begin());
  return {};
}

Expected<DepthInput> read_depth_input(const std::filesystem::path& parameters) {
  DepthInput input;
  THALLO_TRY(const auto content, read_file(parameters));
  THALLO_CHECK(parse_parameters(parameters, content, input));
  const auto depth_path = beside(parameters, "_targetDepth.imagedump");
  THALLO_TRY(auto depth, read_as<parse_imagedump>(depth_path));
  if (depth.channels != 1) {
    return fail_at({depth_path.string(), 0, 0}, "a depth map has one channel, found {}",
                   depth.channels);
  }
  input.depth = std::move(depth);
  const auto read = [&](const char* suffix) {
    return read_gray(beside(parameters, suffix), input.width(), input.height());
  };
  THALLO_TRY(input.start, read("_initialUnknown.imagedump"));
  THALLO_TRY(input.brightness, read("_targetIntensity.imagedump"));

  compare_all(input);
  const auto edges = beside(parameters, "_maskEdgeMap.imagedump");
  if (std::filesystem::exists(edges)) {
    THALLO_CHECK(read_edges(edges, input));
  }
  return input;
}

}  // namespace thallo::shape_from_shading
