#pragma once

// Decides which schedules with kernels that spill registers are not worth measuring, since one that
// spills none is predicted to be about as fast. Predictions know nothing of spilling.

#include <limits>
#include <map>
#include <optional>
#include <string>

#include "core/explore/measure/candidate_table.h"

namespace thallo {

class SpillingJudge {
 public:
  // Compares with the schedules that were compiled, by hash, as `model` predicts them.
  SpillingJudge(const std::map<std::string, KnownSchedule>& compiled, std::string model);
  // Returns why the schedule, which spills, is left out; nothing if it is to be measured.
  std::optional<std::string> why_left_out(const KnownSchedule& spilling) const;

 private:
  std::string model_;
  double best_ = std::numeric_limits<double>::infinity();  // predicted, of those that spill none
};

}  // namespace thallo
