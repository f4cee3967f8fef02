#include "problems/deconvolution/kernels.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace thallo::deconvolution {
namespace {

Expected<void> normalize(Kernels& kernels, const std::filesystem::path& path) {
  const auto taps = static_cast<std::ptrdiff_t>(kernels.size) * kernels.size;
  for (int i = 0; i < kernels.count(); ++i) {
    const auto begin = kernels.values.begin() + i * taps;
    double sum = 0;
    for (auto value = begin; value != begin + taps; ++value) sum += double{*value};
    if (!(sum > 0)) {
      return fail_at({path.string(), 0, 0},
                     "kernel {} of {} sums to {}; a blur sums to more than 0", i + 1,
                     kernels.count(), sum);
    }
    for (auto value = begin; value != begin + taps; ++value) {
      *value = static_cast<float>(double{*value} / sum);
    }
  }
  return {};
}

// Adds the tile of `image` whose first pixel is (left, top).
void add_tile(Kernels& kernels, const Image& image, int left, int top) {
  for (int l = 0; l < kernels.size; ++l) {
    for (int k = 0; k < kernels.size; ++k) {
      kernels.values.push_back(image.at(left + k, top + l));
    }
  }
}

// Adds the kernel of a light that moves along a path; places are in pixels from the kernel's
// center.
template <class Path>
void add_trace(Kernels& kernels, const Path& path) {
  constexpr int Steps = 200;
  constexpr double Spread = 0.55;  // pixels
  std::vector<double> tap(static_cast<std::size_t>(kernels.size * kernels.size));
  const double center = (kernels.size - 1) / 2.0;
  double sum = 0;
  for (int step = 0; step < Steps; ++step) {
    const std::array<double, 2> at = path((step + 0.5) / Steps);
    for (std::size_t i = 0; i < tap.size(); ++i) {
      const auto size = static_cast<std::size_t>(kernels.size);
      const double dx = static_cast<double>(i % size) - center - at[0];
      const double dy = static_cast<double>(i / size) - center - at[1];
      const double light = std::exp(-(dx * dx + dy * dy) / (2 * Spread * Spread));
      tap[i] += light;
      sum += light;
    }
  }
  for (const double light : tap) kernels.values.push_back(static_cast<float>(light / sum));
}

}  // namespace

std::vector<std::int32_t> Kernels::regions(int width, int height) const {
  std::vector<std::int32_t> result;
  result.reserve(static_cast<std::size_t>(width) * static_cast<std::size_t>(height));
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) result.push_back(at(x, y, width, height));
  }
  return result;
}

Expected<Kernels> split_sheet(const Image& sheet, int size, const std::filesystem::path& path) {
  if (sheet.channels != 1 || sheet.width % size != 0 || sheet.height % size != 0) {
    return fail_at({path.string(), 0, 0},
                   "found {} x {} pixels of {} channels; kernels of {} x {} (kernel_size) fill the "
                   "sheet, of one channel",
                   sheet.width, sheet.height, sheet.channels, size, size);
  }
  Kernels kernels{size, sheet.width / size, sheet.height / size, {}};
  for (int row = 0; row < kernels.rows; ++row) {
    for (int column = 0; column < kernels.columns; ++column) {
      add_tile(kernels, sheet, column * size, row * size);
    }
  }
  THALLO_CHECK(normalize(kernels, path));
  return kernels;
}

Expected<Kernels> crop_kernel(const Image& kernel, int size, const std::filesystem::path& path) {
  const int width = kernel.width;
  if (kernel.channels != 1 || kernel.height != width || width % 2 == 0 || width < size) {
    return fail_at({path.string(), 0, 0},
                   "found {} x {} pixels of {} channels; a kernel is a square of an odd number of "
                   "pixels, at least {} (kernel_size), of one channel",
                   width, kernel.height, kernel.channels, size);
  }
  Kernels kernels{size, 1, 1, {}};
  add_tile(kernels, kernel, (width - size) / 2, (width - size) / 2);
  THALLO_CHECK(normalize(kernels, path));
  return kernels;
}

Kernels shaken_kernel(int size) {
  const double reach = 0.8 * (size - 1) / 2;
  Kernels kernels{size, 1, 1, {}};
  add_trace(kernels, [&](double t) {
    const double turn = 2 * std::numbers::pi * t;
    return std::array{reach * (0.75 * std::sin(0.9 * turn - 1.2) + 0.25 * std::sin(2.3 * turn)),
                      reach * (0.8 * (2 * t - 1) + 0.2 * std::cos(1.7 * turn))};
  });
  return kernels;
}

Kernels rolled_kernels(int size, int columns, int rows) {
  const double reach = 0.8 * (size - 1) / 2 / std::numbers::sqrt2;
  Kernels kernels{size, columns, rows, {}};
  for (int row = 0; row < rows; ++row) {
    for (int column = 0; column < columns; ++column) {
      const double u = 2 * (column + 0.5) / columns - 1;
      const double v = 2 * (row + 0.5) / rows - 1;
      add_trace(kernels, [&](double t) {
        return std::array{-(2 * t - 1) * reach * v, (2 * t - 1) * reach * u};
      });
    }
  }
  return kernels;
}

Image blur(const Image& padded, const Kernels& kernels) {
  const int last = kernels.size - 1;
  Image blurred(padded.width - last, padded.height - last, 1);
  for (int y = 0; y < blurred.height; ++y) {
    for (int x = 0; x < blurred.width; ++x) {
      const int kernel = kernels.at(x, y, blurred.width, blurred.height);
      double sum = 0;
      for (int l = 0; l <= last; ++l) {
        for (int k = 0; k <= last; ++k) {
          sum += double{kernels.values[kernels.index(k, l, kernel)]} *
                 double{padded.at(x + last - k, y + last - l)};
        }
      }
      blurred.at(x, y) = static_cast<float>(sum);
    }
  }
  return blurred;
}

Image draw_kernels(const Kernels& kernels) {
  constexpr int Zoom = 6;
  const int cell = kernels.size * Zoom + 2;
  Image picture(kernels.columns * cell, kernels.rows * cell, 1);
  std::ranges::fill(picture.data, 0.3f);
  for (int i = 0; i < kernels.count(); ++i) {
    const auto first = kernels.values.begin() + static_cast<std::ptrdiff_t>(kernels.index(0, 0, i));
    const float largest = *std::max_element(first, first + kernels.size * kernels.size);
    for (int y = 0; y < kernels.size * Zoom; ++y) {
      for (int x = 0; x < kernels.size * Zoom; ++x) {
        picture.at(i % kernels.columns * cell + 1 + x, i / kernels.columns * cell + 1 + y) =
            kernels.values[kernels.index(x / Zoom, y / Zoom, i)] / largest;
      }
    }
  }
  return picture;
}

}  // namespace thallo::deconvolution
