#include "gui/solve/convergence.h"

#include <algorithm>
#include <cmath>

namespace thallo::gui {

LowestCosts lowestCosts(const SolveSnapshot& runs) {
  LowestCosts lowest;
  for (const SolveRun& run : runs.runs) {
    if (run.isHidden) continue;
    for (const ConvergencePoint& point : run.points) {
      if (!point.isAccepted || !std::isfinite(point.cost)) continue;
      const auto [known, isNew] = lowest.try_emplace(point.solve, point.cost);
      if (!isNew) known->second = std::min(known->second, point.cost);
    }
  }
  return lowest;
}

std::optional<double> secondsTo(const SolveRun& run, const LowestCosts& lowest, double share) {
  double seconds = 0;
  for (int solve = 0; solve < run.numSolves(); ++solve) {
    const auto isOfSolve = [solve](const ConvergencePoint& point) { return point.solve == solve; };
    const auto start = std::ranges::find_if(run.points, isOfSolve);
    const auto bound = lowest.find(solve);
    if (start == run.points.end() || start->iteration != 0 || bound == lowest.end())
      return std::nullopt;
    const double enough = bound->second + share * (start->cost - bound->second);
    const auto reached = std::find_if(start, run.points.end(), [&](const ConvergencePoint& point) {
      return isOfSolve(point) && point.isAccepted && point.cost <= enough;
    });
    if (reached == run.points.end()) return std::nullopt;
    seconds += reached->seconds;
  }
  return run.points.empty() ? std::nullopt : std::optional(seconds);
}

const SolveRun* referenceRun(const SolveSnapshot& runs) {
  const auto found = std::ranges::find_if(runs.runs, [](const SolveRun& run) {
    return !run.isHidden && run.state == SolveRun::State::Finished && run.solveSeconds > 0;
  });
  return found == runs.runs.end() ? nullptr : &*found;
}

}  // namespace thallo::gui
