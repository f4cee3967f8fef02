#pragma once

#include <string>
#include <string_view>

namespace thallo {

// Formats a number of SI units for people, with four digits and a prefix: "4.218 TB/s", "3.5 µs",
// "0 s".
std::string quantity_text(double value, std::string_view unit);

}  // namespace thallo
