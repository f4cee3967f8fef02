#include "core/explore/plot/svg.h"

#include <array>
#include <cmath>
#include <numbers>
#include <utility>

#include <fmt/format.h>

namespace thallo::plot {
namespace {

struct InkColors {
  std::string_view name, light, dark;
};

// The inks, in the order of Ink.
constexpr std::array Inks = {
    InkColors{"text", "#1a1a1a", "#ececec"},       InkColors{"muted", "#666666", "#a8a8a8"},
    InkColors{"fill", "#c6c9ce", "#56585e"},       InkColors{"grid", "#e2e2e2", "#3a3a3e"},
    InkColors{"ground", "#ffffff", "#1b1b1e"},     InkColors{"blue", "#0072b2", "#4aa3df"},
    InkColors{"orange", "#e69f00", "#f0b429"},     InkColors{"green", "#009e73", "#2fc79a"},
    InkColors{"vermillion", "#d55e00", "#ff7f3f"}, InkColors{"purple", "#cc79a7", "#dc95bd"},
    InkColors{"sky", "#56b4e9", "#8ccff5"}};

std::string_view name_of(Ink ink) { return Inks[static_cast<std::size_t>(ink)].name; }

std::string style_of(bool is_dark) {
  std::string style;
  for (const InkColors& ink : Inks) {
    const std::string_view color = is_dark ? ink.dark : ink.light;
    style += fmt::format(".f-{0}{{fill:{1}}}.s-{0}{{stroke:{1}}}\n", ink.name, color);
  }
  return style;
}

// Writes two digits after the point, without trailing zeros.
std::string number(double value) {
  std::string text = fmt::format("{:.2f}", value);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text == "-0" ? "0" : text;
}

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '&': result += "&amp;"; break;
      case '<': result += "&lt;"; break;
      case '>': result += "&gt;"; break;
      case '"': result += "&quot;"; break;
      default: result += c;
    }
  }
  return result;
}

std::string path_of(const std::vector<Point>& points) {
  std::string path;
  for (const Point& point : points)
    path += fmt::format("{}{},{}", path.empty() ? "M" : "L", number(point.x), number(point.y));
  return path;
}

// Returns corners on a circle of radius 1. The first corner is rotated by `turn` full circles from
// the right.
std::vector<Point> polygon(Point center, double radius, int corners, double turn) {
  std::vector<Point> points;
  for (int i = 0; i < corners; ++i) {
    const double angle = 2 * std::numbers::pi * (turn + static_cast<double>(i) / corners);
    points.push_back({center.x + radius * std::cos(angle), center.y + radius * std::sin(angle)});
  }
  return points;
}

constexpr std::array SeriesInks = {Ink::Blue,       Ink::Orange, Ink::Green,
                                   Ink::Vermillion, Ink::Purple, Ink::Sky};
constexpr std::array SeriesGlyphs = {Glyph::Circle,     Glyph::Square,       Glyph::Diamond,
                                     Glyph::TriangleUp, Glyph::TriangleDown, Glyph::Cross};

}  // namespace

Ink ink_of_series(std::size_t number) { return SeriesInks[number % SeriesInks.size()]; }

Glyph glyph_of_series(std::size_t number) {
  return SeriesGlyphs[(number + number / SeriesInks.size()) % SeriesGlyphs.size()];
}

double text_width(std::string_view text, double size) {
  double ems = 0;
  for (const char c : text) {
    // Counts only the first byte of each code point.
    if ((static_cast<unsigned char>(c) & 0xC0) == 0x80) continue;
    if (std::string_view("iljtf.,:;'|!()[] ").find(c) != std::string_view::npos) {
      ems += 0.37;
    } else if (std::string_view("mwMW%@+=").find(c) != std::string_view::npos) {
      ems += 0.95;
    } else {
      ems += c >= 'A' && c <= 'Z' ? 0.72 : 0.63;
    }
  }
  return ems * size;
}

Svg::Svg(double width, double height, std::string description)
    : width_(width), height_(height), description_(std::move(description)) {}

void Svg::line(const std::vector<Point>& points, const Stroke& stroke) {
  body_ += fmt::format(
      "<path class=\"s-{}\" fill=\"none\" stroke-width=\"{}\" stroke-linejoin=\"round\"{} "
      "d=\"{}\"/>\n",
      name_of(stroke.ink), number(stroke.width),
      stroke.is_dashed ? " stroke-dasharray=\"4 3\"" : "", path_of(points));
}

void Svg::area(const std::vector<Point>& points, Ink ink, double opacity) {
  body_ += fmt::format("<path class=\"f-{}\" fill-opacity=\"{}\" d=\"{}Z\"/>\n", name_of(ink),
                       number(opacity), path_of(points));
}

void Svg::rect(Point corner, double width, double height, Ink ink, double opacity) {
  body_ += fmt::format(
      "<rect class=\"f-{}\" fill-opacity=\"{}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>\n",
      name_of(ink), number(opacity), number(corner.x), number(corner.y), number(width),
      number(height));
}

void Svg::dots(const std::vector<Point>& points, Ink ink, double diameter, double opacity) {
  body_ += fmt::format(
      "<g class=\"s-{}\" stroke-width=\"{}\" stroke-linecap=\"round\" stroke-opacity=\"{}\">\n",
      name_of(ink), number(diameter), number(opacity));
  for (const Point& point : points)
    body_ += fmt::format("<path d=\"M{},{}h.01\"/>\n", number(point.x), number(point.y));
  body_ += "</g>\n";
}

void Svg::glyph(Point at, Glyph glyph, Ink ink, double size) {
  const double radius = size / 2;
  std::vector<Point> outline;
  switch (glyph) {
    case Glyph::Circle: outline = polygon(at, radius, 24, 0); break;
    case Glyph::Square: outline = polygon(at, 1.25 * radius, 4, 0.125); break;
    case Glyph::Diamond: outline = polygon(at, 1.3 * radius, 4, 0); break;
    case Glyph::TriangleUp: outline = polygon(at, 1.3 * radius, 3, -0.25); break;
    case Glyph::TriangleDown: outline = polygon(at, 1.3 * radius, 3, 0.25); break;
    case Glyph::Cross: {
      const double d = 0.85 * radius;
      for (const Ink under : {Ink::Ground, ink}) {
        const Stroke stroke{under, under == ink ? 2.0 : 4.0};
        line({{at.x - d, at.y - d}, {at.x + d, at.y + d}}, stroke);
        line({{at.x - d, at.y + d}, {at.x + d, at.y - d}}, stroke);
      }
      return;
    }
  }
  body_ += fmt::format("<path class=\"f-{} s-ground\" stroke-width=\"1\" d=\"{}Z\"/>\n",
                       name_of(ink), path_of(outline));
}

void Svg::text(Point at, std::string_view text, const TextStyle& style) {
  constexpr std::array Anchors = {"start", "middle", "end"};
  const auto written = [&](const std::string& attributes) {
    body_ += fmt::format(
        "<text x=\"{0}\" y=\"{1}\" font-size=\"{2}\" text-anchor=\"{3}\"{4}{5}{6}>"
        "{7}</text>\n",
        number(at.x), number(at.y), number(style.size),
        Anchors[static_cast<std::size_t>(style.anchor)],
        style.is_bold ? " font-weight=\"bold\"" : "",
        style.is_upright
            ? fmt::format(" transform=\"rotate(-90 {} {})\"", number(at.x), number(at.y))
            : "",
        attributes, escaped(text));
  };
  if (style.has_halo) {
    written(
        " class=\"f-ground s-ground\" stroke-width=\"3\" stroke-linejoin=\"round\" "
        "aria-hidden=\"true\"");
  }
  written(fmt::format(" class=\"f-{}\"", name_of(style.ink)));
}

std::string Svg::file(Theme theme) const {
  std::string style = style_of(theme == Theme::Dark);
  if (theme == Theme::FollowsReader)
    style += fmt::format("@media (prefers-color-scheme: dark) {{\n{}}}\n", style_of(true));
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" "
      "viewBox=\"0 0 {0} {1}\" role=\"img\" font-family=\"Helvetica, Arial, 'Liberation Sans', "
      "'DejaVu Sans', sans-serif\">\n"
      "<title>{2}</title>\n<style>\n{3}</style>\n"
      "<rect class=\"f-ground\" width=\"{0}\" height=\"{1}\"/>\n{4}</svg>\n",
      number(width_), number(height_), escaped(description_), style, body_);
}

}  // namespace thallo::plot
