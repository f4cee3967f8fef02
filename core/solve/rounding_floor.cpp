#include "core/solve/rounding_floor.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace thallo {
namespace {

// Rounding in float changes a cost by less than this, relative to it.
constexpr double MostRounding = 1e-3;

}  // namespace

bool RoundingFloor::is_reached_by(double promised, double change, double cost) {
  if (!(promised > 0) || !(std::abs(change) <= MostRounding * cost)) return false;
  const Rejection now{promised / cost, std::abs(change) / cost};
  const bool is_reached = std::ranges::any_of(rejections_, [&](const Rejection& before) {
    return now.promised <= before.promised / 100 && now.changed >= before.changed / 10;
  });
  rejections_.push_back(now);
  return is_reached;
}

std::string RoundingFloor::text() const {
  const Rejection& last = rejections_.back();
  const double most = std::ranges::max(rejections_, {}, &Rejection::promised).promised;
  const std::string outcome = last.changed > 0
                                  ? fmt::format("change it by about {:.1e}", last.changed)
                                  : "leave it as it is";
  return fmt::format("steps that promise to lower the cost by {:.1e} down to {:.1e} of it all {}",
                     most, last.promised, outcome);
}

}  // namespace thallo
