// Pieces of C expressions that know how tightly they bind, so that text has as few parentheses as C
// asks for. Private to emission.
#pragma once

#include <string>
#include <vector>

namespace thallo {

// C precedence, loosest first.
enum class Precedence { Ternary, Or, And, Equality, Relational, Sum, Product, Unary, Primary };

// `text`, or -(text) when negative, so that sums can print a minus sign.
struct Term {
  std::string text;
  Precedence precedence = Precedence::Primary;
  bool negative = false;

  // The signed text, in parentheses if it binds more loosely than `needed`.
  std::string in(Precedence needed) const;
  // The magnitude, likewise.
  std::string magnitude_in(Precedence needed) const;
};

// a - b + c, with a positive term in front if there is one. At least one term.
Term join_sum(std::vector<Term> terms);

}  // namespace thallo
