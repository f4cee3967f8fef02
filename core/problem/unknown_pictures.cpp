#include "core/problem/unknown_pictures.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/energy/binding.h"

namespace thallo {
namespace {

constexpr std::int64_t MostPoints = 16'000'000;

struct Brightness {
  float smallest = std::numeric_limits<float>::infinity();
  float largest = -std::numeric_limits<float>::infinity();

  void add(const Image& image) {
    for (const float value : image.data) {
      if (!std::isfinite(value)) continue;
      smallest = std::min(smallest, value);
      largest = std::max(largest, value);
    }
  }
  // True if the values are those of a picture, up to what a solver leaves.
  bool is_of_picture() const {
    constexpr float Slack = 0.02f;
    return smallest >= -Slack && largest <= 1 + Slack;
  }
};

Image mapped(Image image, const Brightness& range) {
  const float width = std::max(range.largest - range.smallest, 1e-30f);
  for (float& value : image.data) value = (value - range.smallest) / width;
  return image;
}

}  // namespace

std::vector<UnknownPicture> unknown_pictures(const Energy& energy, const Binding& binding) {
  std::vector<UnknownPicture> pictures;
  for (const FieldId id : energy.unknowns()) {
    const Field& field = energy.field(id);
    const bool is_picture = field.dims.size() == 2 && field.manifold == Manifold::Euclidean &&
                            (field.channels == 1 || field.channels == 3 || field.channels == 4);
    if (!is_picture) continue;
    const std::int64_t width = binding.extent(field.dims[0]);
    const std::int64_t height = binding.extent(field.dims[1]);
    if (width < 1 || height < 1 || width > MostPoints / height) continue;
    const std::vector<double> values = binding.field(id).to_doubles();
    const int channels = std::min(field.channels, 3);
    Image image(static_cast<int>(width), static_cast<int>(height), channels);
    const auto stride = static_cast<std::size_t>(field.channels);
    const auto kept = static_cast<std::size_t>(channels);
    for (std::size_t point = 0; point < values.size() / stride; ++point)
      for (std::size_t c = 0; c < kept; ++c)
        image.data[point * kept + c] = static_cast<float>(values[point * stride + c]);
    pictures.push_back({id, std::move(image)});
  }
  return pictures;
}

std::vector<ReportImage> before_and_after(const Energy& energy,
                                          const std::vector<UnknownPicture>& before,
                                          const std::vector<UnknownPicture>& after) {
  THALLO_ASSERT_EQ(before.size(), after.size());
  std::vector<ReportImage> images;
  for (std::size_t i = 0; i < after.size(); ++i) {
    const std::string& name = energy.field(after[i].unknown).name;
    Brightness range;
    range.add(before[i].values);
    range.add(after[i].values);
    const bool is_as_it_is = range.is_of_picture() || range.smallest > range.largest;
    const std::string scale =
        is_as_it_is ? std::string()
                    : fmt::format(", black {:.3g}, white {:.3g}", range.smallest, range.largest);
    const auto add = [&](const char* when, const UnknownPicture& of) {
      images.push_back({.name = fmt::format("{}_{}", name, when),
                        .caption = fmt::format("{} {}{}", name, when, scale),
                        .image = is_as_it_is ? of.values : mapped(of.values, range)});
    };
    add("before", before[i]);
    add("after", after[i]);
  }
  return images;
}

}  // namespace thallo
