#include "core/explore/report/curve_figures.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "core/explore/plot/panel.h"

namespace thallo {
namespace {

using plot::Box;
using plot::Glyph;
using plot::Ink;
using plot::LegendEntry;
using plot::Panel;
using plot::Point;
using plot::Scale;
using plot::Svg;
using plot::TimeUnit;

constexpr double CurvesLeft = 56;
constexpr double CurvesRight = 12;
constexpr double CurvesAbove = 30;  // has the title of a panel
constexpr double CurvesBelow = 42;
constexpr double CurvesGap = 4;
constexpr double CurvesHeight = 200;
constexpr double NoteLine = 13;    // the height of a line below the legend
constexpr double OnlyWidth = 380;  // of a panel that has none beside it
constexpr double EachWidth = 300;

// A curve and how it is drawn. A kind that was recorded looks like the replay of its search if
// there is one of the same label.
struct DrawnCurve {
  std::string label;
  std::vector<MedianPoint> points;
  Ink ink = Ink::Text;
  Glyph glyph = Glyph::Circle;
};

struct DrawnPanel {
  std::string title;
  std::vector<DrawnCurve> curves;
};

// Looks of the labels, in the order in which they were asked for.
class Looks {
 public:
  std::pair<Ink, Glyph> of(const std::string& label) {
    auto found = std::ranges::find(labels_, label);
    if (found == labels_.end()) found = labels_.insert(found, label);
    const auto number = static_cast<std::size_t>(found - labels_.begin());
    return {plot::ink_of_series(number), plot::glyph_of_series(number)};
  }
  std::vector<LegendEntry> legend() {
    std::vector<LegendEntry> entries;
    for (const std::string& label : std::vector(labels_)) {
      const auto [ink, glyph] = of(label);
      entries.push_back({label, ink, glyph});
    }
    return entries;
  }

 private:
  std::vector<std::string> labels_;
};

// Only places at which all runs have a time.
std::vector<MedianPoint> finite_points(const SearchCurves& curves, CurveAxis axis) {
  std::vector<MedianPoint> points = median_curve(curves, axis);
  std::erase_if(points, [](const MedianPoint& point) { return !std::isfinite(point.most); });
  return points;
}

std::optional<DrawnPanel> curve_panel(std::string title, std::span<const SearchCurves> all,
                                      CurveAxis axis, Looks& looks) {
  DrawnPanel panel{.title = std::move(title)};
  for (const SearchCurves& curves : all) {
    std::vector<MedianPoint> points = finite_points(curves, axis);
    if (points.empty()) continue;
    const auto [ink, glyph] = looks.of(curves.label);
    panel.curves.push_back({curves.label, std::move(points), ink, glyph});
  }
  if (panel.curves.empty()) return {};
  return panel;
}

double slowest_of(const std::vector<DrawnPanel>& panels) {
  double slowest = 0;
  for (const DrawnPanel& panel : panels)
    for (const DrawnCurve& curve : panel.curves)
      slowest = std::max(slowest, curve.points.front().most);
  return slowest;
}

Scale places_of(const DrawnPanel& panel, CurveAxis axis) {
  double first = panel.curves.front().points.front().at;
  double last = first;
  for (const DrawnCurve& curve : panel.curves) {
    first = std::min(first, curve.points.front().at);
    last = std::max(last, curve.points.back().at);
  }
  if (axis == CurveAxis::Schedules) return Scale::logarithmic(1, std::max(2.0, last));
  // What takes no time that a clock sees has no logarithm.
  last = std::max(last, 1e-6);
  return Scale::logarithmic(std::max(first, 1e-4 * last), last);
}

// The axis of times, which panels share.
struct TimeAxis {
  Scale scale;
  TimeUnit unit;
  double best_known = 0;
};

// Returns stairs, each step at the next place.
std::vector<Point> stairs(const Panel& panel, const Scale& places, const TimeAxis& times,
                          const std::vector<MedianPoint>& points, double MedianPoint::*value) {
  std::vector<Point> line;
  for (const MedianPoint& point : points) {
    const double time = std::min(point.*value / times.unit.seconds, times.scale.last());
    const Point next = panel.at(std::max(point.at, places.first()), time);
    if (!line.empty()) line.push_back({next.x, line.back().y});
    line.push_back(next);
  }
  return line;
}

void draw_curves(Svg& svg, const Box& box, const DrawnPanel& drawn, CurveAxis axis,
                 const TimeAxis& times, bool has_title) {
  const Scale places = places_of(drawn, axis);
  const std::string title = fmt::format("best time so far ({})", times.unit.name);
  Panel panel(svg, box,
              {places, axis == CurveAxis::Schedules ? "schedules measured" : "seconds", 7},
              {times.scale, has_title ? title : "", 6});
  svg.text({box.left + box.width / 2, box.top - 9}, drawn.title,
           {.size = plot::FontSize, .anchor = plot::Anchor::Middle, .is_bold = true});
  const double best = panel.y(times.best_known / times.unit.seconds);
  svg.line({{box.left, best}, {box.right(), best}}, {Ink::Muted, 1, true});
  const auto line_of = [&](const DrawnCurve& curve, double MedianPoint::*value) {
    return stairs(panel, places, times, curve.points, value);
  };
  for (const DrawnCurve& curve : drawn.curves) {
    std::vector<Point> band = line_of(curve, &MedianPoint::most);
    const std::vector<Point> lower = line_of(curve, &MedianPoint::least);
    band.insert(band.end(), lower.rbegin(), lower.rend());
    svg.area(band, curve.ink, 0.15);
  }
  for (const DrawnCurve& curve : drawn.curves) {
    const std::vector<Point> line = line_of(curve, &MedianPoint::median);
    svg.line(line, {curve.ink, 1.8});
    svg.glyph(line.back(), curve.glyph, curve.ink, 7);
  }
}

std::optional<Svg> curve_picture(const CurveComparison& comparison, CurveAxis axis,
                                 const std::string& title) {
  Looks looks;
  std::vector<DrawnPanel> panels;
  if (auto replays = curve_panel("replayed", comparison.replayed, axis, looks))
    panels.push_back(*std::move(replays));
  if (auto runs = curve_panel("as recorded", comparison.recorded.kinds, axis, looks))
    panels.push_back(*std::move(runs));
  if (panels.empty()) return {};
  const double best_known = comparison.best_known;
  const TimeUnit unit = plot::time_unit(best_known);
  const double slowest = std::max(best_known, slowest_of(panels));
  const double largest = std::min(slowest, LargestShownFactor * best_known);
  const TimeAxis times{Scale::logarithmic(best_known / unit.seconds, largest / unit.seconds), unit,
                       best_known};
  const bool is_cut = slowest > largest;
  const double width = panels.size() == 1 ? OnlyWidth : EachWidth;
  const auto num_panels = static_cast<double>(panels.size());
  const double inside = num_panels * width + (num_panels - 1) * (CurvesLeft + CurvesGap);
  const std::vector<LegendEntry> legend = looks.legend();
  const double bottom = CurvesAbove + CurvesHeight + CurvesBelow;
  const double legend_height = plot::legend_height(legend, inside);
  Svg svg(CurvesLeft + inside + CurvesRight,
          bottom + legend_height + NoteLine * (is_cut ? 2.5 : 1.5), title);
  double left = CurvesLeft;
  for (const DrawnPanel& panel : panels) {
    draw_curves(svg, {left, CurvesAbove, width, CurvesHeight}, panel, axis, times,
                left == CurvesLeft);
    left += width + CurvesLeft + CurvesGap;
  }
  plot::draw_legend(svg, {CurvesLeft, bottom}, inside, legend);
  const auto note = [&](int line, const std::string& text) {
    svg.text({CurvesLeft, bottom + legend_height + NoteLine * line}, text,
             {.size = plot::SmallFontSize, .ink = Ink::Muted});
  };
  note(1, "lines: median of the seeds; bands: from the fastest to the slowest; dashed: best known");
  if (is_cut)
    note(2, fmt::format("the axis ends at {} times the best known, where slower times stand",
                        LargestShownFactor));
  return svg;
}

}  // namespace

std::vector<Figure> curve_figures(const CurveComparison& comparison) {
  std::vector<Figure> figures;
  if (!(comparison.best_known > 0) || !std::isfinite(comparison.best_known)) return figures;
  const auto draw = [&](CurveAxis axis, std::string name, std::string title) {
    if (auto drawn = curve_picture(comparison, axis, title))
      figures.push_back({std::move(name), std::move(title), *std::move(drawn)});
  };
  draw(CurveAxis::Schedules, "curves_by_schedules", "The best time against schedules measured");
  draw(CurveAxis::Seconds, "curves_by_time", "The best time against seconds");
  return figures;
}

}  // namespace thallo
