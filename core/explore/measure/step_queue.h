#pragma once

// Measures the steps that schedules need, each once, and composes the times of schedules whose
// steps are all known. The schedule with the most unknown steps is measured first. Adding a
// schedule and measuring a step take logarithmic time for each schedule that has the step.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/explore/measure/measuring_queue.h"

namespace thallo {

class StepQueue final : public MeasuringQueue {
 public:
  // `measured` is called for each step that was measured. All must outlive the queue.
  StepQueue(MeasurementContext& context, CandidateTable& table, const ExplorerTimeouts& timeouts,
            std::function<void()> measured, ScheduleFinished finished);

  void add(KnownSchedule& known) override;
  Expected<void> hand_out() override;
  bool has_work() const override { return !ranked_.empty() || !elsewhere_.empty(); }
  void retry() override;
  void finish() override;
  std::int64_t num_finished() const override { return num_finished_; }

  // Steps that are not known yet.
  std::int64_t num_unknown() const { return static_cast<std::int64_t>(steps_.size()); }

 private:
  enum class State { Free, Measured, Elsewhere };  // being measured here, or by others
  struct Step {
    State state = State::Free;
    std::vector<std::size_t> users;  // in schedules_
  };
  struct Open {
    KnownSchedule* known = nullptr;
    std::size_t num_unknown = 0;  // steps
    std::size_t num_free = 0;     // those of them that nobody measures
    bool is_closed = false;       // true if it has a result, or if no worker can time its steps
  };

  void rank(std::size_t user, std::size_t num_free);
  void set_state(const std::string& key, State state);
  void set_known(const std::string& key);
  void close(std::size_t user);
  void count(const KnownSchedule& known);
  Expected<std::vector<std::string>> claim(std::size_t user);
  Expected<void> learn(const std::string& key);
  void submit(std::size_t user, const std::vector<std::string>& keys);
  void timed(const TimedStep& step);
  void not_timed(std::size_t user, const WorkAnswer& answer);
  std::vector<ResultSlot> slots_of(const std::vector<std::string>& keys) const;

  MeasurementContext& context_;
  CandidateTable& table_;
  const ExplorerTimeouts& timeouts_;
  std::function<void()> measured_;
  ScheduleFinished finished_;
  std::vector<Open> schedules_;
  std::map<std::string, Step> steps_;                      // the unknown ones, by key
  std::set<std::pair<std::int64_t, std::size_t>> ranked_;  // (-num_free, schedule), if any is free
  std::set<std::string> elsewhere_;                        // keys
  std::int64_t num_finished_ = 0;
};

}  // namespace thallo
