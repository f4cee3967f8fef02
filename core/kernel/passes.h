// The passes over kernels that can be switched off, so that what each of them buys can be measured.
// A program that is made with fewer passes computes the same numbers, up to rounding.
//
// The table is the only place that names passes: the members of PassOptions, the texts that users
// write, help and messages are made of it.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/base/diagnostic.h"

namespace thallo {

// X(name, what it does). In the order in which they run.
#define THALLO_FOR_EACH_PASS(X)                                                               \
  X(factor_sums, "takes factors that terms have in common out of sums")                       \
  X(share_partials, "computes partial sums and products once that several expressions have")  \
  X(bounds, "skips what a false mask or bound would multiply by 0, and tests no bound twice") \
  X(vector_access, "loads and stores adjacent scalars together, up to 16 bytes (CUDA)")       \
  X(simd, "computes several points of a loop at once (cpu)")

struct PassOptions {
#define THALLO_PASS_MEMBER(name, what) bool name = true;
  THALLO_FOR_EACH_PASS(THALLO_PASS_MEMBER)
#undef THALLO_PASS_MEMBER

  friend bool operator==(const PassOptions&, const PassOptions&) = default;
};

struct PassInfo {
  std::string_view name;
  std::string_view what;
  bool PassOptions::*is_on;
};
std::span<const PassInfo> all_passes();

// Reads a list: first, if wanted, `all` or `none`; then +NAME or -NAME, each pass once. What it
// does not mention stays as it is: on without `none`. "-bounds", "none,+factor_sums".
Expected<PassOptions> parse_passes(std::string_view text);
// Returns the shortest such list: "all", "none", "-bounds".
std::string to_string(const PassOptions& passes);

}  // namespace thallo
