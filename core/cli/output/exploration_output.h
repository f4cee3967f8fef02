// Prints what an exploration has measured, or what was predicted or replayed in its place, for
// people or as JSON.
#pragma once

#include "core/cli/session.h"
#include "core/explore/search/exploration.h"
#include "core/explore/search/prediction.h"

namespace thallo::cli {

// Prints the best ten and the named schedules, the best by the measurer's objective first, then
// what searched, and why others have no time. Schedules that were left out because they do not fit
// are counted. A named schedule that does not keep the pins is never the fastest.
void print_exploration(Session& session, const Exploration& exploration);
// Prints all candidates.
void print_exploration_json(Session& session, const Exploration& exploration);

// The same of predicted or replayed times.
void print_prediction(const PredictedExploration& prediction);
void print_prediction_json(const PredictedExploration& prediction);

}  // namespace thallo::cli
