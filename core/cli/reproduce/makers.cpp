#include "core/cli/reproduce/makers.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/plugin/loader.h"

namespace thallo::cli {

std::vector<MadeBy> makers_of(const Reproduction& made) {
  std::vector<MadeBy> makers;
  const auto add_once = [&](const MadeBy& maker) {
    if (std::ranges::find(makers, maker) == makers.end()) makers.push_back(maker);
  };
  const MadeBy current{.device = made.device, .core = std::string(core_build_id())};
  for (const ReproducedCase& one : made.cases) {
    if (!one.measured || one.one->is_mean) continue;  // a mean is of the others
    if (one.others.empty()) add_once(current);
    for (const MadeBy& other : one.others) add_once(other);
  }
  if (makers.empty()) makers.push_back(current);
  return makers;
}

std::string makers_text(const Reproduction& made) {
  std::vector<std::string> texts;
  std::ranges::transform(makers_of(made), std::back_inserter(texts), [](const MadeBy& maker) {
    return fmt::format("{}, thallo {}", maker.device, maker.core);
  });
  return fmt::format("{}", fmt::join(texts, "; "));
}

}  // namespace thallo::cli
