#pragma once

// Makes the store records that describe schedules, the steps of their programs, and the kernels
// that these steps launch. Each step and each kernel is described once, however many schedules use
// it.

#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "core/explore/measure/candidate.h"
#include "core/explore/measure/step_table.h"
#include "core/explore/store/store_records.h"
#include "core/explore/worker/answers.h"
#include "core/search/search.h"

namespace thallo {

class Descriptions {
 public:
  Descriptions() = default;
  // Describes explorations of this problem on this device.
  Descriptions(std::string problem, std::string device)
      : problem_(std::move(problem)), device_(std::move(device)) {}

  std::size_t num_steps() const { return steps_.size(); }  // described so far

  // Returns the records of a prepared schedule: its new kernels, its new steps, and the schedule
  // itself with its predictions.
  std::vector<StoreRecord> of(const Proposal& proposal, const PreparedSchedule& prepared);
  // Returns the schedule's record with the steps of its program and their times as `model` predicts
  // them. The steps must have been described.
  ScheduleRecord with_steps(const Candidate& candidate, const PreparedSchedule& prepared,
                            const StepTable& table, const std::string& model) const;

 private:
  ScheduleRecord schedule(const std::string& hash, const std::string& text,
                          const PreparedSchedule& prepared) const;

  std::string problem_, device_;
  std::set<std::string> steps_, kernels_;  // keys
};

}  // namespace thallo
