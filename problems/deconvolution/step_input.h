// What an image step works on: drawn and blurred here, or read from the files of a published step.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "core/base/diagnostic.h"
#include "core/base/io/image.h"
#include "problems/deconvolution/kernels.h"

namespace thallo::deconvolution {

enum class Blur { Uniform, Varying };

// The differences of each pixel from its left neighbor and from the one above; 0 where there is
// none.
struct Differences {
  Image x, y;
};

// The differences of the image after soft thresholding, the proximal operator of a sum of absolute
// differences: each is made smaller by the threshold, or 0.
Differences shrunk_differences(const Image& image, double threshold);

// Images of one channel each, of one size.
struct StepInput {
  Image start;
  Image mask;                   // 1 where the blurred image is known, else 0
  Image blurred;                // b1
  Differences differences;      // b2 and b3
  std::optional<Image> wanted;  // drawn: the sharp picture; read: the published result, if there
  Kernels kernels;

  int width() const { return start.width; }
  int height() const { return start.height; }
};

struct DrawSpec {
  int height = 192;
  int kernel_size = 15;
  double noise = 0.004;  // standard deviation, of pixels in 0 ... 1
  std::uint64_t seed = 1;
};

// The wanted differences are left empty: they change from step to step. The camera sees more of the
// town than the picture shows: where its kernel reaches beyond the picture the mask is 0.
// Blur::Varying has 6 x 4 kernels.
Expected<StepInput> draw_step(Blur blur, const DrawSpec& spec);

// `blurred` is b1.tif of a folder, which has M.tif, b2.tif, b3.tif, K.tif, x0.tif and, if known,
// result.tif as well; each may be compressed (.tif.xz). K.tif is one kernel, which is cropped to
// kernel_size, or for a varying blur a sheet of kernels of that size. Errors name the file: an
// absent or damaged one, one of another size than b1.
Expected<StepInput> read_step(Blur blur, const std::filesystem::path& blurred, int kernel_size);

// 10 log10 of 1 over the mean squared difference, in dB, over pixels where the mask is 1.
double signal_to_noise(const StepInput& input, const Image& image, const Image& truth);

}  // namespace thallo::deconvolution
