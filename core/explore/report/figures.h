#pragma once

// Draws the figures of a report on one device. A mark has the same ink and shape in all figures.

#include <string>
#include <string_view>
#include <vector>

#include "core/explore/plot/panel.h"
#include "core/explore/plot/svg.h"
#include "core/explore/report/report.h"

namespace thallo {

// How a schedule of this name is drawn: "best", "auto", "default", ...
plot::LegendEntry mark_style(std::string_view name);

struct Figure {
  std::string name;   // "distribution"
  std::string title;  // "Times of all schedules"
  plot::Svg picture;
};

// Returns the figures that there are results for:
//
//   distribution   histogram and rug of the times, with the marks
//   steps          the time of each marked schedule, divided into its steps
//   prediction     predicted against measured, a panel for each model
//   composition    sums of the times of steps against whole solves
//   convergence    cost against time of the solves: the marks', and beside them others
std::vector<Figure> figures_of(const DeviceReport& report);

}  // namespace thallo
