#include "core/explore/plot/case_picture.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <set>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/explore/plot/panel.h"

namespace thallo::plot {
namespace {

constexpr double Width = 760;
constexpr double Margin = 24;
constexpr double Inner = Width - 2 * Margin;
constexpr double Above = 82;  // has the titles
constexpr double Below = 48;  // has the ticks and the title of an axis

struct Range {
  double least = std::numeric_limits<double>::infinity();
  double largest = -std::numeric_limits<double>::infinity();

  void add(double value) {
    least = std::min(least, value);
    largest = std::max(largest, value);
  }
  Scale logarithmic() const { return Scale::logarithmic(least, largest); }
};

// Begins a picture with its titles, which may take the whole width.
Svg begin(const CasePicture& picture, double height) {
  Svg svg(Width, Above + height, fmt::format("{}: {}", picture.number, picture.title));
  const auto write = [&](double y, const std::string& text, TextStyle style) {
    style.size = std::min(style.size, style.size * Inner / text_width(text, style.size));
    svg.text({Margin, y}, text, style);
  };
  write(24, picture.number, {.size = 14, .is_bold = true});
  write(43, picture.title, {.size = 12});
  write(61, picture.ours, {.size = FontSize, .ink = Ink::Muted});
  return svg;
}

Svg draw_rows(const CasePicture& picture) {
  Range values;
  std::set<std::size_t> drawn, ours;  // quantities
  double name_width = 0;
  for (const CasePicture::Case& one : picture.cases) {
    name_width = std::max(name_width, text_width(one.name, FontSize));
    for (const CasePicture::Mark& mark : one.marks) {
      values.add(mark.value);
      drawn.insert(mark.quantity);
      if (mark.is_ours) ours.insert(mark.quantity);
    }
  }
  std::vector<LegendEntry> legend = {{"published", Ink::Muted, Glyph::Square}};
  for (const std::size_t quantity : ours)
    legend.push_back({"ours: " + picture.quantities.at(quantity), ink_of_series(quantity)});
  // A line of its own for each quantity of a row, so that no dot hides another's.
  const double row = std::max(22.0, 14 * static_cast<double>(drawn.size()) + 6);
  const double height = row * static_cast<double>(picture.cases.size());
  const double top = Above + legend_height(legend, Inner) + 8;
  Svg svg = begin(picture, top - Above + height + Below);
  draw_legend(svg, {Margin, Above}, Inner, legend);
  const double left = Margin + 12 + name_width;
  Panel panel(svg, {left, top, Width - Margin - left, height},
              {values.least > 0 ? values.logarithmic()
                                : Scale::linear(std::min(values.least, 0.0), values.largest),
               picture.x_title},
              {Scale::linear(0, 1), "", 0});
  double y = top;
  for (const CasePicture::Case& one : picture.cases) {
    svg.text({left - 8, y + row / 2 + 4}, one.name, {.size = FontSize, .anchor = Anchor::End});
    if (y > top) svg.line({{left, y}, {panel.box().right(), y}}, {Ink::Grid});
    for (const auto& [value, quantity, is_ours] : one.marks) {
      const auto line = 1 + std::distance(drawn.begin(), drawn.find(quantity));
      const double share = static_cast<double>(line) / static_cast<double>(drawn.size() + 1);
      svg.glyph({panel.x(value), y + row * share}, is_ours ? Glyph::Circle : Glyph::Square,
                is_ours ? ink_of_series(quantity) : Ink::Muted, is_ours ? 7 : 11);
    }
    y += row;
  }
  return svg;
}

Svg draw_curves(const CasePicture& picture) {
  Range xs, ys;
  std::vector<LegendEntry> legend;
  for (const CasePicture::Case& one : picture.cases) {
    legend.push_back({one.name, ink_of_series(legend.size()), glyph_of_series(legend.size())});
    for (const auto& [x, y] : one.curve) {
      xs.add(x);
      ys.add(y);
    }
    if (one.level) ys.add(*one.level);
  }
  constexpr double Height = 320;
  const double top = Above + legend_height(legend, Inner) + 8;
  Svg svg = begin(picture, top - Above + Height + Below);
  draw_legend(svg, {Margin, Above}, Inner, legend);
  const Box box{Margin + 50, top, Inner - 50, Height};
  Panel panel(svg, box,
              {picture.is_share ? Scale::linear(0, 1) : xs.logarithmic(), picture.x_title},
              {ys.logarithmic(), picture.y_title});
  for (std::size_t i = 0; i < picture.cases.size(); ++i) {
    const CasePicture::Case& one = picture.cases[i];
    const Ink ink = legend[i].ink;
    std::vector<Point> points;
    for (const auto& [x, y] : one.curve) points.push_back(panel.at(x, y));
    svg.line(points, {ink, 1.5});
    if (one.level) {
      const double y = panel.y(*one.level);
      svg.line({{box.left, y}, {box.right(), y}}, {ink, 1, true});
      svg.text({box.left + 6, y - 4}, one.name + ": auto",
               {.size = SmallFontSize, .has_halo = true});
    }
    // So few that glyphs stay apart.
    for (std::size_t p = 0; p < points.size(); p += points.size() / 60 + 1)
      svg.glyph(points[p], legend[i].glyph, ink, 6);
  }
  return svg;
}

// Predictions on the diagonals are right.
Svg draw_scatters(const CasePicture& picture) {
  constexpr std::size_t InRow = 3;
  constexpr double Side = 160, LeftOf = 62, AboveEach = 24, Pitch = AboveEach + Side + 44;
  const std::size_t num_rows = (picture.cases.size() + InRow - 1) / InRow;
  Svg svg = begin(picture, Pitch * static_cast<double>(num_rows));
  for (std::size_t i = 0; i < picture.cases.size(); ++i) {
    const CasePicture::Case& one = picture.cases[i];
    const std::size_t column = i % InRow;
    const Box box{Margin + LeftOf + static_cast<double>(column) * (Side + LeftOf + 10),
                  Above + AboveEach + static_cast<double>(i / InRow) * Pitch, Side, Side};
    Range range;
    for (const auto& [x, y] : one.curve) {
      range.add(x);
      range.add(y);
    }
    svg.text({box.left, box.top - 8}, one.name, {.size = FontSize, .is_bold = true});
    const Scale scale = range.logarithmic();
    Panel panel(svg, box, {scale, picture.x_title, 4},
                {scale, column == 0 ? picture.y_title : "", 4});
    svg.line({panel.at(range.least, range.least), panel.at(range.largest, range.largest)},
             {Ink::Muted, 1, true});
    std::vector<Point> points;
    for (std::size_t p = 0; p < one.curve.size(); p += one.curve.size() / 600 + 1)
      points.push_back(panel.at(one.curve[p].first, one.curve[p].second));
    svg.dots(points, Ink::Blue, 4, 0.4);
    panel.note(one.notes);
  }
  return svg;
}

}  // namespace

Svg draw(const CasePicture& picture) {
  THALLO_ASSERT(!picture.cases.empty(), "{} has no case", picture.number);
  if (picture.is_scatter) return draw_scatters(picture);
  return picture.cases.front().curve.empty() ? draw_rows(picture) : draw_curves(picture);
}

}  // namespace thallo::plot
