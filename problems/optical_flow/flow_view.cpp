#include "problems/optical_flow/flow_view.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <vector>

#include "core/base/error.h"
#include "core/base/io/flo.h"
#include "core/base/stop_scope.h"
#include "problems/optical_flow/filters.h"

namespace thallo::optical_flow {
namespace {

using Color = std::array<double, 3>;
struct Motion {
  double u, v;
};

Motion motion_at(const Image& flow, int x, int y) {
  return {static_cast<double>(flow.at(x, y, 0)), static_cast<double>(flow.at(x, y, 1))};
}
// False for NaN too.
bool is_known(Motion m) {
  constexpr auto Limit = static_cast<double>(UnknownFlow);
  return std::abs(m.u) < Limit && std::abs(m.v) < Limit;
}

// The hues around the wheel: from one corner of the color cube to the next in a number of steps
// that makes differences of direction equally visible.
std::vector<Color> make_wheel() {
  constexpr struct {
    Color from, to;
    int steps;
  } Sectors[] = {{{1, 0, 0}, {1, 1, 0}, 15}, {{1, 1, 0}, {0, 1, 0}, 6},  {{0, 1, 0}, {0, 1, 1}, 4},
                 {{0, 1, 1}, {0, 0, 1}, 11}, {{0, 0, 1}, {1, 0, 1}, 13}, {{1, 0, 1}, {1, 0, 0}, 6}};
  std::vector<Color> wheel;
  for (const auto& [from, to, steps] : Sectors) {
    for (int i = 0; i < steps; ++i) {
      Color color{};
      for (std::size_t c = 0; c < 3; ++c) color[c] = from[c] + (to[c] - from[c]) * i / steps;
      wheel.push_back(color);
    }
  }
  return wheel;
}

Color color_of(const std::vector<Color>& wheel, Motion m) {
  const auto count = static_cast<double>(wheel.size());
  const double turn = std::atan2(-m.v, -m.u) / std::numbers::pi;  // -1 to 1
  const double place = (turn + 1) / 2 * (count - 1);
  const auto before = std::min(static_cast<std::size_t>(place), wheel.size() - 1);
  const std::size_t after = (before + 1) % wheel.size();
  const double t = place - static_cast<double>(before);
  const double length = std::hypot(m.u, m.v);
  Color color{};
  for (std::size_t c = 0; c < 3; ++c) {
    const double hue = (1 - t) * wheel[before][c] + t * wheel[after][c];
    color[c] = length <= 1 ? 1 - length * (1 - hue) : 0.75 * hue;
  }
  return color;
}

}  // namespace

Image color_coded(const Image& flow, double longest) {
  const std::vector<Color> wheel = make_wheel();
  Image picture(flow.width, flow.height, 3);
  for (int y = 0; y < flow.height; ++y) {
    check_stop();
    for (int x = 0; x < flow.width; ++x) {
      const Motion m = motion_at(flow, x, y);
      if (!is_known(m)) continue;
      const Color color = color_of(wheel, {m.u / longest, m.v / longest});
      for (int c = 0; c < 3; ++c) {
        picture.at(x, y, c) = static_cast<float>(color[static_cast<std::size_t>(c)]);
      }
    }
  }
  return picture;
}

double longest_motion(const Image& flow) {
  double longest = 0;
  for (int y = 0; y < flow.height; ++y) {
    check_stop();
    for (int x = 0; x < flow.width; ++x) {
      const Motion m = motion_at(flow, x, y);
      if (is_known(m)) longest = std::max(longest, std::hypot(m.u, m.v));
    }
  }
  return longest > 0 ? longest : 1;
}

FlowError compare_flows(const Image& flow, const Image& truth) {
  THALLO_ASSERT_EQ(flow.data.size(), truth.data.size());
  constexpr double Degrees = 180 / std::numbers::pi;
  FlowError error;
  double count = 0;
  for (int y = 0; y < flow.height; ++y) {
    check_stop();
    for (int x = 0; x < flow.width; ++x) {
      const Motion a = motion_at(flow, x, y);
      const Motion b = motion_at(truth, x, y);
      if (!is_known(b)) continue;
      const double endpoint = std::hypot(a.u - b.u, a.v - b.v);
      const double cosine = (a.u * b.u + a.v * b.v + 1) /
                            std::sqrt((a.u * a.u + a.v * a.v + 1) * (b.u * b.u + b.v * b.v + 1));
      error.endpoint += endpoint;
      error.angle += Degrees * std::acos(std::clamp(cosine, -1.0, 1.0));
      error.over_a_pixel += endpoint > 1 ? 1 : 0;
      ++count;
    }
  }
  if (count == 0) return {};
  return {error.endpoint / count, error.angle / count, error.over_a_pixel / count};
}

Image error_picture(const Image& flow, const Image& truth, double largest) {
  Image picture(flow.width, flow.height, 1);
  for (int y = 0; y < flow.height; ++y) {
    check_stop();
    for (int x = 0; x < flow.width; ++x) {
      const Motion a = motion_at(flow, x, y);
      const Motion b = motion_at(truth, x, y);
      if (!is_known(b)) continue;
      picture.at(x, y) = static_cast<float>(std::hypot(a.u - b.u, a.v - b.v) / largest);
    }
  }
  return picture;
}

Image brought_back(const Image& second, const Image& flow) {
  Image picture(second.width, second.height, second.channels);
  for (int y = 0; y < second.height; ++y) {
    for (int x = 0; x < second.width; ++x) {
      const Motion m = motion_at(flow, x, y);
      for (int c = 0; c < second.channels; ++c) {
        picture.at(x, y, c) = sampled(second, x + m.u, y + m.v, c);
      }
    }
  }
  return picture;
}

}  // namespace thallo::optical_flow
