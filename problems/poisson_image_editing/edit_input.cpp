#include "problems/poisson_image_editing/edit_input.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "core/base/io/picture.h"
#include "core/base/stop_scope.h"

namespace thallo::poisson_image_editing {
namespace {

Expected<Image> read_of_size(const std::filesystem::path& path, const Image& target) {
  auto image = read_image(path);
  if (image && (image->width != target.width || image->height != target.height)) {
    return fail_at({path.string(), 0, 0}, "found {} x {} pixels, the edited picture has {} x {}",
                   image->width, image->height, target.width, target.height);
  }
  return image;
}

}  // namespace

std::int64_t EditInput::num_edited() const { return std::ranges::count(mask, std::uint8_t{0}); }

Expected<EditInput> read_edit_input(const std::filesystem::path& target,
                                    const std::filesystem::path& source,
                                    const std::filesystem::path& mask) {
  EditInput input;
  THALLO_TRY(const auto picture, read_image(target));
  input.target = to_rgb(picture);
  THALLO_TRY(const auto details, read_of_size(source, input.target));
  input.source = to_rgb(details);
  THALLO_TRY(const auto region, read_of_size(mask, input.target));
  for (const float white : to_gray(region).data) input.mask.push_back(white < 0.5f ? 255 : 0);
  return input;
}

Image paste(const EditInput& input) {
  Image pasted = input.target;
  for (std::size_t i = 0; i < pasted.data.size(); ++i) {
    if (input.mask[i / 3] == 0) pasted.data[i] = input.source.data[i];
  }
  return pasted;
}

double seam(const EditInput& input, const Image& picture) {
  constexpr std::array<std::array<int, 2>, 4> Neighbors = {{{1, 0}, {-1, 0}, {0, 1}, {0, -1}}};
  double sum = 0;
  std::int64_t count = 0;
  for (int y = 0; y < input.height(); ++y) {
    check_stop();
    for (int x = 0; x < input.width(); ++x) {
      if (!input.edited(x, y)) continue;
      for (const auto& [dx, dy] : Neighbors) {
        const int u = x + dx;
        const int v = y + dy;
        if (u < 0 || v < 0 || u >= input.width() || v >= input.height() || input.edited(u, v)) {
          continue;
        }
        for (int c = 0; c < 3; ++c) {
          const float jump = picture.at(x, y, c) - picture.at(u, v, c);
          const float wanted = input.source.at(x, y, c) - input.source.at(u, v, c);
          sum += std::abs(static_cast<double>(jump - wanted));
          ++count;
        }
      }
    }
  }
  return count == 0 ? 0 : sum / static_cast<double>(count);
}

}  // namespace thallo::poisson_image_editing
