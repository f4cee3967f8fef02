#include "core/cli/reproduce/figure.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/explore/plot/panel.h"
#include "core/plugin/loader.h"

namespace thallo::cli {
namespace {

using plot::Glyph;
using plot::Ink;

constexpr double Width = 760;
constexpr double Margin = 24;
constexpr double RowHeight = 22;
constexpr double TitleHeight = 82;
constexpr std::array Inks = {Ink::Blue,       Ink::Orange, Ink::Green,
                             Ink::Vermillion, Ink::Purple, Ink::Sky};
constexpr std::array Glyphs = {Glyph::Circle,     Glyph::Square,       Glyph::Diamond,
                               Glyph::TriangleUp, Glyph::TriangleDown, Glyph::Cross};

std::string title_of(const Reproduction& made) {
  return fmt::format("{}: {}", made.item->number, made.item->title);
}

void draw_title(plot::Svg& svg, const Reproduction& made) {
  const auto fitting = [](std::string_view text, double size) {
    return std::min(size, size * (Width - 2 * Margin) / plot::text_width(text, size));
  };
  svg.text({Margin, 24}, made.item->number, {.size = 14, .is_bold = true});
  svg.text({Margin, 43}, made.item->title, {.size = fitting(made.item->title, 12)});
  const std::string ours = fmt::format("Ours: {}, thallo {}{}", made.device, core_build_id(),
                                       made.is_tiny ? ", tiny inputs" : "");
  svg.text({Margin, 61}, ours, {.size = fitting(ours, plot::FontSize), .ink = Ink::Muted});
}

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
// the ones of which both sides are known; if there are none, all that are known.
std::vector<Row> rows_of(const Reproduction& made) {
  const bool has_ratio = std::ranges::any_of(
      made.item->quantities, [](const Quantity& q) { return !q.ratio.first.empty(); });
  std::vector<Row> both, any;
  for (const ReproducedCase& one : made.cases) {
    Row paired{one.one->name, {}}, all{one.one->name, {}};
    for (std::size_t q = 0; q < made.item->quantities.size(); ++q) {
      const Quantity& quantity = made.item->quantities[q];
      if (has_ratio && quantity.ratio.first.empty()) continue;
      const auto published = Reproduction::value_of(quantity, one.one->published);
      const auto ours =
          one.measured ? Reproduction::value_of(quantity, one.measured->values) : std::nullopt;
      if (published) all.marks.push_back({*published, q, false});
      if (ours) all.marks.push_back({*ours, q, true});
      if (published && ours) {
        paired.marks.push_back({*published, q, false});
        paired.marks.push_back({*ours, q, true});
      }
    }
    if (!paired.marks.empty()) both.push_back(std::move(paired));
    if (!all.marks.empty()) any.push_back(std::move(all));
  }
  return both.empty() ? any : both;
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
          {"ours: " + made.item->quantities[q].title, Inks[q % Inks.size()], Glyph::Circle});
  }
  const double inner = Width - 2 * Margin;
  const double legend_height = plot::legend_height(legend, inner);
  // A line of its own for each quantity of a row, so that no dot hides another's.
  std::vector<std::size_t> drawn;
  for (const Row& row : rows)
    for (const Mark& mark : row.marks)
      if (std::ranges::find(drawn, mark.quantity) == drawn.end()) drawn.push_back(mark.quantity);
  std::ranges::sort(drawn);
  const double row_height = std::max(RowHeight, 14.0 * static_cast<double>(drawn.size()) + 6);
  const double height = row_height * static_cast<double>(rows.size());
  const double top = TitleHeight + legend_height + 8;
  plot::Svg svg(Width, top + height + 48, title_of(made));
  draw_title(svg, made);
  plot::draw_legend(svg, {Margin, TitleHeight}, inner, legend);
  const plot::Box box{Margin + label_width + 12, top, inner - label_width - 12, height};
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
                mark.is_ours ? Inks[mark.quantity % Inks.size()] : Ink::Muted,
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
    legend.push_back({drawn[i]->one->name, Inks[i % Inks.size()], Glyphs[i % Glyphs.size()]});
  const double inner = Width - 2 * Margin;
  const double legend_height = plot::legend_height(legend, inner);
  const double top = TitleHeight + legend_height + 8;
  constexpr double Height = 320;
  plot::Svg svg(Width, top + Height + 48, title_of(made));
  draw_title(svg, made);
  plot::draw_legend(svg, {Margin, TitleHeight}, inner, legend);
  const auto [first, last] = std::ranges::minmax(xs);
  const auto [least, largest] = std::ranges::minmax(ys);
  plot::Panel panel(svg, {Margin + 50, top, inner - 50, Height},
                    {method.curve_x.starts_with("share") ? plot::Scale::linear(0, 1)
                                                         : plot::Scale::logarithmic(first, last),
                     std::string(method.curve_x)},
                    {plot::Scale::logarithmic(least, largest), std::string(method.curve_y)});
  constexpr std::size_t MostGlyphs = 60;  // of a curve, so that they stay apart
  for (std::size_t i = 0; i < drawn.size(); ++i) {
    std::vector<plot::Point> points;
    for (const auto& [x, y] : drawn[i]->measured->curve) points.push_back(panel.at(x, y));
    svg.line(points, {Inks[i % Inks.size()], 1.5});
    if (const auto at = auto_of(*drawn[i])) {
      svg.line({panel.at(0, *at), panel.at(1, *at)}, {Inks[i % Inks.size()], 1, true});
      svg.text({panel.x(0) + 6, panel.y(*at) - 4}, drawn[i]->one->name + ": auto",
               {.size = plot::SmallFontSize, .has_halo = true});
    }
    const std::size_t step = points.size() / MostGlyphs + 1;
    for (std::size_t k = 0; k < points.size(); k += step)
      svg.glyph(points[k], Glyphs[i % Glyphs.size()], Inks[i % Inks.size()], 6);
  }
  return svg.file(plot::Theme::FollowsReader);
}

}  // namespace

std::string reproduction_svg(const Reproduction& made) {
  const bool has_curves = std::ranges::any_of(made.cases, [](const ReproducedCase& one) {
    return one.measured && !one.measured->curve.empty();
  });
  if (has_curves) return curves_svg(made);
  std::vector<Row> rows = rows_of(made);
  if (rows.empty())
    throw UserError(fmt::format("--svg: nothing of {} was measured yet", made.item->number));
  return rows_svg(made, std::move(rows));
}

}  // namespace thallo::cli
