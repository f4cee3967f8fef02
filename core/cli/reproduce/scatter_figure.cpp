#include "core/cli/reproduce/scatter_figure.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "core/cli/reproduce/figure_title.h"
#include "core/explore/plot/panel.h"

namespace thallo::cli {
namespace {

constexpr std::size_t PanelsInRow = 3;
constexpr double PanelSize = 160;
constexpr double LeftOfPanel = 62;
constexpr double AbovePanel = 24;  // the name of the case
constexpr double BelowPanel = 44;
constexpr std::size_t MostDots = 600;  // of a panel

std::vector<std::string> note_of(const MeasuredCase& measured) {
  std::vector<std::string> lines;
  const auto add = [&](const char* key, const char* title) {
    if (const auto found = measured.values.find(key); found != measured.values.end())
      lines.push_back(fmt::format("{} {:.2f}", title, found->second));
  };
  add("r2", "R²");
  add("rho", "ρ");
  return lines;
}

void draw_panel(plot::Svg& svg, plot::Point corner, const ReproducedCase& one, const Method& method,
                bool has_y_title) {
  const auto& points = one.measured->curve;
  double least = points.front().first, largest = least;
  for (const auto& [x, y] : points) {
    least = std::min({least, x, y});
    largest = std::max({largest, x, y});
  }
  svg.text({corner.x, corner.y - 8}, one.one->name, {.size = plot::FontSize, .is_bold = true});
  plot::Panel panel(svg, {corner.x, corner.y, PanelSize, PanelSize},
                    {plot::Scale::logarithmic(least, largest), std::string(method.curve_x), 4},
                    {plot::Scale::logarithmic(least, largest),
                     has_y_title ? std::string(method.curve_y) : "", 4});
  svg.line({panel.at(least, least), panel.at(largest, largest)}, {plot::Ink::Muted, 1, true});
  std::vector<plot::Point> dots;
  const std::size_t step = points.size() / MostDots + 1;
  for (std::size_t i = 0; i < points.size(); i += step)
    dots.push_back(panel.at(points[i].first, points[i].second));
  svg.dots(dots, plot::Ink::Blue, 4, 0.4);
  panel.note(note_of(*one.measured));
}

}  // namespace

std::string scatter_svg(const Reproduction& made) {
  const Method& method = *find_method(made.item->method);
  std::vector<const ReproducedCase*> drawn;
  for (const ReproducedCase& one : made.cases)
    if (one.measured && !one.measured->curve.empty()) drawn.push_back(&one);
  const std::size_t num_rows = (drawn.size() + PanelsInRow - 1) / PanelsInRow;
  constexpr double PanelRow = AbovePanel + PanelSize + BelowPanel;
  plot::Svg svg(FigureWidth, FigureTitleHeight + PanelRow * static_cast<double>(num_rows),
                figure_title(made));
  draw_figure_title(svg, made);
  for (std::size_t i = 0; i < drawn.size(); ++i) {
    const std::size_t column = i % PanelsInRow;
    const double x =
        FigureMargin + LeftOfPanel + static_cast<double>(column) * (PanelSize + LeftOfPanel + 10);
    const double y =
        FigureTitleHeight + AbovePanel + PanelRow * static_cast<double>(i / PanelsInRow);
    draw_panel(svg, {x, y}, *drawn[i], method, column == 0);
  }
  return svg.file(plot::Theme::FollowsReader);
}

}  // namespace thallo::cli
