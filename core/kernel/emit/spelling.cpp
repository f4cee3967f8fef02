#include "core/kernel/emit/spelling.h"

#include <cmath>

#include <fmt/format.h>

#include "core/base/error.h"

namespace thallo {

std::string_view memory_name(ScalarType type) {
  switch (type) {
    case ScalarType::Half: return "half_t";
    case ScalarType::Float: return "float";
    case ScalarType::Double: return "double";
    case ScalarType::Int32: return "int";
    case ScalarType::UInt8: return "unsigned char";
    case ScalarType::Working: break;
  }
  THALLO_UNREACHABLE();
}

std::string literal(Dialect dialect, double value, bool as_double) {
  const double rounded = as_double ? value : static_cast<double>(static_cast<float>(value));
  if (std::isnan(rounded)) {
    if (dialect == Dialect::C) return as_double ? "((double)NAN)" : "NAN";
    return as_double ? "__longlong_as_double(0x7ff8000000000000LL)" : "__int_as_float(0x7fc00000)";
  }
  if (std::isinf(rounded)) {
    if (dialect == Dialect::C) return as_double ? "HUGE_VAL" : "INFINITY";
    return as_double ? "__longlong_as_double(0x7ff0000000000000LL)" : "__int_as_float(0x7f800000)";
  }
  // The shortest text that reads back as the same number.
  std::string text =
      as_double ? fmt::format("{}", value) : fmt::format("{}", static_cast<float>(value));
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  if (!as_double) text += 'f';
  return text;
}

}  // namespace thallo
