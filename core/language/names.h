#pragma once

// Lists every name that a dialect of the language offers, read from the tables that define them. A
// test checks the reference (docs/language.md) against the list.

#include <string>
#include <vector>

#include "core/language/dialect.h"

namespace thallo {

// Returns globals ("Dims", "math.sqrt") and the methods of values by their kind ("vector:slice"),
// sorted. Functions of Lua itself keep their Lua names ("table.insert").
std::vector<std::string> language_names(language::Dialect dialect = language::Dialect::Thallo);

}  // namespace thallo
