#include "core/cli/reproduce/figure_title.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/cli/reproduce/makers.h"
#include "core/explore/plot/panel.h"

namespace thallo::cli {

std::string figure_title(const Reproduction& made) {
  return fmt::format("{}: {}", made.item->number, made.item->title);
}

void draw_figure_title(plot::Svg& svg, const Reproduction& made) {
  const auto fitting = [](std::string_view text, double size) {
    return std::min(size, size * (FigureWidth - 2 * FigureMargin) / plot::text_width(text, size));
  };
  svg.text({FigureMargin, 24}, made.item->number, {.size = 14, .is_bold = true});
  svg.text({FigureMargin, 43}, made.item->title, {.size = fitting(made.item->title, 12)});
  const std::string ours = "Ours: " + makers_text(made) + (made.is_tiny ? ", tiny inputs" : "");
  svg.text({FigureMargin, 61}, ours,
           {.size = fitting(ours, plot::FontSize), .ink = plot::Ink::Muted});
}

}  // namespace thallo::cli
