#include "core/energy/evaluate/interpolation.h"

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>

namespace thallo {
namespace {

// x minus the integer below: the weight of the texel above in an interpolation at x.
Rounded past_floor(const Rounded& x) { return {x.value - std::floor(x.value), x.magnitude}; }

}  // namespace

// Bilinear. Texels outside are 0; texels of weight 0 do not count, for they may be infinite.
Rounded interpolate(const Energy& energy, const Binding& binding, FieldId image, const Rounded& x,
                    const Rounded& y, int channel) {
  const Field& field = energy.field(image);
  const std::int64_t width = binding.extent(field.dims[0]);
  const std::int64_t height = binding.extent(field.dims[1]);
  const bool inside = x.value > -1 && y.value > -1 && x.value < static_cast<double>(width) &&
                      y.value < static_cast<double>(height);
  if (!inside) return std::isnan(x.value) || std::isnan(y.value) ? x + y : Rounded();
  const auto x0 = static_cast<std::int64_t>(std::floor(x.value));
  const auto y0 = static_cast<std::int64_t>(std::floor(y.value));
  const Rounded in_x = past_floor(x);
  const Rounded in_y = past_floor(y);
  const auto at = [&](std::int64_t i, std::int64_t j) -> Rounded {
    if (i < 0 || j < 0 || i >= width || j >= height) return Rounded();
    return binding.field(image).value(
        static_cast<std::size_t>((i + width * j) * field.channels + channel));
  };
  const auto row = [&](std::int64_t j) {
    return in_x.value == 0 ? at(x0, j) : mix(at(x0, j), at(x0 + 1, j), in_x);
  };
  return in_y.value == 0 ? row(y0) : mix(row(y0), row(y0 + 1), in_y);
}

// Texels that do not count (outside, or -infinity in channel 0) leave their weight to the others of
// the row, rows without texels to the other row.
Rounded interpolate_layer(const Energy& energy, const Binding& binding, FieldId images,
                          const Rounded& x, const Rounded& y, double layer, int channel) {
  constexpr double Nothing = -std::numeric_limits<double>::infinity();
  if (std::isnan(x.value) || std::isnan(y.value) || std::isnan(layer)) return x + y + layer;
  const Field& field = energy.field(images);
  std::array<std::int64_t, 3> extents{};
  for (std::size_t i = 0; i < 3; ++i) extents[i] = binding.extent(field.dims[i]);
  const auto value = [&](double column, double row) -> std::optional<Rounded> {
    const std::array<double, 3> at = {column, row, layer};
    std::int64_t element = 0;
    for (std::size_t i = 3; i-- > 0;) {
      if (!(at[i] >= 0 && at[i] < static_cast<double>(extents[i]))) return std::nullopt;
      element = element * extents[i] + static_cast<std::int64_t>(at[i]);
    }
    const auto first = static_cast<std::size_t>(element * field.channels);
    const HostArray& data = binding.field(images);
    if (data.value(first) == Nothing) return std::nullopt;
    return data.value(first + static_cast<std::size_t>(channel));
  };
  const auto mean = [](const Rounded& weight, std::optional<Rounded> a, std::optional<Rounded> b) {
    if (weight.value == 0 || !b) return a;
    if (!a) return b;
    return std::optional(mix(*a, *b, weight));
  };
  const double x0 = std::floor(x.value), y0 = std::floor(y.value);
  const auto row = [&](double r) {
    const auto right = x.value == x0 ? std::nullopt : value(x0 + 1, r);
    return mean(past_floor(x), value(x0, r), right);
  };
  return mean(past_floor(y), row(y0), y.value == y0 ? std::nullopt : row(y0 + 1))
      .value_or(Rounded(Nothing));
}

}  // namespace thallo
