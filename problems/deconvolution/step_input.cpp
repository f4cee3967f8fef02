#include "problems/deconvolution/step_input.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <utility>

#include "core/base/random.h"
#include "problems/deconvolution/skyline.h"

namespace thallo::deconvolution {
namespace {

constexpr int SheetColumns = 6;
constexpr int SheetRows = 4;

Image inner(const Image& image, int border) {
  Image result(image.width - 2 * border, image.height - 2 * border, 1);
  for (int y = 0; y < result.height; ++y) {
    for (int x = 0; x < result.width; ++x) result.at(x, y) = image.at(x + border, y + border);
  }
  return result;
}

// NAME.tif in the folder, compressed or not.
std::filesystem::path tiff_in(const std::filesystem::path& folder, const std::string& name) {
  for (const char* suffix : {".tif.xz", ".tif.gz", ".tif.bz2"}) {
    const std::filesystem::path path = folder / (name + suffix);
    if (std::filesystem::exists(path)) return path;
  }
  return folder / (name + ".tif");
}

}  // namespace

Differences shrunk_differences(const Image& image, double threshold) {
  const auto shrunk = [&](float difference) {
    const double size = std::max(0.0, std::abs(double{difference}) - threshold);
    return static_cast<float>(std::copysign(size, double{difference}));
  };
  Differences result{Image(image.width, image.height, 1), Image(image.width, image.height, 1)};
  for (int y = 0; y < image.height; ++y) {
    for (int x = 0; x < image.width; ++x) {
      const float value = image.at(x, y);
      if (x > 0) result.x.at(x, y) = shrunk(value - image.at(x - 1, y));
      if (y > 0) result.y.at(x, y) = shrunk(value - image.at(x, y - 1));
    }
  }
  return result;
}

Expected<StepInput> draw_step(Blur blur_kind, const DrawSpec& spec) {
  const int border = (spec.kernel_size - 1) / 2;
  if (spec.height <= 2 * border) {
    return fail("size = {} is no larger than the kernel; kernel_size = {} needs at least {}",
                spec.height, spec.kernel_size, 2 * border + 1);
  }
  StepInput input;
  input.kernels = blur_kind == Blur::Uniform
                      ? shaken_kernel(spec.kernel_size)
                      : rolled_kernels(spec.kernel_size, SheetColumns, SheetRows);
  const Image town = draw_skyline(spec.height, border);
  input.wanted = inner(town, border);
  input.start = blur(town, input.kernels);
  Random random(spec.seed);
  for (float& value : input.start.data) {
    value = static_cast<float>(double{value} + spec.noise * random.normal());
  }
  const int width = input.width();
  const int height = input.height();
  input.mask = Image(width, height, 1);
  input.blurred = Image(width, height, 1);
  for (int y = border; y < height - border; ++y) {
    for (int x = border; x < width - border; ++x) {
      input.mask.at(x, y) = 1;
      input.blurred.at(x, y) = input.start.at(x, y);
    }
  }
  return input;
}

Expected<StepInput> read_step(Blur blur_kind, const std::filesystem::path& blurred,
                              int kernel_size) {
  StepInput input;
  THALLO_TRY(auto b1, read_image(blurred));
  if (b1.channels != 1) {
    return fail_at({blurred.string(), 0, 0}, "found {} channels; a step's images have one",
                   b1.channels);
  }
  input.blurred = std::move(b1);
  const std::filesystem::path folder = blurred.parent_path();
  const auto read_beside = [&](const std::string& name, Image& image) -> Expected<void> {
    const std::filesystem::path path = tiff_in(folder, name);
    THALLO_TRY(auto found, read_image(path));
    if (found.channels != 1 || found.width != input.blurred.width ||
        found.height != input.blurred.height) {
      return fail_at({path.string(), 0, 0},
                     "found {} x {} pixels of {} channels; {} has {} x {} of one", found.width,
                     found.height, found.channels, blurred.filename().string(), input.blurred.width,
                     input.blurred.height);
    }
    image = std::move(found);
    return {};
  };
  Expected<void> read = read_beside("M", input.mask);
  if (read) read = read_beside("b2", input.differences.x);
  if (read) read = read_beside("b3", input.differences.y);
  if (read) read = read_beside("x0", input.start);
  if (read && std::filesystem::exists(tiff_in(folder, "result"))) {
    read = read_beside("result", input.wanted.emplace());
  }
  if (!read) return fail(read.error());

  const std::filesystem::path kernel_path = tiff_in(folder, "K");
  THALLO_TRY(const auto sheet, read_image(kernel_path));
  THALLO_TRY(input.kernels, blur_kind == Blur::Uniform
                                ? crop_kernel(sheet, kernel_size, kernel_path)
                                : split_sheet(sheet, kernel_size, kernel_path));
  return input;
}

double signal_to_noise(const StepInput& input, const Image& image, const Image& truth) {
  double squares = 0;
  std::size_t count = 0;
  for (std::size_t i = 0; i < image.data.size(); ++i) {
    if (input.mask.data[i] == 0) continue;
    squares += std::pow(double{image.data[i]} - double{truth.data[i]}, 2);
    ++count;
  }
  if (squares == 0) return std::numeric_limits<double>::infinity();
  return 10 * std::log10(static_cast<double>(count) / squares);
}

}  // namespace thallo::deconvolution
