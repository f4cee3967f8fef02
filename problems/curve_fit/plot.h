// A small chart: dots and lines over two labeled axes, drawn into an Image.
#pragma once

#include <vector>

#include "core/problem/report/canvas.h"

namespace thallo::curve_fit {

struct Series {
  std::vector<double> x;
  std::vector<double> y;  // as many; a point that is not finite breaks a line
  Rgb color = {0, 0, 0};
  bool line = false;  // else dots
};

// The axes cover the ranges of the dots, or of all series if none has dots; lines are clipped.
// Ticks stand at round numbers.
Image plot(const std::vector<Series>& series, int width = 720, int height = 440);

// About `count` round numbers (1, 2 or 5 times a power of ten apart) from low to high.
std::vector<double> round_ticks(double low, double high, int count);

}  // namespace thallo::curve_fit
