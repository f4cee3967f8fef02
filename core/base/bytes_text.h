#pragma once

#include <string>

namespace thallo {

// Formats an amount of memory for people, e.g. "2.3 TiB"; less than 1 KiB is given in bytes.
std::string bytes_text(double bytes);

}  // namespace thallo
