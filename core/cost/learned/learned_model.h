#pragma once

// Cost models whose coefficients `thallo fit` has fitted to measured steps of one device:
//
// - learned-linear: the time is a sum of terms, each with a non-negative coefficient that depends
//   on the family of the step.
// - learned: a network gives each term of a step a positive coefficient by the properties of the
//   step, as in Anderson et al. 2021, section 4, and the time is what the analytic model makes of
//   the corrected terms.
//
// A model is kept in a file, as JSON: {"thallo_model": 1, "kind": "linear" or "network", ...}
// (core/python/thallo_tools/learning.py writes it). On another device than its own it still
// predicts, by the rates of that device.

#include <filesystem>
#include <memory>
#include <string>

#include "core/base/diagnostic.h"
#include "core/cost/model/cost_model.h"

namespace thallo {

// Returns the model of a file, called `name`. Fails for damaged texts, models of other versions,
// and models of other terms or properties than this program's.
Expected<std::unique_ptr<const CostModel>> parse_learned_model(std::string name,
                                                               const std::filesystem::path& path,
                                                               const std::string& text);
Expected<std::unique_ptr<const CostModel>> read_learned_model(std::string name,
                                                              const std::filesystem::path& path);

// Adds the shipped models: those of the files in the folder models of the assets, by the names of
// the files. A file that cannot be read is left out, with a warning.
void add_learned_models(CostModelRegistry& registry);

}  // namespace thallo
