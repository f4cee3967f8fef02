#include "core/problem/text_problem.h"

#include <cmath>

namespace thallo {

Expected<void> set_weights(
    Binding& binding, const Options& options,
    std::initializer_list<std::pair<const char*, const char*>> options_of_params) {
  for (const auto& [param, option] : options_of_params) {
    auto set = binding.set_param(param, std::sqrt(number_in(options, option)));
    if (!set) return set;
  }
  return {};
}

}  // namespace thallo
