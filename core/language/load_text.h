#pragma once

// Loads an energy text that is in a given dialect.

#include <string>
#include <string_view>

#include "core/frontend/energy_file.h"
#include "core/frontend/load_limits.h"
#include "core/language/dialect.h"

namespace thallo::language {

Expected<EnergyFile> load_text(Dialect dialect, std::string_view text, const std::string& name,
                               const LoadLimits& limits = {});

}  // namespace thallo::language
