#pragma once

// Draws a picture as SVG. Coordinates are in pixels; x points right and y down. Inks are classes of
// a style sheet, so one file is readable on light and on dark backgrounds. Their colors (Okabe and
// Ito) are safe for color blindness.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace thallo::plot {

enum class Theme {
  FollowsReader,  // light, unless the viewer prefers dark
  Dark
};

enum class Ink { Text, Muted, Fill, Grid, Ground, Blue, Orange, Green, Vermillion, Purple, Sky };

// Inks that distinguish things also differ in their glyphs, not in color alone.
enum class Glyph { Circle, Square, Diamond, TriangleUp, TriangleDown, Cross };

// Of the things of one diagram, numbered from 0: the first six differ in both, and the first 36 in
// one of them.
Ink ink_of_series(std::size_t number);
Glyph glyph_of_series(std::size_t number);

struct Point {
  double x = 0, y = 0;
};

struct Stroke {
  Ink ink = Ink::Text;
  double width = 1;
  bool is_dashed = false;
};

enum class Anchor { Start, Middle, End };

struct TextStyle {
  double size = 10;
  Anchor anchor = Anchor::Start;
  Ink ink = Ink::Text;
  bool is_bold = false;
  bool is_upright = false;  // true if the text is written from bottom to top
  bool has_halo = false;    // true if the text must be legible over lines and dots
};

// Estimates the width of a text; overestimates rather than underestimates.
double text_width(std::string_view text, double size);

class Svg {
 public:
  // `description` is the alternative text for readers who cannot see the picture.
  Svg(double width, double height, std::string description);

  double width() const { return width_; }
  double height() const { return height_; }

  void line(const std::vector<Point>& points, const Stroke& stroke);
  void area(const std::vector<Point>& points, Ink ink, double opacity = 1);
  void rect(Point corner, double width, double height, Ink ink, double opacity = 1);
  // Draws dots of one size. Where dots overlap, their opacities add up.
  void dots(const std::vector<Point>& points, Ink ink, double diameter, double opacity);
  void glyph(Point at, Glyph glyph, Ink ink, double size);
  void text(Point at, std::string_view text, const TextStyle& style = {});

  // Returns the content of a complete SVG file.
  std::string file(Theme theme) const;

 private:
  double width_, height_;
  std::string description_;
  std::string body_;
};

}  // namespace thallo::plot
