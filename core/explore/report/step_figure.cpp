#include "core/explore/report/step_figure.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/quantity_text.h"

namespace thallo {
namespace {

using plot::Anchor;
using plot::Ink;

constexpr double StripWidth = 640, NamesWidth = 120, TimesWidth = 70;
constexpr double BarHeight = 20, BarDistance = 28;
constexpr std::size_t NumInks = 6;

struct Bar {
  std::string hash, name;
  std::map<std::string, double> seconds;  // by the label of a step
  double total = 0;                       // with what there is between the steps
};

std::vector<Bar> bars_of(const DeviceReport& report) {
  std::vector<Bar> bars;
  for (const Mark& mark : report.marks) {
    const auto steps = report.steps.find(mark.hash);
    if (steps == report.steps.end()) continue;
    if (const auto same = std::ranges::find(bars, mark.hash, &Bar::hash); same != bars.end()) {
      same->name += ", " + mark.name;
      continue;
    }
    Bar& bar = bars.emplace_back(Bar{mark.hash, mark.name, {}});
    for (const StepCost& step : steps->second) {
      bar.seconds[step.label] += step.seconds();
      bar.total += step.seconds();
    }
    bar.total = std::max(bar.total, mark.seconds.value_or(0));
  }
  return bars;
}

// The labels of the steps that have inks, those that take longest first.
std::vector<std::string> longest_steps(const std::vector<Bar>& bars) {
  std::map<std::string, double> longest;
  for (const Bar& bar : bars)
    for (const auto& [label, seconds] : bar.seconds)
      longest[label] = std::max(longest[label], seconds);
  std::vector<std::pair<double, std::string>> order;
  for (const auto& [label, seconds] : longest) order.emplace_back(-seconds, label);
  std::ranges::sort(order);
  std::vector<std::string> labels;
  for (std::size_t i = 0; i < std::min(order.size(), NumInks); ++i)
    labels.push_back(order[i].second);
  return labels;
}

}  // namespace

std::optional<Figure> step_times(const DeviceReport& report) {
  const std::vector<Bar> bars = bars_of(report);
  if (bars.empty()) return {};
  const double largest = std::ranges::max(bars, {}, &Bar::total).total;
  if (!(largest > 0)) return {};
  const std::vector<std::string> labels = longest_steps(bars);
  std::vector<plot::LegendEntry> legend;
  for (std::size_t i = 0; i < labels.size(); ++i)
    legend.push_back({labels[i], plot::ink_of_series(i), plot::Glyph::Square});
  legend.push_back({"other steps, and between them", Ink::Fill, plot::Glyph::Square});

  const double bottom = 6 + BarDistance * static_cast<double>(bars.size());
  plot::Svg svg(StripWidth, bottom + plot::legend_height(legend, StripWidth - 20) + 6,
                "Where the time of each schedule goes");
  double top = 6;
  for (const Bar& bar : bars) {
    svg.text({NamesWidth - 8, top + 14}, bar.name, {.size = plot::FontSize, .anchor = Anchor::End});
    double x = NamesWidth, rest = bar.total;
    const auto add = [&](double seconds, Ink ink) {
      const double width = (StripWidth - NamesWidth - TimesWidth) * seconds / largest;
      svg.rect({x, top}, width, BarHeight, ink);
      x += width;
      rest -= seconds;
    };
    for (std::size_t i = 0; i < labels.size(); ++i)
      if (const auto its = bar.seconds.find(labels[i]); its != bar.seconds.end())
        add(its->second, plot::ink_of_series(i));
    add(std::max(rest, 0.0), Ink::Fill);
    svg.text({x + 6, top + 14}, quantity_text(bar.total, "s"), {.size = plot::FontSize});
    top += BarDistance;
  }
  plot::draw_legend(svg, {10, bottom}, StripWidth - 20, legend);
  return Figure{"steps", "Where the time goes", std::move(svg)};
}

}  // namespace thallo
