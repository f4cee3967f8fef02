#include "core/explore/measure/solve_queue.h"

#include <utility>

namespace thallo {

SolveQueue::SolveQueue(MeasurementContext& context, CandidateTable& table,
                       const ExplorerTimeouts& timeouts, int num_solves, ScheduleFinished finished)
    : context_(context),
      table_(table),
      timeouts_(timeouts),
      num_solves_(num_solves),
      finished_(std::move(finished)) {}

void SolveQueue::add(KnownSchedule& known) {
  const Candidate& candidate = known.candidate;
  if (!candidate.program.empty()) table_.describe_steps(known);
  if (candidate.end_to_end) table_.take_solved(known, *candidate.end_to_end);
  if (candidate.end_to_end || candidate.program.empty())
    count(known);
  else
    waiting_.push_back(&known);
}

Expected<void> SolveQueue::hand_out() {
  while (context_.measuring().num_free() > 0 && !waiting_.empty()) {
    KnownSchedule& known = *waiting_.front();
    waiting_.pop_front();
    THALLO_CHECK(begin(known));
  }
  return {};
}

Expected<void> SolveQueue::begin(KnownSchedule& known) {
  const std::string& program = known.candidate.program;
  if (const ScheduleResult* solved = table_.find_solved(program)) {
    table_.finish(known, ResultKind::EndToEnd, *solved);
    count(known);
    return {};
  }
  if (running_.contains(program)) {
    equal_.push_back(&known);
    return {};
  }
  const ScheduleSlot slot = table_.slot_of(known, ResultKind::EndToEnd);
  THALLO_TRY(const auto claim, context_.leases().claim({slot}));
  if (claim == Claim::Held) {
    elsewhere_.push_back(&known);
  } else if (claim == Claim::Taken) {
    submit(known);
  } else {
    THALLO_TRY(const auto found, context_.store().find(slot));
    if (found) table_.take_solved(known, *found);
    count(known);
  }
  return {};
}

void SolveQueue::submit(KnownSchedule& known) {
  running_.insert(known.candidate.program);
  const auto done = [this, &known](const WorkAnswer& answer) {
    if (context_.is_first_crash(answer, "solve " + known.candidate.hash)) {
      waiting_.push_front(&known);
    } else {
      table_.finish(known, ResultKind::EndToEnd,
                    answer.is_ok() ? answer.as<ScheduleResult>() : failure_of(answer));
      count(known);
    }
    running_.erase(known.candidate.program);
    waiting_.insert(waiting_.end(), equal_.begin(), equal_.end());
    equal_.clear();
    context_.give_up({table_.slot_of(known, ResultKind::EndToEnd)});
  };
  context_.measuring().submit({.request = SolveRequest{known.candidate.text, num_solves_},
                               .timeout = timeouts_.solve,
                               .done = done});
}

void SolveQueue::count(const KnownSchedule& known) {
  ++num_finished_;
  finished_(known);
}

void SolveQueue::retry() {
  waiting_.insert(waiting_.end(), elsewhere_.begin(), elsewhere_.end());
  elsewhere_.clear();
}

}  // namespace thallo
