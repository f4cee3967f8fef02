#include "problems/curve_fit/plot.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include <fmt/format.h>

namespace thallo::curve_fit {
namespace {

constexpr Rgb Axis = {0.25f, 0.25f, 0.25f};
constexpr Rgb Grid = {0.90f, 0.90f, 0.90f};

// The characters of a tick label, five pixels wide and seven high; a row is five bits, left = 16.
struct Glyph {
  char character;
  std::array<std::uint8_t, 7> rows;
};
constexpr Glyph Glyphs[] = {
    {'0', {14, 17, 19, 21, 25, 17, 14}}, {'1', {4, 12, 4, 4, 4, 4, 14}},
    {'2', {14, 17, 1, 2, 4, 8, 31}},     {'3', {31, 2, 4, 2, 1, 17, 14}},
    {'4', {2, 6, 10, 18, 31, 2, 2}},     {'5', {31, 16, 30, 1, 1, 17, 14}},
    {'6', {6, 8, 16, 30, 17, 17, 14}},   {'7', {31, 1, 2, 4, 8, 8, 8}},
    {'8', {14, 17, 17, 14, 17, 17, 14}}, {'9', {14, 17, 17, 15, 1, 2, 12}},
    {'-', {0, 0, 0, 31, 0, 0, 0}},       {'+', {0, 4, 4, 31, 4, 4, 0}},
    {'.', {0, 0, 0, 0, 0, 12, 12}},      {'e', {0, 0, 14, 17, 31, 16, 14}},
};
constexpr int GlyphWidth = 5;
constexpr int GlyphHeight = 7;
constexpr int GlyphAdvance = 6;

struct Range {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();

  void include(double value) {
    if (!std::isfinite(value)) return;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  void pad() {
    if (!(low <= high)) low = 0, high = 1;
    const double margin = high > low ? 0.05 * (high - low) : std::max(1.0, std::abs(low));
    low -= margin;
    high += margin;
  }
};

class Chart {
 public:
  Chart(int width, int height, Range x, Range y) : image_(width, height, 3), x_(x), y_(y) {
    std::ranges::fill(image_.data, 1.0f);
  }

  void draw_axes() {
    for (const double tick : round_ticks(x_.low, x_.high, 8)) {
      const int at = static_cast<int>(std::lround(column(tick)));
      fill(at, top(), at, bottom(), Grid);
      const std::string label = fmt::format("{:g}", tick);
      write(label, at - text_width(label) / 2, bottom() + 8);
    }
    for (const double tick : round_ticks(y_.low, y_.high, 6)) {
      const int at = static_cast<int>(std::lround(row(tick)));
      fill(left(), at, right(), at, Grid);
      const std::string label = fmt::format("{:g}", tick);
      write(label, left() - 8 - text_width(label), at - GlyphHeight / 2);
    }
    fill(left(), top(), left(), bottom(), Axis);
    fill(left(), bottom(), right(), bottom(), Axis);
  }

  void draw(const Series& series) {
    const std::size_t count = std::min(series.x.size(), series.y.size());
    for (std::size_t i = 0; i < count; ++i) {
      const double u = column(series.x[i]);
      const double v = row(series.y[i]);
      if (!series.line) {
        dot(u, v, 2.2, series.color);
      } else if (i > 0) {
        line(column(series.x[i - 1]), row(series.y[i - 1]), u, v, series.color);
      }
    }
  }

  Image take() { return std::move(image_); }

 private:
  int left() const { return 64; }
  int right() const { return image_.width - 12; }
  int top() const { return 12; }
  int bottom() const { return image_.height - 30; }

  double column(double x) const {
    return left() + (right() - left()) * (x - x_.low) / (x_.high - x_.low);
  }
  double row(double y) const {
    return bottom() - (bottom() - top()) * (y - y_.low) / (y_.high - y_.low);
  }

  void blend(int x, int y, const Rgb& color, double cover) {
    for (int c = 0; c < 3; ++c) {
      float& channel = image_.at(x, y, c);
      channel += static_cast<float>(cover) * (color[static_cast<std::size_t>(c)] - channel);
    }
  }

  void fill(int x0, int y0, int x1, int y1, const Rgb& color) {
    for (int y = std::max(0, y0); y <= std::min(image_.height - 1, y1); ++y) {
      for (int x = std::max(0, x0); x <= std::min(image_.width - 1, x1); ++x) {
        blend(x, y, color, 1.0);
      }
    }
  }

  // Draws inside the axes only, smooth at the rim.
  void dot(double u, double v, double radius, const Rgb& color) {
    if (!std::isfinite(u) || !std::isfinite(v)) return;
    if (u < left() || u > right() || v < top() || v > bottom()) return;
    const double reach = radius + 1;
    for (int y = static_cast<int>(v - reach); y <= static_cast<int>(v + reach) + 1; ++y) {
      for (int x = static_cast<int>(u - reach); x <= static_cast<int>(u + reach) + 1; ++x) {
        if (x < 0 || y < 0 || x >= image_.width || y >= image_.height) continue;
        blend(x, y, color, std::clamp(radius + 0.5 - std::hypot(x - u, y - v), 0.0, 1.0));
      }
    }
  }

  void line(double u0, double v0, double u1, double v1, const Rgb& color) {
    const double length = std::hypot(u1 - u0, v1 - v0);
    if (!(length < 1e5)) return;  // off the chart, or not finite
    const int steps = 1 + static_cast<int>(length / 0.7);
    for (int i = 0; i <= steps; ++i) {
      const double t = static_cast<double>(i) / steps;
      dot(u0 + t * (u1 - u0), v0 + t * (v1 - v0), 0.8, color);
    }
  }

  static int text_width(std::string_view text) {
    return GlyphAdvance * static_cast<int>(text.size()) - 1;
  }
  void write(std::string_view text, int x, int y) {
    for (const char character : text) {
      const auto glyph = std::ranges::find(Glyphs, character, &Glyph::character);
      if (glyph != std::end(Glyphs)) {
        for (int j = 0; j < GlyphHeight; ++j) {
          for (int i = 0; i < GlyphWidth; ++i) {
            const bool ink = glyph->rows[static_cast<std::size_t>(j)] >> (GlyphWidth - 1 - i) & 1;
            if (ink) fill(x + i, y + j, x + i, y + j, Axis);
          }
        }
      }
      x += GlyphAdvance;
    }
  }

  Image image_;
  Range x_;
  Range y_;
};

}  // namespace

std::vector<double> round_ticks(double low, double high, int count) {
  const double raw = (high - low) / count;
  if (!(raw > 0) || !std::isfinite(raw)) return {};
  const double power = std::pow(10.0, std::floor(std::log10(raw)));
  double step = 10 * power;
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= raw) {
      step = factor * power;
      break;
    }
  }
  std::vector<double> ticks;
  for (double k = std::ceil(low / step); k * step <= high; ++k) {
    ticks.push_back(k == 0 ? 0.0 : k * step);  // no "-0"
  }
  return ticks;
}

Image plot(const std::vector<Series>& series, int width, int height) {
  const bool has_dots = std::ranges::any_of(series, [](const Series& s) { return !s.line; });
  Range x, y;
  for (const Series& s : series) {
    if (has_dots && s.line) continue;
    for (const double value : s.x) x.include(value);
    for (const double value : s.y) y.include(value);
  }
  x.pad();
  y.pad();
  Chart chart(width, height, x, y);
  chart.draw_axes();
  for (const Series& s : series) chart.draw(s);
  return chart.take();
}

}  // namespace thallo::curve_fit
