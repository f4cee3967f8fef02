// Writes the name of an option in messages as `thallo` spells it: "--sample", "--search greedy",
// "--set preconditioner=jacobi".
#pragma once

#include <string>
#include <string_view>

namespace thallo::cli {

// An OptionSpelling (core/base/option_text.h).
std::string flag_text(std::string_view id, std::string_view value);

}  // namespace thallo::cli
