#pragma once

// The schedules that an exploration has compiled, with what it knows about them. Whatever is found
// out is written to the store at once. Each step and each kernel is described there once, however
// many schedules use it.

#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "core/explore/measure/candidate.h"
#include "core/explore/measure/measurement_context.h"
#include "core/explore/measure/step_table.h"
#include "core/explore/measure/stored_results.h"
#include "core/explore/worker/answers.h"
#include "core/explore/worker/worker_client.h"
#include "core/search/search.h"

namespace thallo {

// Returns the origin of what this build measures now.
Origin origin_now();
// Returns the result of a schedule that a worker could not compile, load or run.
ScheduleResult failure_of(const WorkAnswer& answer);

struct KnownSchedule {
  Candidate candidate;
  PreparedSchedule prepared;  // empty if it could not be compiled
};

class CandidateTable {
 public:
  // Reads what the store has of the problem on the device, unless it is to be replaced. The steps
  // of schedules are described with their times as `model` predicts them. The context must outlive
  // the table.
  static Expected<CandidateTable> read(MeasurementContext& context, Existing existing,
                                       std::string model);

  // Adds a schedule with the answer to its PrepareRequest. If it was not compiled, that is its
  // result of this kind. The reference stays valid.
  KnownSchedule& add(const Proposal& proposal, const WorkAnswer& answer, ResultKind kind);
  KnownSchedule* find(const std::string& hash);  // null if it was not added
  const KnownSchedule* find(const std::string& hash) const;
  const std::map<std::string, KnownSchedule>& all() const { return known_; }  // by hash

  void finish(KnownSchedule& known, ResultKind kind, ScheduleResult result);
  // Takes a result that another exploration has written to the store.
  void take_solved(KnownSchedule& known, const ScheduleResult& result);
  // Returns the end-to-end result of a schedule with this program; null if there is none.
  const ScheduleResult* find_solved(const std::string& program) const;
  // Describes the steps of the schedule's program, with their times as the model predicts them.
  void describe_steps(const KnownSchedule& known);
  // Composes the result of the schedule, and describes its steps.
  void compose(KnownSchedule& known);

  StepTable& steps() { return steps_; }
  const StoredResults& stored() const { return stored_; }
  // Of all schedules.
  std::int64_t num_steps() const { return static_cast<std::int64_t>(described_steps_.size()); }
  StepSlot slot_of(const std::string& step_key) const;
  ScheduleSlot slot_of(const KnownSchedule& known, ResultKind kind) const;

 private:
  CandidateTable(MeasurementContext& context, std::string model);

  // Describes the new kernels and steps of a prepared schedule, and the schedule.
  void describe(const Proposal& proposal, const KnownSchedule& known);
  ScheduleRecord record_of(const KnownSchedule& known) const;

  MeasurementContext* context_;
  std::string model_;
  StepTable steps_;
  std::set<std::string> described_steps_, described_kernels_;  // keys
  StoredResults stored_;
  std::map<std::string, KnownSchedule> known_;    // by hash
  std::map<std::string, ScheduleResult> solved_;  // by Candidate::program
};

}  // namespace thallo
