// C++ names as people write them, for messages about types and symbols.
#pragma once

#include <string>

namespace thallo {

// "thallo::Schedule::hash() const" for "_ZNK6thallo8Schedule4hashEv"; a text that is no mangled
// name comes back unchanged.
std::string demangle(const std::string& name);

}  // namespace thallo
