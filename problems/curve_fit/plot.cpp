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

constexpr Stroke Axis = {{64, 64, 64}};
constexpr Stroke Grid = {{230, 230, 230}};

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
  Chart(int width, int height, Range x, Range y) : canvas_(width, height), x_(x), y_(y) {}

  void draw_axes() {
    for (const double tick : round_ticks(x_.low, x_.high, 8)) {
      const double at = std::round(column(tick));
      canvas_.line({at, top()}, {at, bottom()}, Grid);
      const std::string label = fmt::format("{:g}", tick);
      write(label, at - std::floor(text_width(label) / 2), bottom() + 8);
    }
    for (const double tick : round_ticks(y_.low, y_.high, 6)) {
      const double at = std::round(row(tick));
      canvas_.line({left(), at}, {right(), at}, Grid);
      const std::string label = fmt::format("{:g}", tick);
      write(label, left() - 8 - text_width(label), at - std::floor(GlyphHeight / 2.0));
    }
    canvas_.line({left(), top()}, {left(), bottom()}, Axis);
    canvas_.line({left(), bottom()}, {right(), bottom()}, Axis);
  }

  // Draws inside the axes only.
  void draw(const Series& series) {
    canvas_.clip(static_cast<int>(left()), static_cast<int>(right()) + 1, static_cast<int>(top()),
                 static_cast<int>(bottom()) + 1);
    const std::size_t count = std::min(series.x.size(), series.y.size());
    std::array<double, 2> before{};
    for (std::size_t i = 0; i < count; ++i) {
      const std::array<double, 2> at = {column(series.x[i]), row(series.y[i])};
      if (!series.line) canvas_.dot(at, {series.color, 4.4});
      // What is longer is off the chart.
      if (series.line && i > 0 && std::hypot(at[0] - before[0], at[1] - before[1]) < 1e5)
        canvas_.line(before, at, {series.color, 1.6});
      before = at;
    }
  }

  Image take() { return canvas_.take(); }

 private:
  double left() const { return 64; }
  double right() const { return canvas_.width() - 12; }
  double top() const { return 12; }
  double bottom() const { return canvas_.height() - 30; }

  double column(double x) const {
    return left() + (right() - left()) * (x - x_.low) / (x_.high - x_.low);
  }
  double row(double y) const {
    return bottom() - (bottom() - top()) * (y - y_.low) / (y_.high - y_.low);
  }

  static double text_width(std::string_view text) {
    return GlyphAdvance * static_cast<double>(text.size()) - 1;
  }
  void write(std::string_view text, double x, double y) {
    for (const char character : text) {
      const auto glyph = std::ranges::find(Glyphs, character, &Glyph::character);
      if (glyph != std::end(Glyphs)) {
        for (int j = 0; j < GlyphHeight; ++j) {
          for (int i = 0; i < GlyphWidth; ++i) {
            const bool ink = glyph->rows[static_cast<std::size_t>(j)] >> (GlyphWidth - 1 - i) & 1;
            if (ink) canvas_.dot({x + i, y + j}, Axis);
          }
        }
      }
      x += GlyphAdvance;
    }
  }

  Canvas canvas_;
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
