#include "core/base/diagnostic.h"

#include <fmt/format.h>

namespace thallo {

std::string SourceLocation::text() const {
  std::string text = file;
  for (const int number : {line, column}) {
    if (number <= 0) break;
    if (!text.empty()) text += ':';
    text += fmt::format_int(number).str();
  }
  return text;
}

std::string Diagnostic::message() const {
  std::string text;
  if (where.known()) text = where.text() + ": ";
  text += what;
  if (!alternatives.empty()) text += fmt::format(" (legal: {})", fmt::join(alternatives, ", "));
  return text;
}

}  // namespace thallo
