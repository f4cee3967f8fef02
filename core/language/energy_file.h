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
// Later statements about a group use the value that Residuals returns: `local r = Residuals{...}`,
// `r.fit:loss(huber(0.5))`.
//
// Inputs are declared in source order; residual groups are sorted by name (a Lua table does not
// keep the order in which it was written).

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/diagnostic.h"
#include "core/energy/energy.h"
#include "core/schedule/statement.h"

namespace thallo {

// What the text requests from the solver; absent if it does not say.
struct SolverDefaults {
  std::optional<bool> use_preconditioner;
};

// An energy with the schedule and solver defaults of its author. The schedule is kept as written:
// the loaded constructs decide what the statements mean (read_schedule,
// core/schedule/schedule_reader.h).
struct EnergyFile {
  Energy energy;
  SolverDefaults defaults = {};
  std::vector<ScheduleStatement> schedule = {};
};

// If a text exceeds one of these limits, loading ends with a message. The first three limits are
// exact, so that loading does not depend on the machine; the time limits everything that they do
// not count.
struct LoadLimits {
  std::int64_t instructions = 50'000'000;  // executed by the Lua machine
  std::size_t memory_bytes = std::size_t{256} << 20;
  std::size_t expressions = 250'000;  // nodes of the expression graph
  double seconds = 60;
};

// Loads a file. Messages refer to it by its path; the energy is named after the stem of the path.
Expected<EnergyFile> load_energy(const std::filesystem::path& path, const LoadLimits& limits = {});

// Loads a text. Messages refer to it by `name` ("warp.lua"); the energy is named after the stem of
// the name.
Expected<EnergyFile> load_energy_text(std::string_view text, const std::string& name,
                                      const LoadLimits& limits = {});

}  // namespace thallo
