// What `thallo store steps` prints of measured steps and schedules: what cost models are fitted to,
// and what models predict.
#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "core/cli/session.h"

namespace thallo::cli {

// Prints one JSON object, whose lists have an entry for each step, or each schedule, of these
// stores on a device (read_training_set()). Models are [PROBLEM=]NAME, whose predictions are
// printed, of everything or of one problem. Without a model, it has what models read of a step
// (core/cost/learned/step_inputs.h), and `unfitted`, the models that were fitted to nothing. Throws
// UserError.
void print_steps(Session& session, std::span<const std::filesystem::path> stores,
                 const std::string& device, std::span<const std::string> models);

}  // namespace thallo::cli
