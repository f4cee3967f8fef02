// Pictures as products: albedo, the color of the surfaces, times shading, the light on them.
// Logarithms turn products into sums; intrinsic_image_decomposition works on those.
#pragma once

#include <optional>
#include <vector>

#include "core/base/io/image.h"

namespace thallo::intrinsic_image_decomposition {

struct Decomposition {
  Image albedo;   // RGB
  Image shading;  // gray
};

struct DecompositionInput {
  Image picture;  // RGB
  std::optional<Decomposition> truth;

  int width() const { return picture.width; }
  int height() const { return picture.height; }
};

// log2(v + 0.01): black has a logarithm too.
std::vector<double> to_logarithms(const Image& image);
Image from_logarithms(const std::vector<double>& logarithms, int width, int height, int channels);

// Where the solve starts: the light is the mean of the picture's channels, the color the rest.
// Logarithms r of the albedo and s of the shading, r + s = i.
struct LogDecomposition {
  std::vector<double> r, s;
};
LogDecomposition split_by_intensity(const std::vector<double>& i);

// The same product, scaled so that the light is 1 at the brightest percent: a picture does not tell
// how bright its light is.
Decomposition normalized(Decomposition parts);

// The picture that the parts make, and the root mean square difference of two pictures.
Image product(const Decomposition& parts);
double rms_difference(const Image& a, const Image& b);

// The root mean square difference of the shadings' logarithms after `shading` was made as bright as
// fits `truth` best: the part of the light, in powers of two, that went into the wrong factor.
double shading_error(const Image& shading, const Image& truth);

}  // namespace thallo::intrinsic_image_decomposition
