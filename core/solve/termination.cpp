#include "core/solve/termination.h"

#include <cstddef>

namespace thallo {
namespace {

struct TerminationInfo {
  std::string_view name, text;
  bool converged;
};
constexpr TerminationInfo Terminations[] = {
#define THALLO_TERMINATION_INFO(name, text, converged) {#name, text, converged},
    THALLO_FOR_EACH_TERMINATION(THALLO_TERMINATION_INFO)
#undef THALLO_TERMINATION_INFO
};
const TerminationInfo& info_of(Termination termination) {
  return Terminations[static_cast<std::size_t>(termination)];
}

}  // namespace

std::string_view to_string(Termination termination) { return info_of(termination).name; }

std::string_view describe(Termination termination) { return info_of(termination).text; }

bool is_convergence(Termination termination) { return info_of(termination).converged; }

}  // namespace thallo
