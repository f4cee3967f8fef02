#pragma once

// Cost models whose coefficients were fitted to measured steps of one device (fit.h):
//
// - learned-linear: the time is a sum of terms, each with a non-negative coefficient that depends
//   on
//   the family of the step.
// - learned: a network (network.h) gives each term of a step its coefficient, and the time is what
//   the
//   analytic model makes of the corrected terms.
//
// A model is kept in a file, as JSON: {"thallo_model": 1, "kind": "linear" or "network", ...}.

#include <array>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <variant>

#include "core/base/diagnostic.h"
#include "core/cost/learned/step_inputs.h"
#include "core/cost/model/cost_model.h"

namespace thallo {

class TermNetwork;  // network.h

struct LinearCoefficients {
  std::array<StepTerms, AllFamilies.size()> of_family;  // without unit
};

struct LearnedModel {
  std::string device;     // the name of the device that it was fitted on: "NVIDIA H200"
  std::string fitted_to;  // "11610 times of steps of 15 problems"
  std::variant<LinearCoefficients, std::shared_ptr<const TermNetwork>> coefficients;

  // Returns the seconds of a step.
  double seconds(StepFamily family, const StepInputs& inputs) const;
  // Splits these seconds by what the step waits for.
  TimeParts parts(StepFamily family, const StepInputs& inputs) const;
};

std::string model_text(const LearnedModel& model);
// `name` is for messages. Fails for damaged texts, models of other versions, and models of other
// terms or properties than this program's.
Expected<LearnedModel> parse_model(const std::filesystem::path& name, const std::string& text);
Expected<LearnedModel> read_model(const std::filesystem::path& path);

// Returns a model for the registry. On another device than its own it still predicts, by the rates
// of that device.
std::unique_ptr<const CostModel> make_learned_model(std::string name, LearnedModel model);
// Adds the shipped models: those of the files in the folder models of the assets, by the names of
// the files. A file that cannot be read is left out, with a warning.
void add_learned_models(CostModelRegistry& registry);

}  // namespace thallo
