#pragma once

// Loads an energy text into an Energy. A text is Lua 5.4 in a sandbox: it declares dims and inputs,
// computes with expressions as if they were numbers, and ends with Residuals{...}:
//
//   local W, H = Dims("W", "H")
//   Inputs { X = Unknown(float, {W, H}, 0), A = Array(float, {W, H}, 1), w = Param(float, 2) }
//   local x, y = W(), H()
//   Residuals { fit = X(x, y) - A(x, y), reg = w * (X(x, y) - X(x + 1, y)) }
//
// Loading never throws for a fault of the text: all faults found in one run come back in one
// Diagnostic, each with file and line. The text reads no files, sees no clock and no random
// numbers, and the same text always gives the same Energy. LoadLimits bound what it may use.
//
// A text in Opt's dialect, which the text itself shows, loads too (docs/migrating.md).
//
// Later statements about a group use the value that Residuals returns: `local r = Residuals{...}`,
// `r.fit:loss(huber(0.5))`.
//
// Inputs are declared in source order; residual groups are sorted by name (a Lua table does not
// keep the order in which it was written).

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "core/base/diagnostic.h"
#include "core/frontend/energy_file.h"
#include "core/frontend/load_limits.h"

namespace thallo {

// Loads a file. Messages refer to it by its path; the energy is named after the stem of the path.
Expected<EnergyFile> load_energy(const std::filesystem::path& path, const LoadLimits& limits = {});

// A line `local NAME = ...` of a text, at whose beginning it stands, and the value that a program
// puts there: how many, which of several parts, a loss.
struct TextSetting {
  std::string_view name;
  std::string value;
};
// Loads a file with these values in its lines. A line that is not there is a fault.
Expected<EnergyFile> load_energy(const std::filesystem::path& path,
                                 std::span<const TextSetting> settings);

// Loads a text. Messages refer to it by `name` ("warp.lua"); the energy is named after the stem of
// the name.
Expected<EnergyFile> load_energy_text(std::string_view text, const std::string& name,
                                      const LoadLimits& limits = {});

}  // namespace thallo
