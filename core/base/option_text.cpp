#include "core/base/option_text.h"

#include <fmt/format.h>

namespace thallo {
namespace {

std::string plain_text(std::string_view id, std::string_view value) {
  return value.empty() ? fmt::format("the option '{}'", id)
                       : fmt::format("the option '{}={}'", id, value);
}

OptionSpelling spelling_of_program = plain_text;

}  // namespace

std::string option_text(std::string_view id, std::string_view value) {
  return spelling_of_program(id, value);
}

void set_option_spelling(OptionSpelling spelling) { spelling_of_program = spelling; }

}  // namespace thallo
