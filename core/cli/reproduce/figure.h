// Draws a reproduction: curves or points where its method makes them, else a row for each case with
// what is published and ours on one axis.
#pragma once

#include <optional>
#include <string>

#include "core/cli/reproduce/reproduction.h"

namespace thallo::cli {

// Returns an SVG file; nothing if nothing was measured yet.
std::optional<std::string> reproduction_svg(const Reproduction& made);

}  // namespace thallo::cli
