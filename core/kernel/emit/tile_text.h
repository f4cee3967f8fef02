// The text around the body of a section whose blocks compute tiles (core/kernel/tiles.h). Private
// to emission.
#pragma once

#include <cstddef>
#include <string>

#include "core/kernel/emit/context.h"

namespace thallo {

// The name of a window, and the scalars from one place to the next along a component but the first.
std::string window_name(int window);
std::string window_pitch(const EmitContext& context, const CodeBody& section, int window,
                         std::size_t component);

// Declares the coordinates i0, i1, ... of the thread's point in the tile that `block` counts, loads
// the windows, and computes the point if there is one.
std::string tile_text(EmitContext& context, const CodeBody& section, const std::string& block,
                      int indent);

}  // namespace thallo
