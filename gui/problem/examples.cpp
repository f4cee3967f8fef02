#include "gui/problem/examples.h"

#include <algorithm>

namespace thallo::gui {
namespace {

// Small, and with all kinds of decisions: two groups of residuals, intermediates, stencils.
constexpr QLatin1String Example("image_warping");

}  // namespace

std::optional<ProblemRequest> exampleOfSchedule(const Catalog& catalog) {
  if (catalog.problems.empty()) return std::nullopt;
  const ProblemCard* example = catalog.find(Example);
  return ProblemRequest{.problem =
                            example == nullptr ? catalog.problems.front().name : example->name};
}

std::optional<ProblemRequest> exampleOfSpace(const Catalog& catalog) {
  const auto hasOne = [](const ProblemCard& card) { return !card.measured.isEmpty(); };
  const ProblemCard* example = catalog.find(Example);
  if (example == nullptr || !hasOne(*example)) {
    const auto found = std::ranges::find_if(catalog.problems, hasOne);
    if (found == catalog.problems.end()) return std::nullopt;
    example = &*found;
  }
  return ProblemRequest{.problem = example->name, .device = example->measured};
}

}  // namespace thallo::gui
