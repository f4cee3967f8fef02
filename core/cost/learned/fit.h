#pragma once

// Fits cost models to measured steps.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string_view>
#include <vector>

#include "core/cost/learned/learned_model.h"
#include "core/cost/learned/training_set.h"

namespace thallo {

struct FitOptions {
  std::uint64_t seed = 1;
  int epochs = 20;              // how often the network sees each step
  double learning_rate = 2e-3;  // of Adam, at the beginning; it falls to a hundredth
  double decay = 3;             // of the network's weights, towards the analytic model
  std::stop_token stop = {};
};

// What models can be fitted: "learned-linear", "learned".
std::vector<std::string_view> fitted_model_names();
// Fails if the model is none of them.
Expected<void> check_fitted_model(std::string_view model);

// Fits to the steps of all problems but one, or of all if `left_out` is none. Equal inputs give
// equal models. Fails for an unknown model, with too few steps, or once a stop is requested.
Expected<LearnedModel> fit_model(std::string_view model, const TrainingSet& set,
                                 std::optional<std::size_t> left_out, const FitOptions& options);

}  // namespace thallo
