#include "core/explore/measure/step_queue.h"

#include <fmt/format.h>

namespace thallo {

StepQueue::StepQueue(MeasurementContext& context, CandidateTable& table,
                     const ExplorerTimeouts& timeouts, std::function<void()> measured,
                     ScheduleFinished finished)
    : context_(context),
      table_(table),
      timeouts_(timeouts),
      measured_(std::move(measured)),
      finished_(std::move(finished)) {}

// --- schedules and their steps ---

void StepQueue::add(KnownSchedule& known) {
  const std::size_t user = schedules_.size();
  Open& open = schedules_.emplace_back(Open{.known = &known});
  if (known.candidate.composed) return close(user);
  std::set<std::string> keys;
  for (const PreparedStep& step : known.prepared.steps)
    if (!table_.steps().knows(step.key)) keys.insert(step.key);
  std::size_t num_free = 0;
  for (const std::string& key : keys) {
    Step& step = steps_[key];
    step.users.push_back(user);
    num_free += step.state == State::Free ? 1 : 0;
  }
  open.num_unknown = keys.size();
  if (open.num_unknown == 0) {
    table_.compose(known);
    close(user);
  } else {
    rank(user, num_free);
  }
}

void StepQueue::rank(std::size_t user, std::size_t num_free) {
  Open& open = schedules_[user];
  ranked_.erase({-static_cast<std::int64_t>(open.num_free), user});
  open.num_free = num_free;
  if (num_free > 0 && !open.is_closed) ranked_.emplace(-static_cast<std::int64_t>(num_free), user);
}

void StepQueue::set_state(const std::string& key, State state) {
  const auto found = steps_.find(key);
  if (found == steps_.end() || found->second.state == state) return;
  const State before = std::exchange(found->second.state, state);
  if (state == State::Elsewhere) elsewhere_.insert(key);
  if (before == State::Elsewhere) elsewhere_.erase(key);
  for (const std::size_t user : found->second.users) {
    const std::size_t num_free = schedules_[user].num_free;
    if (before == State::Free) rank(user, num_free - 1);
    if (state == State::Free) rank(user, num_free + 1);
  }
}

void StepQueue::set_known(const std::string& key) {
  set_state(key, State::Measured);
  const auto node = steps_.extract(key);
  if (node.empty()) return;
  for (const std::size_t user : node.mapped().users) {
    Open& open = schedules_[user];
    if (--open.num_unknown > 0 || open.is_closed) continue;
    table_.compose(*open.known);
    close(user);
  }
}

void StepQueue::close(std::size_t user) {
  Open& open = schedules_[user];
  open.is_closed = true;
  rank(user, open.num_free);
  if (open.known->candidate.composed) count(*open.known);
}

void StepQueue::count(const KnownSchedule& known) {
  ++num_finished_;
  finished_(known);
}

// --- work ---

Expected<void> StepQueue::hand_out() {
  while (context_.measuring().num_free() > 0 && !ranked_.empty()) {
    const std::size_t user = ranked_.begin()->second;
    const auto keys = claim(user);
    if (!keys) return fail(keys.error());
    if (!keys->empty()) submit(user, *keys);
  }
  return {};
}

// Claims the free steps of the schedule, which are not free afterwards. Returns those to measure.
Expected<std::vector<std::string>> StepQueue::claim(std::size_t user) {
  std::vector<std::string> taken;
  for (const PreparedStep& needed : schedules_[user].known->prepared.steps) {
    const std::string& key = needed.key;
    const auto step = steps_.find(key);
    if (step == steps_.end() || step->second.state != State::Free) continue;
    THALLO_TRY(const auto claim, context_.leases().claim(slots_of({key})));
    if (claim == Claim::Done) {
      THALLO_CHECK(learn(key));
    } else if (claim == Claim::Taken) {
      set_state(key, State::Measured);
      taken.push_back(key);
    } else {
      set_state(key, State::Elsewhere);
    }
  }
  return taken;
}

// Reads a time that another exploration measured.
Expected<void> StepQueue::learn(const std::string& key) {
  for (const ResultSlot& slot : slots_of({key})) {
    THALLO_TRY(const auto found, context_.store().find(std::get<StepSlot>(slot)));
    if (found) table_.steps().add(*found);
  }
  if (table_.steps().knows(key))
    set_known(key);
  else
    set_state(key, State::Elsewhere);
  return {};
}

void StepQueue::submit(std::size_t user, const std::vector<std::string>& keys) {
  const auto heard = [this](const WorkerMessage& message) {
    if (message.kind == WorkerMessage::Kind::Part) timed(message.as<TimedStep>());
  };
  const auto done = [this, user, keys](const WorkAnswer& answer) {
    if (!answer.is_ok()) not_timed(user, answer);
    bool is_complete = true;
    for (const std::string& key : keys) {
      is_complete = is_complete && !steps_.contains(key);
      set_state(key, State::Free);
    }
    context_.give_up(slots_of(keys));
    // Steps that the worker left out may occur in other schedules.
    if (answer.is_ok() && !is_complete) close(user);
  };
  context_.measuring().submit({.request = TimeRequest{schedules_[user].known->candidate.text, keys},
                               .timeout = timeouts_.load,
                               .step_timeout = timeouts_.step,
                               .heard = heard,
                               .done = done});
}

void StepQueue::timed(const TimedStep& step) {
  const auto samples = samples_of(step, table_.slot_of(step.key), origin_now());
  for (const StepSamples& its : samples) table_.steps().add(its);
  context_.record({samples.begin(), samples.end()});
  set_known(step.key);
  measured_();
}

void StepQueue::not_timed(std::size_t user, const WorkAnswer& answer) {
  KnownSchedule& known = *schedules_[user].known;
  if (context_.is_first_crash(answer, answer.step.empty() ? known.candidate.hash : answer.step))
    return;
  // Running out of memory depends on the schedule, not on the step, which others share.
  if (!answer.step.empty() && answer.status != ResultStatus::OutOfMemory) {
    return timed({.key = answer.step,
                  .fault = fmt::format("{}: {}", to_string(answer.status), answer.reason)});
  }
  if (schedules_[user].is_closed) return;
  table_.finish(known, ResultKind::Composed, failure_of(answer));
  close(user);
}

std::vector<ResultSlot> StepQueue::slots_of(const std::vector<std::string>& keys) const {
  std::vector<ResultSlot> slots;
  for (const std::string& key : keys)
    for (ResultSlot& slot : thallo::slots_of(table_.slot_of(key))) slots.push_back(std::move(slot));
  return slots;
}

void StepQueue::retry() {
  for (const std::string& key : std::set(elsewhere_)) set_state(key, State::Free);
}

// When the exploration is over, a schedule with an unmeasured step gets no result.
void StepQueue::finish() {
  for (const Open& open : schedules_) {
    if (open.known->candidate.composed || (context_.is_over() && open.num_unknown > 0)) continue;
    table_.compose(*open.known);
    count(*open.known);
  }
}

}  // namespace thallo
