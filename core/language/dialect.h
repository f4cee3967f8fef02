#pragma once

// Energies are written in one of two dialects: Thallo's own, and that of Opt, from which it comes,
// in which inputs are declared one by one, read at offsets from a pixel that is never named, and
// summed by Energy(...). A text is in the dialect of the first name in it that only one of them
// has; the names of the other one are faults.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/language/token_lines.h"

namespace thallo::language {

class Call;

enum class Dialect { Thallo, Opt };

// What shows the dialect of a text.
struct DialectSign {
  Dialect dialect = Dialect::Thallo;
  std::string what;  // "Inputs", "Unknown(\"X\", ...)"
  int line = 0;      // of the user's text
};

// Returns the first sign; absent if the text could be in either dialect.
std::optional<DialectSign> find_dialect_sign(const TokenLines& text);
// Returns the dialect of a text: Thallo's if nothing shows it.
Dialect dialect_of(std::string_view text);

// Throw Stop if the name exists only in the dialect that the text is not in, with what is written
// instead.
void stop_at_other_dialect(Call& call, std::string_view name);
// Returns the names that Thallo's own dialect alone has.
std::vector<std::string_view> names_of_thallo_alone();
// Throws Stop if the declaration is written as in Opt, with the name of the input first:
// Unknown("X", ...).
void refuse_opt_declaration(Call& call, std::string_view function);

}  // namespace thallo::language
