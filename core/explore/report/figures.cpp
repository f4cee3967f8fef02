#include "core/explore/report/figures.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/explore/measure/statistics.h"
#include "core/explore/plot/label_rows.h"
#include "core/explore/report/mark_lines.h"
#include "core/explore/report/statistics_of_results.h"
#include "core/explore/report/step_figure.h"

namespace thallo {
namespace {

using plot::Axis;
using plot::Box;
using plot::Glyph;
using plot::Ink;
using plot::LegendEntry;
using plot::Panel;
using plot::Point;
using plot::Scale;
using plot::Svg;
using plot::TimeUnit;

// The width of a column of a paper, in which the figure's texts are as large as captions.
constexpr double ColumnWidth = 400;
constexpr double Left = 56;
constexpr double Right = 12;
constexpr double Below = 40;
constexpr double Above = 10;

// A schedule with marks, listed under all its names; it is drawn in the style of the first one.
struct MarkedSchedule {
  std::string hash;
  std::vector<std::string> names;

  std::string name() const { return fmt::format("{}", fmt::join(names, ", ")); }
  LegendEntry style() const { return mark_style(names.front()); }
};

std::vector<MarkedSchedule> marked_schedules(const DeviceReport& report) {
  std::vector<MarkedSchedule> marked;
  for (const Mark& mark : report.marks) {
    if (mark.hash.empty()) continue;
    const auto its = std::ranges::find(marked, mark.hash, &MarkedSchedule::hash);
    if (its != marked.end()) {
      its->names.push_back(mark.name);
    } else {
      marked.push_back({mark.hash, {mark.name}});
    }
  }
  // The best schedule always has the style of "best".
  for (MarkedSchedule& its : marked) {
    const auto best = std::ranges::find(its.names, "best");
    if (best != its.names.end()) std::rotate(its.names.begin(), best, best + 1);
  }
  return marked;
}

double middle_of(double least, double largest) { return std::sqrt(least * largest); }

// --- distribution ---

// Draws the texts on top of the lines that they cross.
void draw_marks(Panel& panel, const std::vector<MarkLine>& lines,
                const std::vector<plot::LabelPlace>& places, const TimeUnit& unit,
                double row_height) {
  const auto top_of = [&](std::size_t i) {
    return Point{panel.x(lines[i].seconds / unit.seconds),
                 panel.box().top - row_height * (places[i].row + 0.5) - 3};
  };
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const bool is_median = lines[i].is_median();
    const Ink ink = is_median ? Ink::Muted : mark_style(lines[i].names.front()).ink;
    const Point top = top_of(i);
    panel.svg().line({{top.x, top.y - 5}, {top.x, panel.box().bottom()}}, {ink, 1.5, is_median});
  }
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const bool is_right = places[i].is_right;
    const Point top = top_of(i);
    panel.svg().text({top.x + (is_right ? 4 : -4), top.y + 0.35 * plot::FontSize}, lines[i].text,
                     {.size = plot::FontSize,
                      .anchor = is_right ? plot::Anchor::Start : plot::Anchor::End,
                      .is_bold = lines[i].is_best(),
                      .has_halo = true});
  }
}

void draw_histogram(Panel& panel, const Histogram& histogram, const TimeUnit& unit) {
  for (std::size_t b = 0; b < histogram.counts.size(); ++b) {
    if (histogram.counts[b] == 0) continue;
    const double from = panel.x(histogram.edges[b] / unit.seconds);
    const double to = panel.x(histogram.edges[b + 1] / unit.seconds);
    const double width = std::max(2.0, to - from - 0.6);
    const double top = panel.y(static_cast<double>(histogram.counts[b]));
    panel.svg().rect({(from + to - width) / 2, top}, width, panel.box().bottom() - top, Ink::Fill);
  }
}

void draw_rug(Panel& panel, std::span<const double> times, const TimeUnit& unit) {
  std::set<double> drawn;  // positions drawn so far, a third of a pixel apart
  for (const double time : times) {
    const double x = std::round(3 * panel.x(time / unit.seconds)) / 3;
    if (!drawn.insert(x).second) continue;
    panel.svg().line({{x, panel.box().bottom()}, {x, panel.box().bottom() - 5}}, {Ink::Muted, 0.5});
  }
}

std::optional<Figure> distribution(const DeviceReport& report) {
  std::vector<double> times;
  for (const std::size_t i : by_time(report.candidates, report.kind))
    times.push_back(*measured_seconds(report.candidates[i], report.kind));
  if (times.empty()) return {};
  constexpr double RowHeight = 15;
  constexpr double Height = 130;
  const TimeUnit unit = plot::time_unit(middle_of(times.front(), times.back()));
  const Scale scale = Scale::logarithmic(times.front() / unit.seconds, times.back() / unit.seconds);

  const std::vector<MarkLine> lines = mark_lines(report.marks);
  const double width = ColumnWidth - Left - Right;
  std::vector<plot::LineLabel> labels;
  for (const MarkLine& line : lines)
    labels.push_back({Left + width * scale.fraction(line.seconds / unit.seconds),
                      plot::text_width(line.text, plot::FontSize) + 5});
  const auto places = plot::place_labels(labels, Left - 40, ColumnWidth);
  int rows = 0;
  for (const plot::LabelPlace& place : places) rows = std::max(rows, place.row + 1);

  const Histogram histogram = log_histogram(times, num_bins_of(times.size()));
  const auto most = static_cast<double>(*std::ranges::max_element(histogram.counts));
  const double top = Above + RowHeight * rows;
  Svg svg(ColumnWidth, top + Height + Below,
          fmt::format("The times of {} schedules", times.size()));
  Panel panel(svg, {Left, top, width, Height},
              {scale, fmt::format("time of a nonlinear iteration ({})", unit.name), 7},
              {Scale::linear(0, 1.05 * most), "schedules", 5});
  draw_histogram(panel, histogram, unit);
  draw_rug(panel, times, unit);
  draw_marks(panel, lines, places, unit, RowHeight);
  return Figure{"distribution", "Times of all schedules", std::move(svg)};
}

// --- pairs of times ---

struct TimePair {
  std::string hash;
  double x = 0, y = 0;  // seconds
};

struct Range {
  double least = 0, largest = 0;
};

// The axis that a panel uses in both directions to compare times.
struct PairAxis {
  TimeUnit unit;
  Scale scale;
};

PairAxis axis_of(std::span<const TimePair> pairs) {
  Range range{pairs.front().x, pairs.front().x};
  for (const TimePair& pair : pairs) {
    range.least = std::min({range.least, pair.x, pair.y});
    range.largest = std::max({range.largest, pair.x, pair.y});
  }
  const TimeUnit unit = plot::time_unit(middle_of(range.least, range.largest));
  return {unit, Scale::logarithmic(range.least / unit.seconds, range.largest / unit.seconds)};
}

struct PairTitles {
  std::string x, y;
};

// Draws a square panel with the line of equal times.
Panel draw_pairs(Svg& svg, const Box& box, const PairAxis& axis, std::span<const TimePair> pairs,
                 std::span<const MarkedSchedule> marked, const PairTitles& titles) {
  const auto& [unit, scale] = axis;
  Panel panel(svg, box, {scale, titles.x, 5}, {scale, titles.y, 5});
  svg.line({panel.at(scale.first(), scale.first()), panel.at(scale.last(), scale.last())},
           {Ink::Muted, 1, true});
  std::vector<Point> points;
  for (const TimePair& pair : pairs)
    points.push_back(panel.at(pair.x / unit.seconds, pair.y / unit.seconds));
  const bool is_crowded = points.size() > 500;
  svg.dots(points, Ink::Text, is_crowded ? 2 : 3.5, is_crowded ? 0.3 : 0.5);
  for (const MarkedSchedule& mark : marked) {
    const auto its = std::ranges::find(pairs, mark.hash, &TimePair::hash);
    if (its == pairs.end()) continue;
    svg.glyph(panel.at(its->x / unit.seconds, its->y / unit.seconds), mark.style().glyph,
              mark.style().ink, 8);
  }
  return panel;
}

std::vector<LegendEntry> legend_of(std::span<const MarkedSchedule> marked,
                                   const std::set<std::string>& shown) {
  std::vector<LegendEntry> entries;
  for (const MarkedSchedule& mark : marked)
    if (shown.contains(mark.hash))
      entries.push_back({mark.name(), mark.style().ink, mark.style().glyph});
  return entries;
}

std::vector<TimePair> predicted_pairs(const DeviceReport& report, const std::string& model) {
  std::vector<TimePair> pairs;
  for (const Candidate& candidate : report.candidates) {
    const auto measured = measured_seconds(candidate, report.kind);
    const auto predicted = candidate.predicted(model);
    if (!measured || !predicted || !std::isfinite(*predicted)) continue;
    if (*predicted > 0 && *measured > 0) pairs.push_back({candidate.hash, *measured, *predicted});
  }
  return pairs;
}

std::optional<Figure> prediction(const DeviceReport& report) {
  struct ModelPairs {
    const ModelAccuracy* model;
    std::vector<TimePair> pairs;
  };
  std::vector<ModelPairs> models;
  std::vector<TimePair> all;
  std::set<std::string> shown;
  for (const ModelAccuracy& model : report.models) {
    std::vector<TimePair> pairs = predicted_pairs(report, model.model);
    if (pairs.empty()) continue;
    for (const TimePair& pair : pairs) shown.insert(pair.hash);
    all.insert(all.end(), pairs.begin(), pairs.end());
    models.push_back({&model, std::move(pairs)});
  }
  if (models.empty()) return {};
  constexpr double Side = 170;
  constexpr double Pitch = Side + 62;
  constexpr double Title = 20;
  const std::vector<MarkedSchedule> marked = marked_schedules(report);
  const std::vector<LegendEntry> legend = legend_of(marked, shown);
  const double width = Pitch * static_cast<double>(models.size()) + Right;
  const double height = Above + Title + Side + Below + 2;
  Svg svg(width, height + plot::legend_height(legend, width - Left - Right) + 4,
          "Predicted against measured times");
  const PairAxis axis = axis_of(all);
  for (std::size_t m = 0; m < models.size(); ++m) {
    const Box box{Left + Pitch * static_cast<double>(m), Above + Title, Side, Side};
    const ModelAccuracy& model = *models[m].model;
    const PairTitles titles = {fmt::format("measured ({})", axis.unit.name),
                               m == 0 ? fmt::format("predicted ({})", axis.unit.name) : ""};
    Panel panel = draw_pairs(svg, box, axis, models[m].pairs, marked, titles);
    svg.text({box.left + Side / 2, box.top - 7}, model.model,
             {.size = plot::FontSize, .anchor = plot::Anchor::Middle, .is_bold = true});
    panel.note({model.rho ? fmt::format("ρ = {:.3f}", *model.rho) : "ρ undefined",
                fmt::format("n = {}", model.num_compared)});
  }
  plot::draw_legend(svg, {Left, height}, width - Left - Right, legend);
  return Figure{"prediction", "Predicted against measured times", std::move(svg)};
}

std::optional<Figure> composition(const DeviceReport& report) {
  std::vector<TimePair> pairs;
  std::set<std::string> shown;
  for (const Composition::Pair& pair : report.composition.pairs) {
    if (pair.composed <= 0 || pair.end_to_end <= 0) continue;
    pairs.push_back({pair.hash, pair.end_to_end, pair.composed});
    shown.insert(pair.hash);
  }
  if (pairs.empty()) return {};
  constexpr double Side = 220;
  const std::vector<MarkedSchedule> marked = marked_schedules(report);
  const std::vector<LegendEntry> legend = legend_of(marked, shown);
  const double width = Left + Side + Right + 20;
  const double height = Above + Side + Below + 2;
  Svg svg(width, height + plot::legend_height(legend, width - Left - Right) + 4,
          "Times composed of those of steps against times of whole solves");
  const PairAxis axis = axis_of(pairs);
  Panel panel = draw_pairs(svg, {Left, Above, Side, Side}, axis, pairs, marked,
                           {fmt::format("whole solves ({})", axis.unit.name),
                            fmt::format("composed of steps ({})", axis.unit.name)});
  panel.note({fmt::format("median error {:.1f} %", 100 * report.composition.median_error),
              fmt::format("worst {:+.1f} %", 100 * report.composition.worst_error)});
  plot::draw_legend(svg, {Left, height}, width - Left - Right, legend);
  return Figure{"composition", "Composed times against whole solves", std::move(svg)};
}

// --- convergence ---

// Solves of unmarked schedules are drawn as a background; this many show what is usual.
constexpr std::size_t MostOthers = 60;

// The ranges over all traces: of the times from the first to the last iteration, and of the costs.
struct TraceRanges {
  Range seconds, cost;
};
std::optional<TraceRanges> ranges_of(const DeviceReport& report) {
  Range seconds;
  Range cost{report.best_cost.value_or(0), report.best_cost.value_or(0)};
  for (const CostTrace& trace : report.traces) {
    for (std::size_t i = 0; i < trace.points.size(); ++i) {
      const auto& [at, value] = trace.points[i];
      cost.largest = std::max(cost.largest, value);
      if (i == 0 || at <= 0) continue;
      seconds.least = seconds.least == 0 ? at : std::min(seconds.least, at);
      seconds.largest = std::max(seconds.largest, at);
    }
  }
  if (seconds.least == 0) return {};
  return TraceRanges{seconds, cost};
}

std::optional<Figure> convergence(const DeviceReport& report) {
  const auto ranges = ranges_of(report);
  if (!ranges) return {};
  const auto [seconds, cost] = *ranges;
  const TimeUnit unit = plot::time_unit(middle_of(seconds.least, seconds.largest));
  // Times differ by orders of magnitude. Everything before the first iteration is drawn at the left
  // end.
  const Scale times =
      Scale::logarithmic(0.7 * seconds.least / unit.seconds, seconds.largest / unit.seconds);
  const bool is_wide = cost.least > 0 && cost.largest > 3 * cost.least;
  const std::vector<MarkedSchedule> marked = marked_schedules(report);
  std::set<std::string> shown;
  for (const CostTrace& trace : report.traces) shown.insert(trace.hash);
  const std::vector<LegendEntry> legend = legend_of(marked, shown);

  constexpr double Height = 190;
  const double height = Above + Height + Below + 2;
  const double width = ColumnWidth - Left - Right;
  Svg svg(ColumnWidth, height + plot::legend_height(legend, width) + 4,
          "The cost against the time of whole solves");
  Panel panel(svg, {Left, Above, width, Height},
              {times, fmt::format("time of the solve ({})", unit.name), 7},
              {is_wide ? Scale::logarithmic(cost.least, cost.largest)
                       : Scale::linear(cost.least, cost.largest),
               "cost", 6});
  const auto place = [&](const CostPoint& point) {
    return panel.at(std::max(times.first(), point.seconds / unit.seconds), point.cost);
  };
  // Draws stairs: the cost stays that of the previous iteration until an iteration ends.
  const auto draw_curve = [&](const CostTrace& trace, const plot::Stroke& stroke) {
    std::vector<Point> curve;
    for (const CostPoint& point : trace.points) {
      const Point at = place(point);
      if (!curve.empty()) curve.push_back({at.x, curve.back().y});
      curve.push_back(at);
    }
    svg.line(curve, stroke);
  };
  std::size_t others = 0;
  for (const CostTrace& trace : report.traces) {
    const bool is_marked =
        std::ranges::find(marked, trace.hash, &MarkedSchedule::hash) != marked.end();
    if (!is_marked && others++ < MostOthers) draw_curve(trace, {Ink::Fill, 0.8});
  }
  for (const MarkedSchedule& mark : marked) {
    const auto trace = std::ranges::find(report.traces, mark.hash, &CostTrace::hash);
    if (trace == report.traces.end()) continue;
    draw_curve(*trace, {mark.style().ink, 1.8});
    // Draws no further dots once the cost is within 0.1 % of the lowest one: they would
    // cover each other.
    for (const CostPoint& point : trace->points) {
      svg.glyph(place(point), mark.style().glyph, mark.style().ink, 7);
      if (point.cost <= cost.least * 1.001) break;
    }
  }
  plot::draw_legend(svg, {Left, height}, width, legend);
  return Figure{"convergence", "Cost against time", std::move(svg)};
}

}  // namespace

LegendEntry mark_style(std::string_view name) {
  static const std::array Styles = {LegendEntry{"best", Ink::Vermillion, Glyph::Circle},
                                    LegendEntry{"published-default", Ink::Blue, Glyph::Square},
                                    LegendEntry{"default", Ink::Sky, Glyph::Diamond},
                                    LegendEntry{"opt", Ink::Green, Glyph::TriangleUp},
                                    LegendEntry{"auto", Ink::Purple, Glyph::TriangleDown},
                                    LegendEntry{"file", Ink::Orange, Glyph::Cross}};
  const auto its = std::ranges::find(Styles, name, &LegendEntry::text);
  return its == Styles.end() ? LegendEntry{std::string(name)} : *its;
}

std::vector<Figure> figures_of(const DeviceReport& report) {
  std::vector<Figure> figures;
  for (const auto& draw : {distribution, step_times, prediction, composition, convergence})
    if (auto figure = draw(report)) figures.push_back(*std::move(figure));
  return figures;
}

}  // namespace thallo
