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
  return fmt::format("{:.3g} {}", bytes, unit);
}

}  // namespace thallo
