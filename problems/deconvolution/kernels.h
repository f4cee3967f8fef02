// Blur kernels: one for a whole image, or one for each tile of a grid over it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <vector>

#include "core/base/diagnostic.h"
#include "core/base/io/image.h"

namespace thallo::deconvolution {

// `columns` x `rows` kernels, `size` (odd) pixels in width and height each; each sums to 1.
struct Kernels {
  int size = 1;
  int columns = 1;
  int rows = 1;
  // Column of the kernel fastest, then its row, then the kernels, row by row.
  std::vector<float> values;

  int count() const { return columns * rows; }
  std::size_t index(int k, int l, int kernel) const {
    return static_cast<std::size_t>((kernel * size + l) * size + k);
  }
  // The number of the kernel for pixel (x, y) of an image: tiles are equal, but for rounding.
  int at(int x, int y, int width, int height) const {
    return y * rows / height * columns + x * columns / width;
  }
  // at() for all pixels, row by row.
  std::vector<std::int32_t> regions(int width, int height) const;
};

// The kernels that are the tiles of a sheet, made to sum to 1. Errors name `path`: a sheet that is
// not made of tiles of this size, a kernel whose sum is not positive.
Expected<Kernels> split_sheet(const Image& sheet, int size, const std::filesystem::path& path);

// The middle of one kernel, made to sum to 1. Errors name `path`: a kernel that is smaller, or not
// square with an odd number of pixels.
Expected<Kernels> crop_kernel(const Image& kernel, int size, const std::filesystem::path& path);

// The blur by a hand that was not still is a curve. The blur by a camera that rolled is streaks
// around the center of the image, longer toward its corners.
Kernels shaken_kernel(int size);
Kernels rolled_kernels(int size, int columns, int rows);

// (K * X)(x, y) = sum_kl K(k, l) X(x - k + c, y - l + c), where c = (size - 1) / 2 and K is the
// kernel for pixel (x, y). `padded` is X with c pixels more on each side of the result; it has one
// channel.
Image blur(const Image& padded, const Kernels& kernels);

// The kernels side by side as they lie over the image, each scaled to its largest value.
Image draw_kernels(const Kernels& kernels);

}  // namespace thallo::deconvolution
