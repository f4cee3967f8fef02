#include "problems/image_warping/warp_input.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "core/base/io/file.h"
#include "core/base/io/picture.h"
#include "core/base/io/text_cursor.h"
#include "core/base/log.h"

namespace thallo::image_warping {
namespace {

// dir/cat.png → dir/cat + suffix
std::filesystem::path beside(const std::filesystem::path& picture, std::string_view suffix) {
  return picture.parent_path() / (picture.stem().string() + std::string(suffix));
}

}  // namespace

std::int64_t WarpInput::num_active() const { return std::ranges::count(mask, std::uint8_t{0}); }

Expected<WarpInput> read_warp_input(const std::filesystem::path& picture) {
  WarpInput input;
  THALLO_TRY(const auto image, read_image(picture));
  input.picture = to_rgb(image);

  const auto mask_path = beside(picture, "_mask.png");
  THALLO_TRY(const auto mask, read_image(mask_path));
  if (mask.width != image.width || mask.height != image.height) {
    return fail_at({mask_path.string(), 0, 0},
                   "the mask has {} x {} pixels, its picture {} has {} x {}", mask.width,
                   mask.height, picture.string(), image.width, image.height);
  }
  for (int y = 0; y < mask.height; ++y) {
    for (int x = 0; x < mask.width; ++x) input.mask.push_back(mask.at(x, y) > 0 ? 255 : 0);
  }

  const auto handles_path = beside(picture, ".constraints");
  THALLO_TRY(const auto text, read_file(handles_path));
  THALLO_TRY(auto handles, parse_handles(handles_path, text, image.width, image.height));
  input.handles = std::move(handles);
  for (const Handle& handle : input.handles) {
    const auto [x, y] = handle.pixel;
    if (!input.active(x, y)) {
      logger("problem").warn(
          "{}: the handle at ({}, {}) pulls nothing, the mask excludes its pixel",
          handles_path.string(), x, y);
    }
  }
  return input;
}

Expected<std::vector<Handle>> parse_handles(const std::filesystem::path& file,
                                            std::string_view text, int width, int height) {
  TextCursor cursor(file.string(), text);
  int count = 0;
  if (!cursor.read(count) || count < 0) {
    return fail(cursor.unexpected("the number of constraints"));
  }
  std::vector<Handle> handles;
  for (int n = 0; n < count; ++n) {
    Handle handle{};
    for (auto* place : {&handle.pixel, &handle.target}) {
      for (std::size_t axis = 0; axis < 2; ++axis) {
        cursor.at_end();
        const std::size_t before = cursor.offset();
        int value = 0;
        if (!cursor.read(value)) {
          return fail(cursor.unexpected(
              fmt::format("constraint {} of {} (x y target_x target_y)", n + 1, count)));
        }
        const int extent = axis == 0 ? width : height;
        if (value < 0 || value >= extent) {
          return fail_at(cursor.where_at(before),
                         "{} = {} of constraint {} is outside the picture of {} x {}",
                         axis == 0 ? "x" : "y", value, n + 1, width, height);
        }
        (*place)[axis] = value;
      }
    }
    handles.push_back(handle);
  }
  if (!cursor.at_end()) {
    return fail(cursor.unexpected(fmt::format("the end of the file after {} constraints", count)));
  }
  return handles;
}

std::vector<double> blend_constraints(const WarpInput& input, double alpha) {
  const int width = input.width();
  const int height = input.height();
  std::vector<double> constraints(input.mask.size() * 2, -1.0);
  auto constrain = [&](int x, int y, double target_x, double target_y) {
    const std::size_t at = (static_cast<std::size_t>(y) * static_cast<std::size_t>(width) +
                            static_cast<std::size_t>(x)) *
                           2;
    constraints[at] = target_x;
    constraints[at + 1] = target_y;
  };
  for (int x = 0; x < width; ++x) {
    constrain(x, 0, x, 0);
    constrain(x, height - 1, x, height - 1);
  }
  for (int y = 0; y < height; ++y) {
    constrain(0, y, 0, y);
    constrain(width - 1, y, width - 1, y);
  }
  for (const Handle& handle : input.handles) {
    const auto [x, y] = handle.pixel;
    constrain(x, y, x + alpha * (handle.target[0] - x), y + alpha * (handle.target[1] - y));
  }
  return constraints;
}

}  // namespace thallo::image_warping
