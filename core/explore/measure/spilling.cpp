#include "core/explore/measure/spilling.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace thallo {

SpillingJudge::SpillingJudge(const std::map<std::string, KnownSchedule>& compiled,
                             std::string model)
    : model_(std::move(model)) {
  for (const auto& [hash, known] : compiled) {
    if (!known.prepared.steps.empty() && known.prepared.spilling.empty())
      best_ = std::min(best_, known.candidate.predicted(model_).value_or(best_));
  }
}

std::optional<std::string> SpillingJudge::why_left_out(const KnownSchedule& spilling) const {
  constexpr double AboutAsFast = 1.1;
  const std::optional<double> predicted = spilling.candidate.predicted(model_);
  if (!predicted || best_ > AboutAsFast * *predicted) return {};
  return fmt::format(
      "{} spills registers, and a schedule whose kernels spill none is predicted to take {:.2f} of "
      "its time",
      spilling.prepared.spilling.front(), best_ / *predicted);
}

}  // namespace thallo
