// What `thallo store steps` prints of measured steps and schedules: what cost models are fitted to,
// and what models predict.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/cost/learned/training_set.h"
#include "core/cost/model/cost_model.h"
#include "core/explore/learn/stored_training_set.h"

namespace thallo::cli {

// A model whose predictions are printed: of everything, or of one problem of the set.
struct JudgedModel {
  std::string name;
  const CostModel* model = nullptr;
  std::optional<std::size_t> problem = {};
};

// Print one JSON object, whose lists have an entry for each step, or each schedule. Without
// predictions, it has what models read of a step (core/cost/learned/step_inputs.h), and `unfitted`,
// the models that were fitted to nothing.
void print_inputs(const TrainingSet& set, const LeftOutRecords& left_out,
                  const std::vector<std::string>& unfitted);
void print_predictions(const TrainingSet& set, const std::vector<JudgedModel>& models);

}  // namespace thallo::cli
