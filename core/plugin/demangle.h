// Makes C++ symbol names readable, for messages about types and symbols.
#pragma once

#include <string>

namespace thallo {

// Returns "thallo::Schedule::hash() const" for "_ZNK6thallo8Schedule4hashEv"; a text that is not a
// mangled name is returned unchanged.
std::string demangle(const std::string& name);

}  // namespace thallo
