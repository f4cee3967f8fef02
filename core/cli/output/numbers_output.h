// Prints the numbers of a small energy for `thallo print jacobian`, `gradient` and `jtj`: J, Jᵀ w F
// and Jᵀ w J at the bound values of the unknowns, computed in double from the energy's definition.
#pragma once

#include <cstdint>
#include <string>

#include "core/energy/binding.h"
#include "core/energy/energy.h"

namespace CLI {
class App;
}

namespace thallo::cli {

enum class Numbers { Jacobian, Gradient, Jtj };

struct NumbersFlags {
  std::string npy, mtx;  // file names; "" means none
  std::int64_t limit = DefaultLimit;

  // Larger counts of residuals, unknowns, entries, or numbers of a dense matrix are refused.
  // Evaluating this many residuals takes seconds.
  static constexpr std::int64_t DefaultLimit = 1'000'000;

  void add_to(CLI::App& command);
  bool are_given() const { return !npy.empty() || !mtx.empty() || limit != DefaultLimit; }
};

// Writes the files that the flags name. Prints JSON to stdout if requested or, if no file is named,
// the Matrix Market text. Throws UserError if the energy exceeds the limit, before evaluating it if
// possible.
void print_numbers(Numbers what, const Energy& energy, const Binding& binding,
                   const NumbersFlags& flags, bool json);

}  // namespace thallo::cli
