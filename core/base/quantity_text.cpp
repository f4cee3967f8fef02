#include "core/base/quantity_text.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

namespace thallo {

std::string quantity_text(double value, std::string_view unit) {
  static constexpr std::array Prefixes = {"p", "n", "µ", "m", "", "k", "M", "G", "T", "P"};
  constexpr int None = 4;
  const int last = static_cast<int>(Prefixes.size()) - 1;
  const int thousands =
      value == 0 ? 0 : static_cast<int>(std::floor(std::log10(std::abs(value)) / 3 + 1e-9));
  const int prefix = std::clamp(None + thousands, 0, last);
  return fmt::format("{:.4g} {}{}", value * std::pow(1000.0, None - prefix),
                     Prefixes[static_cast<std::size_t>(prefix)], unit);
}

}  // namespace thallo
