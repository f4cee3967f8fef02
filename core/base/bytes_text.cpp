#include "core/base/bytes_text.h"

#include <fmt/format.h>

namespace thallo {

std::string bytes_text(double bytes) {
  const char* unit = "bytes";
  for (const char* larger : {"KiB", "MiB", "GiB", "TiB", "PiB"}) {
    if (bytes < 1024) break;
    bytes /= 1024;
    unit = larger;
  }
  return bytes < 1000 ? fmt::format("{:.3g} {}", bytes, unit)
                      : fmt::format("{:.0f} {}", bytes, unit);
}

}  // namespace thallo
