// Line breaks for generated text. Private to emission.
#pragma once

#include <string>

namespace thallo {

// Breaks lines longer than 100 characters at spaces, behind an operator and outside of subscripts.
std::string wrap_lines(const std::string& text);

}  // namespace thallo
