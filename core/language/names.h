#pragma once

// Every name that the language offers, from the tables that define them: what the reference is
// generated from and checked against.

#include <string>
#include <vector>

namespace thallo {

// Globals ("Dims", "math.sqrt") and the methods of values by their kind ("vector:slice"), sorted.
// What Lua itself has keeps its Lua name ("table.insert").
std::vector<std::string> language_names();

}  // namespace thallo
