// What stands above the pictures of tables and figures.
#pragma once

#include <string>

#include "core/cli/reproduce/reproduction.h"
#include "core/explore/plot/svg.h"

namespace thallo::cli {

// In pixels. The title takes the whole width.
inline constexpr double FigureWidth = 760;
inline constexpr double FigureMargin = 24;
inline constexpr double FigureTitleHeight = 82;

std::string figure_title(const Reproduction& made);
void draw_figure_title(plot::Svg& svg, const Reproduction& made);

}  // namespace thallo::cli
