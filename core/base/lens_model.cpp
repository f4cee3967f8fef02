#include "core/base/lens_model.h"

#include <algorithm>
#include <cmath>

namespace thallo {
namespace {

constexpr LensModelInfo LensModels[] = {{LensModel::Bundler, "BUNDLER", -1, 1, 2},
                                        {LensModel::SimplePinhole, "SIMPLE_PINHOLE", 0, 1, 0},
                                        {LensModel::Pinhole, "PINHOLE", 1, 2, 0},
                                        {LensModel::SimpleRadial, "SIMPLE_RADIAL", 2, 1, 1},
                                        {LensModel::Radial, "RADIAL", 3, 1, 2},
                                        {LensModel::OpenCv, "OPENCV", 4, 2, 4},
                                        {LensModel::OpenCvFisheye, "OPENCV_FISHEYE", 5, 2, 4}};

}  // namespace

std::span<const LensModelInfo> lens_models() { return LensModels; }

const LensModelInfo& info_of(LensModel model) {
  return *std::ranges::find(LensModels, model, &LensModelInfo::model);
}

std::array<double, 2> project(LensModel model, std::span<const double> lens,
                              const std::array<double, 2>& direction) {
  const LensModelInfo& info = info_of(model);
  const auto [x, y] = direction;
  const double fx = lens[0], fy = lens[info.num_focal_lengths - 1];
  std::array<double, 4> k{};
  std::ranges::copy(lens.subspan(info.num_focal_lengths), k.begin());
  const double r2 = x * x + y * y;
  if (model == LensModel::OpenCvFisheye) {
    const double r = std::sqrt(r2);
    if (r == 0) return {0, 0};
    const double a = std::atan(r), a2 = a * a;
    const double scale = a / r * (1 + a2 * (k[0] + a2 * (k[1] + a2 * (k[2] + a2 * k[3]))));
    return {fx * scale * x, fy * scale * y};
  }
  const double radial = 1 + r2 * (k[0] + r2 * k[1]);
  return {fx * (x * radial + 2 * k[2] * x * y + k[3] * (r2 + 2 * x * x)),
          fy * (y * radial + 2 * k[3] * x * y + k[2] * (r2 + 2 * y * y))};
}

}  // namespace thallo
