// The numbers of a small energy, for `thallo print jacobian`, `gradient` and `jtj`: J, Jᵀ w F and
// Jᵀ w J at the values that its unknowns are bound to, computed from its definition in double.
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
  std::string npy, mtx;  // files; "": none
  std::int64_t limit = DefaultLimit;

  // More residuals, unknowns, entries, or numbers of a dense matrix, are refused. So many residuals
  // are evaluated in seconds.
  static constexpr std::int64_t DefaultLimit = 1'000'000;

  void add_to(CLI::App& command);
  bool are_given() const { return !npy.empty() || !mtx.empty() || limit != DefaultLimit; }
};

// Writes the files of the flags. On stdout stands JSON if that is wanted, and without any file the
// text of the Matrix Market. UserError where the energy is larger than the limit, before it is
// evaluated where that can be known.
void print_numbers(Numbers what, const Energy& energy, const Binding& binding,
                   const NumbersFlags& flags, bool json);

}  // namespace thallo::cli
