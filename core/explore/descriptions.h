#pragma once

// What an exploration tells the store of schedules, of the steps of their programs and of the
// kernels that these launch: each step and each kernel once, however many schedules have it.

#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "core/explore/search.h"
#include "core/explore/step_table.h"
#include "core/explore/store_records.h"
#include "core/explore/work/worker_answers.h"

namespace thallo {

class Descriptions {
 public:
  Descriptions() = default;
  // Of explorations of this problem on this device.
  Descriptions(std::string problem, std::string device)
      : problem_(std::move(problem)), device_(std::move(device)) {}

  std::size_t num_steps() const { return steps_.size(); }  // that were described

  // Of a schedule that was prepared: its new kernels and steps, and itself with its predictions.
  std::vector<StoreRecord> of(const Proposal& proposal, const PreparedSchedule& prepared);
  // The schedule with the steps of its program, which must be described, as `model` predicts them.
  ScheduleRecord with_steps(const std::string& hash, const std::string& text,
                            const PreparedSchedule& prepared, const StepTable& table,
                            const std::string& model) const;

 private:
  ScheduleRecord schedule(const std::string& hash, const std::string& text,
                          const PreparedSchedule& prepared) const;

  std::string problem_, device_;
  std::set<std::string> steps_, kernels_;  // keys
};

}  // namespace thallo
