#pragma once

#include <string>

namespace thallo {

// An amount of memory for people, "2.3 TiB"; below 1 KiB in bytes.
std::string bytes_text(double bytes);

}  // namespace thallo
