#pragma once

// The language of energies as a front end (docs/language.md).

#include "core/frontend/front_end.h"

namespace thallo {

// Adds Thallo's own front end, lua.
void add_front_ends(FrontEndRegistry& registry);

}  // namespace thallo
