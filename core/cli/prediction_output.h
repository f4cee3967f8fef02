// Prints predicted times of schedules, for people or as JSON.
#pragma once

#include "core/explore/search/prediction.h"

namespace thallo::cli {

// Prints the fastest ten and the named schedules, then what searched.
void print_prediction(const PredictedExploration& prediction);
// Prints all schedules.
void print_prediction_json(const PredictedExploration& prediction);

}  // namespace thallo::cli
