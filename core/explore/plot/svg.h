#pragma once

// A picture as SVG. Coordinates are pixels, x to the right, y down. Inks are classes of a style
// sheet, so that one file is readable on light and on dark ground; the colors are those of Okabe
// and Ito, which people with any color vision can tell apart.

#include <string>
#include <string_view>
#include <vector>

namespace thallo::plot {

enum class Theme {
  FollowsReader,  // light, unless whoever shows the picture asks for dark
  Dark
};

enum class Ink { Text, Muted, Fill, Grid, Ground, Blue, Orange, Green, Vermillion, Purple, Sky };

// Forms differ, too, where inks tell things apart.
enum class Glyph { Circle, Square, Diamond, TriangleUp, TriangleDown, Cross };

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
  bool is_upright = false;  // written from the bottom to the top
  bool has_halo = false;    // is legible on lines and dots
};

// The width of a text, rather too large than too small.
double text_width(std::string_view text, double size);

class Svg {
 public:
  // The description is what a reader is told who cannot see the picture.
  Svg(double width, double height, std::string description);

  double width() const { return width_; }
  double height() const { return height_; }

  void line(const std::vector<Point>& points, const Stroke& stroke);
  void area(const std::vector<Point>& points, Ink ink, double opacity = 1);
  void rect(Point corner, double width, double height, Ink ink, double opacity = 1);
  // Dots of one size; opacities of those that cover each other add up.
  void dots(const std::vector<Point>& points, Ink ink, double diameter, double opacity);
  void glyph(Point at, Glyph glyph, Ink ink, double size);
  void text(Point at, std::string_view text, const TextStyle& style = {});

  // A whole file.
  std::string file(Theme theme) const;

 private:
  double width_, height_;
  std::string description_;
  std::string body_;
};

}  // namespace thallo::plot
