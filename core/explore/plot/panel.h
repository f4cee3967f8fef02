#pragma once

// Draws the frame of a diagram, two axes with ticks and titles, and maps values to positions in it.

#include <span>
#include <string>
#include <vector>

#include "core/explore/plot/scale.h"
#include "core/explore/plot/svg.h"

namespace thallo::plot {

struct Box {
  double left = 0, top = 0, width = 0, height = 0;

  double right() const { return left + width; }
  double bottom() const { return top + height; }
};

struct Axis {
  Scale scale;
  std::string title;
  std::size_t num_labels = 6;  // at most; 0: a vertical axis without ticks
};

inline constexpr double FontSize = 11;       // of titles, labels of marks and legends
inline constexpr double SmallFontSize = 10;  // of ticks

class Panel {
 public:
  // Draws frame, grid, ticks and titles. The box is the inner area: ticks and titles need about 38
  // pixels below it and 50 pixels to its left.
  Panel(Svg& svg, const Box& box, Axis x, Axis y);

  Svg& svg() { return svg_; }
  const Box& box() const { return box_; }
  double x(double value) const { return box_.left + box_.width * x_.scale.fraction(value); }
  double y(double value) const { return box_.bottom() - box_.height * y_.scale.fraction(value); }
  Point at(double x_value, double y_value) const { return {x(x_value), y(y_value)}; }

  // Writes lines of text into the top left corner.
  void note(const std::vector<std::string>& lines);

 private:
  void draw_x_axis();
  void draw_y_axis();

  Svg& svg_;
  Box box_;
  Axis x_, y_;
};

struct LegendEntry {
  std::string text;
  Ink ink = Ink::Text;
  Glyph glyph = Glyph::Circle;
};
// Returns the height of a legend that wraps at this width.
double legend_height(std::span<const LegendEntry> entries, double width);
void draw_legend(Svg& svg, Point corner, double width, std::span<const LegendEntry> entries);

}  // namespace thallo::plot
