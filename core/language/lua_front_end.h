#pragma once

// The language of energies (docs/language.md) and the dialect of Opt (docs/migrating.md) as front
// ends.

#include "core/frontend/front_end.h"

namespace thallo {

// Adds lua, Thallo's own front end, and opt.
void add_front_ends(FrontEndRegistry& registry);

}  // namespace thallo
