#include "core/cli/reproduce/figure.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/cli/reproduce/figure_title.h"
#include "core/cli/reproduce/scatter_figure.h"
#include "core/explore/plot/panel.h"

namespace thallo::cli {
namespace {

using plot::Glyph;
using plot::Ink;

constexpr double RowHeight = 22;

// A dot of a row.
struct Mark {
  double value = 0;
  std::size_t quantity = 0;
  bool is_ours = false;
};
struct Row {
  std::string name;
  std::vector<Mark> marks;
};

// Of quantities, the quotients if there are any: they can be compared where times cannot. Of these
// the ones of which both sides are known; if few cases have such, all that are known.
std::vector<Row> rows_of(const Reproduction& made) {
  const bool has_ratio = std::ranges::any_of(
      made.item->quantities, [](const Quantity& q) { return !q.ratio.first.empty(); });
  std::vector<Row> both, any;
  for (const ReproducedCase& one : made.cases) {
    Row paired{one.one->name, {}}, all{one.one->name, {}};
    for (std::size_t q = 0; q < made.item->quantities.size(); ++q) {
      const Quantity& quantity = made.item->quantities[q];
      if (has_ratio && quantity.ratio.first.empty()) continue;
      const auto published = value_of(quantity, one.one->published);
      const auto ours = one.measured ? value_of(quantity, *one.measured) : std::nullopt;
      if (published) all.marks.push_back({*published, q, false});
      if (ours) all.marks.push_back({ours->value, q, true});
      if (published && ours) {
        paired.marks.push_back({*published, q, false});
        paired.marks.push_back({ours->value, q, true});
      }
    }
    if (!paired.marks.empty()) both.push_back(std::move(paired));
    if (!all.marks.empty()) any.push_back(std::move(all));
  }
  return 2 * both.size() < any.size() ? any : both;
}

// Percents above the best as multiples of the best, for which there is a logarithmic axis.
bool make_percents_multiples(const Reproduction& made, std::vector<Row>& rows) {
  for (const Row& row : rows)
    for (const Mark& mark : row.marks)
      if (made.item->quantities[mark.quantity].title.find('%') == std::string::npos) return false;
  for (Row& row : rows)
    for (Mark& mark : row.marks) mark.value = 1 + mark.value / 100;
  return true;
}

plot::Scale scale_of(const std::vector<Row>& rows) {
  double least = rows.front().marks.front().value, largest = least;
  for (const Row& row : rows) {
    for (const Mark& mark : row.marks) {
      least = std::min(least, mark.value);
      largest = std::max(largest, mark.value);
    }
  }
  return least > 0 ? plot::Scale::logarithmic(least, largest)
                   : plot::Scale::linear(std::min(least, 0.0), largest);
}

std::string rows_svg(const Reproduction& made, std::vector<Row> rows) {
  const bool is_percent = make_percents_multiples(made, rows);
  double label_width = 0;
  for (const Row& row : rows)
    label_width = std::max(label_width, plot::text_width(row.name, plot::FontSize));
  std::vector<plot::LegendEntry> legend = {{"published", Ink::Muted, Glyph::Square}};
  for (std::size_t q = 0; q < made.item->quantities.size(); ++q) {
    const bool is_drawn = std::ranges::any_of(rows, [&](const Row& row) {
      return std::ranges::any_of(row.marks,
                                 [&](const Mark& m) { return m.quantity == q && m.is_ours; });
    });
    if (is_drawn)
      legend.push_back(
          {"ours: " + made.item->quantities[q].title, plot::ink_of_series(q), Glyph::Circle});
  }
  const double inner = FigureWidth - 2 * FigureMargin;
  const double legend_height = plot::legend_height(legend, inner);
  // A line of its own for each quantity of a row, so that no dot hides another's.
  std::vector<std::size_t> drawn;
  for (const Row& row : rows)
    for (const Mark& mark : row.marks)
      if (std::ranges::find(drawn, mark.quantity) == drawn.end()) drawn.push_back(mark.quantity);
  std::ranges::sort(drawn);
  const double row_height = std::max(RowHeight, 14.0 * static_cast<double>(drawn.size()) + 6);
  const double height = row_height * static_cast<double>(rows.size());
  const double top = FigureTitleHeight + legend_height + 8;
  plot::Svg svg(FigureWidth, top + height + 48, figure_title(made));
  draw_figure_title(svg, made);
  plot::draw_legend(svg, {FigureMargin, FigureTitleHeight}, inner, legend);
  const plot::Box box{FigureMargin + label_width + 12, top, inner - label_width - 12, height};
  const double num_rows = static_cast<double>(rows.size());
  plot::Panel panel(svg, box,
                    {scale_of(rows), is_percent ? "times the best" : "published and ours"},
                    {plot::Scale::linear(0, num_rows), "", rows.size()});
  svg.rect({0, box.top - 10}, box.left - 2, height + 18, Ink::Ground);  // rows are no numbers
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const double row_top = box.top + row_height * static_cast<double>(r);
    svg.text({box.left - 8, row_top + row_height / 2 + 4}, rows[r].name,
             {.size = plot::FontSize, .anchor = plot::Anchor::End});
    if (r > 0) svg.line({{box.left, row_top}, {box.right(), row_top}}, {Ink::Grid, 1});
    for (const Mark& mark : rows[r].marks) {
      const auto line = std::ranges::find(drawn, mark.quantity) - drawn.begin();
      const double share =
          (static_cast<double>(line) + 1) / (static_cast<double>(drawn.size()) + 1);
      const plot::Point at{panel.x(mark.value), row_top + row_height * share};
      svg.glyph(at, mark.is_ours ? Glyph::Circle : Glyph::Square,
                mark.is_ours ? plot::ink_of_series(mark.quantity) : Ink::Muted,
                mark.is_ours ? 7 : 11);  // so that equal values show both
    }
  }
  return svg.file(plot::Theme::FollowsReader);
}

// Returns where the schedule auto stands in a distribution, which is drawn as a line across it.
std::optional<double> auto_of(const ReproducedCase& one) {
  const auto found = one.measured->values.find("auto");
  return found == one.measured->values.end() ? std::nullopt : std::optional(found->second);
}

std::string curves_svg(const Reproduction& made) {
  const Method& method = *find_method(made.item->method);
  std::vector<const ReproducedCase*> drawn;
  std::vector<double> xs, ys;
  for (const ReproducedCase& one : made.cases) {
    if (!one.measured || one.measured->curve.empty()) continue;
    drawn.push_back(&one);
    for (const auto& [x, y] : one.measured->curve) {
      xs.push_back(x);
      ys.push_back(y);
    }
    if (const auto at = auto_of(one)) ys.push_back(*at);
  }
  std::vector<plot::LegendEntry> legend;
  for (std::size_t i = 0; i < drawn.size(); ++i)
    legend.push_back({drawn[i]->one->name, plot::ink_of_series(i), plot::glyph_of_series(i)});
  const double inner = FigureWidth - 2 * FigureMargin;
  const double legend_height = plot::legend_height(legend, inner);
  const double top = FigureTitleHeight + legend_height + 8;
  constexpr double Height = 320;
  plot::Svg svg(FigureWidth, top + Height + 48, figure_title(made));
  draw_figure_title(svg, made);
  plot::draw_legend(svg, {FigureMargin, FigureTitleHeight}, inner, legend);
  const auto [first, last] = std::ranges::minmax(xs);
  const auto [least, largest] = std::ranges::minmax(ys);
  plot::Panel panel(svg, {FigureMargin + 50, top, inner - 50, Height},
                    {method.curve_x.starts_with("share") ? plot::Scale::linear(0, 1)
                                                         : plot::Scale::logarithmic(first, last),
                     std::string(method.curve_x)},
                    {plot::Scale::logarithmic(least, largest), std::string(method.curve_y)});
  constexpr std::size_t MostGlyphs = 60;  // of a curve, so that they stay apart
  for (std::size_t i = 0; i < drawn.size(); ++i) {
    std::vector<plot::Point> points;
    for (const auto& [x, y] : drawn[i]->measured->curve) points.push_back(panel.at(x, y));
    svg.line(points, {plot::ink_of_series(i), 1.5});
    if (const auto at = auto_of(*drawn[i])) {
      svg.line({panel.at(0, *at), panel.at(1, *at)}, {plot::ink_of_series(i), 1, true});
      svg.text({panel.x(0) + 6, panel.y(*at) - 4}, drawn[i]->one->name + ": auto",
               {.size = plot::SmallFontSize, .has_halo = true});
    }
    const std::size_t step = points.size() / MostGlyphs + 1;
    for (std::size_t k = 0; k < points.size(); k += step)
      svg.glyph(points[k], plot::glyph_of_series(i), plot::ink_of_series(i), 6);
  }
  return svg.file(plot::Theme::FollowsReader);
}

}  // namespace

std::optional<std::string> reproduction_svg(const Reproduction& made) {
  const bool has_curves = std::ranges::any_of(made.cases, [](const ReproducedCase& one) {
    return one.measured && !one.measured->curve.empty();
  });
  if (has_curves)
    return find_method(made.item->method)->marks == Method::Marks::Scatter ? scatter_svg(made)
                                                                           : curves_svg(made);
  std::vector<Row> rows = rows_of(made);
  if (rows.empty()) return {};
  return rows_svg(made, std::move(rows));
}

}  // namespace thallo::cli
