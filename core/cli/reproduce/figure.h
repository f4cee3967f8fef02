// Draws a reproduction: curves where its method makes them, else a row for each case with what is
// published and ours on one axis.
#pragma once

#include <string>

#include "core/cli/reproduce/reproduction.h"

namespace thallo::cli {

// Returns an SVG file. Throws UserError if there is nothing to draw.
std::string reproduction_svg(const Reproduction& made);

}  // namespace thallo::cli
