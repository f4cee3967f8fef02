// By which devices and builds the cases of a table or figure were made: those of this run, and
// others where what a store has was not made anew.
#pragma once

#include <string>
#include <vector>

#include "core/cli/reproduce/reproduction.h"

namespace thallo::cli {

// Returns each once; this run's if nothing was measured.
std::vector<MadeBy> makers_of(const Reproduction& made);
// Says who they are: "NVIDIA H200 (cuda), thallo 0.1.0+bb0a1d7f".
std::string makers_text(const Reproduction& made);

}  // namespace thallo::cli
