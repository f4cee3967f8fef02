#include "core/kernel/emit/term.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace thallo {

std::string Term::magnitude_in(Precedence needed) const {
  return precedence < needed ? fmt::format("({})", text) : text;
}

std::string Term::in(Precedence needed) const {
  if (!negative) return magnitude_in(needed);
  const std::string signed_text = "-" + magnitude_in(Precedence::Product);
  return Precedence::Product < needed ? fmt::format("({})", signed_text) : signed_text;
}

Term join_sum(std::vector<Term> terms) {
  const auto first =
      std::find_if(terms.begin(), terms.end(), [](const Term& t) { return !t.negative; });
  if (first != terms.end()) std::rotate(terms.begin(), first, first + 1);
  std::string text;
  for (const Term& term : terms) {
    if (text.empty()) {
      text = term.in(Precedence::Sum);
    } else {
      text +=
          fmt::format(" {} {}", term.negative ? '-' : '+', term.magnitude_in(Precedence::Product));
    }
  }
  return Term{std::move(text), Precedence::Sum};
}

}  // namespace thallo
