#pragma once

// Runs whole solves of schedules. If several schedules have the same program, it is run once and
// all of them get its result.

#include <cstdint>
#include <deque>
#include <set>
#include <string>
#include <vector>

#include "core/explore/measure/measuring_queue.h"

namespace thallo {

class SolveQueue final : public MeasuringQueue {
 public:
  // Times so many solves of each program. All must outlive the queue.
  SolveQueue(MeasurementContext& context, CandidateTable& table, const ExplorerTimeouts& timeouts,
             int num_solves, ScheduleFinished finished);

  void add(KnownSchedule& known) override;
  Expected<void> hand_out() override;
  bool has_work() const override { return !waiting_.empty() || !elsewhere_.empty(); }
  void retry() override;
  void finish() override {}
  std::int64_t num_finished() const override { return num_finished_; }

 private:
  Expected<void> begin(KnownSchedule& known);
  void submit(KnownSchedule& known);
  void count(const KnownSchedule& known);

  MeasurementContext& context_;
  CandidateTable& table_;
  const ExplorerTimeouts& timeouts_;
  int num_solves_;
  ScheduleFinished finished_;
  std::deque<KnownSchedule*> waiting_;
  std::vector<KnownSchedule*> elsewhere_;  // that other explorations are solving
  std::vector<KnownSchedule*> equal_;      // to programs that are running
  std::set<std::string> running_;          // Candidate::program
  std::int64_t num_finished_ = 0;
};

}  // namespace thallo
