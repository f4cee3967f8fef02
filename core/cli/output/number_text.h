// Times and differences as tables of all commands show them.
#pragma once

#include <cmath>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "core/base/quantity_text.h"

namespace thallo::cli {

// "266.9 µs"; "does not fit" for an infinite time, "-" for none.
inline std::string time_text(std::optional<double> seconds) {
  if (!seconds) return "-";
  return std::isfinite(*seconds) ? quantity_text(*seconds, "s") : "does not fit";
}

// "+12.3 µs"
inline std::string signed_time_text(double seconds) {
  return (seconds < 0 ? "-" : "+") + quantity_text(std::abs(seconds), "s");
}

// "266.91", in a column of microseconds; "-" for an infinite time and for none.
inline std::string microseconds_text(std::optional<double> seconds) {
  return seconds && std::isfinite(*seconds) ? fmt::format("{:.2f}", 1e6 * *seconds) : "-";
}

// "+4.2 %"; "-" for none.
inline std::string percent_text(std::optional<double> percent) {
  return percent ? fmt::format("{:+.1f} %", *percent) : "-";
}

}  // namespace thallo::cli
