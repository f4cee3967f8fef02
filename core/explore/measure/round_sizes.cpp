#include "core/explore/measure/round_sizes.h"

#include <algorithm>

namespace thallo {
namespace {

using Seconds = std::chrono::duration<double>;

constexpr Seconds LongestRound{20};
constexpr double RoundsOfBudget = 8;
constexpr std::size_t FirstOfWorker = 4;
constexpr double MostGrowth = 2;

Seconds wanted_seconds(std::optional<std::chrono::milliseconds> budget) {
  return budget ? std::min<Seconds>(LongestRound, Seconds(*budget) / RoundsOfBudget) : LongestRound;
}

}  // namespace

RoundSizes::RoundSizes(std::size_t num_workers, std::optional<std::chrono::milliseconds> budget)
    : num_workers_(static_cast<double>(num_workers)),
      wanted_(wanted_seconds(budget)),
      next_(FirstOfWorker * num_workers) {}

void RoundSizes::took(std::size_t num_schedules, std::chrono::duration<double> elapsed) {
  const double fitting = static_cast<double>(num_schedules) * (wanted_ / elapsed);
  const double most = MostGrowth * static_cast<double>(next_);
  next_ = static_cast<std::size_t>(std::clamp(fitting, num_workers_, most));
}

}  // namespace thallo
