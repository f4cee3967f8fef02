#pragma once

#include <string>
#include <string_view>

namespace thallo {

// A number of SI units for people, four digits with a prefix: "4.218 TB/s", "3.5 µs", "0 s".
std::string quantity_text(double value, std::string_view unit);

}  // namespace thallo
