#include "core/explore/measure/measurer.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/explore/measure/solve_queue.h"
#include "core/explore/measure/spilling.h"
#include "core/explore/measure/step_queue.h"

namespace thallo {
namespace {

// Schedules that wait for each compiling worker, so that none is idle between two turns.
constexpr std::size_t WaitingForEach = 2;

}  // namespace

Expected<std::unique_ptr<Measurer>> Measurer::open(const ExplorationTarget& target,
                                                   const MeasurerOptions& options) {
  std::unique_ptr<Measurer> measurer(new Measurer(target, options));
  THALLO_TRY(measurer->context_, MeasurementContext::open(measurer->target_, options.resources));
  MeasurementContext& context = *measurer->context_;
  if (options.space) context.record({*options.space});
  THALLO_TRY(auto read,
             CandidateTable::read(context, options.resources.existing, measurer->target_.model));
  measurer->table_.emplace(std::move(read));
  measurer->round_sizes_.emplace(context.num_compiling(), options.resources.budget);
  return measurer;
}

// --- schedules, from proposals to results ---

Expected<void> Measurer::explore(const std::vector<Proposal>& proposals) {
  bool is_given = false;
  return explore(proposals.size(), [&] {
    return std::exchange(is_given, true) ? std::vector<Proposal>() : proposals;
  });
}

Expected<void> Measurer::explore(std::size_t num_schedules, const Source& more) {
  schedules_.begin(num_schedules);
  source_ = more;
  if (options_.measure == ResultKind::EndToEnd) {
    SolveQueue queue(*context_, *table_, options_.timeouts, options_.solves,
                     [this](const KnownSchedule& known) {
                       tell();
                       tell_time(known);
                     });
    return process(queue);
  }
  StepQueue queue(
      *context_, *table_, options_.timeouts,
      [&] {
        ++num_measured_;
        ++progress_.timed.done;
        progress_.timed.total = progress_.timed.done + queue.num_unknown();
        tell();
      },
      [this](const KnownSchedule& known) { tell_time(known); });
  return process(queue);
}

Expected<void> Measurer::solve(const std::vector<std::string>& hashes) {
  schedules_.begin_apart(hashes.size());
  source_ = nullptr;
  SolveQueue queue(*context_, *table_, options_.timeouts, options_.solves,
                   [this](const KnownSchedule&) { tell(); });
  progress_.is_solving = true;
  work_ = &queue;  // which tells of those that are solved already
  for (const std::string& hash : hashes) queue.add(*table_->find(hash));
  return process(queue);
}

Expected<void> Measurer::process(MeasuringQueue& queue) {
  work_ = &queue;
  list_.clear();
  num_begun_ = 0;
  progress_.compiled = progress_.timed = {};
  auto ended = context_->end_turns(take_turns());
  if (ended) work_->finish();
  tell();
  work_ = nullptr;
  source_ = nullptr;
  progress_.is_solving = false;
  std::erase_if(list_, [this](const Proposal& its) { return table_->find(its.hash) == nullptr; });
  for (const Proposal& its : list_) order_.push_back(its.hash);
  list_.clear();
  listed_.clear();
  return ended;
}

Expected<void> Measurer::take_turns() {
  while (!context_->is_over()) {
    compile_more();
    if (context_->measures_beside_compiling() || context_->compiling().is_idle()) {
      THALLO_CHECK(work_->hand_out());
    }
    if (!context_->is_idle()) {
      THALLO_CHECK(context_->turn());
    } else if (work_->has_work()) {
      MeasurementContext::wait();
      work_->retry();
    } else if (num_begun_ == list_.size() && !source_) {
      if (spilling_.empty()) break;
      judge_spilling();
    }
  }
  return {};
}

void Measurer::compile_more() {
  std::size_t most = 0;
  if (context_->measures_beside_compiling()) {
    const std::size_t begun = num_begun_ - static_cast<std::size_t>(progress_.compiled.done);
    const std::size_t wanted = WaitingForEach * context_->num_compiling();
    most = wanted - std::min(wanted, begun);
    if (most > list_.size() - num_begun_) draw();
    progress_.compiled.total = static_cast<std::int64_t>(list_.size());
  } else if (context_->is_idle() && !work_->has_work()) {
    most = round_sizes_->next();
    while (source_ && most > list_.size() - num_begun_ && !context_->is_over()) draw();
    round_start_ = Clock::now();
    round_size_ = most = std::min(most, list_.size() - num_begun_);
    progress_.compiled.total = static_cast<std::int64_t>(num_begun_ + most);
  }
  for (; most > 0 && num_begun_ < list_.size(); --most) compile(list_[num_begun_++]);
}

void Measurer::draw() {
  if (!source_) return;
  const std::vector<Proposal> drawn = source_();
  if (drawn.empty()) source_ = nullptr;
  for (const Proposal& proposal : drawn)
    if (table_->find(proposal.hash) == nullptr && listed_.insert(proposal.hash).second)
      list_.push_back(proposal);
}

void Measurer::compile(const Proposal& proposal) {
  context_->compiling().submit({.request = PrepareRequest{proposal.text},
                                .timeout = options_.timeouts.prepare,
                                .done = [this, &proposal](const WorkAnswer& answer) {
                                  if (context_->is_first_crash(answer, "prepare " + proposal.hash))
                                    return compile(proposal);
                                  compiled(proposal, answer);
                                }});
}

void Measurer::compiled(const Proposal& proposal, const WorkAnswer& answer) {
  KnownSchedule& known = table_->add(proposal, answer, options_.measure);
  if (leaves_out_spilling_ && !known.prepared.spilling.empty())
    spilling_.push_back(&known);
  else
    work_->add(known);
  ++progress_.compiled.done;
  if (!context_->measures_beside_compiling() && progress_.compiled.done == progress_.compiled.total)
    round_sizes_->took(round_size_, Clock::now() - round_start_);
  tell();
}

void Measurer::judge_spilling() {
  const SpillingJudge judge(table_->all(), target_.model);
  for (KnownSchedule* known : std::exchange(spilling_, {})) {
    if (const auto reason = judge.why_left_out(*known))
      table_->finish(*known, options_.measure, {.status = ResultStatus::NotRun, .reason = *reason});
    work_->add(*known);
  }
}

void Measurer::tell() {
  schedules_.set(static_cast<std::size_t>(work_->num_finished()));
  progress_.schedules = {schedules_.done(), schedules_.total()};
  if (told_) told_(progress_);
}

void Measurer::tell_time(const KnownSchedule& known) const {
  const Candidate& candidate = known.candidate;
  const auto seconds = thallo::iteration_seconds(candidate, options_.measure);
  if (!timed_ || !seconds || !std::isfinite(*seconds)) return;
  timed_({candidate.hash, *seconds,
          table_->stored().find(candidate.hash, options_.measure) != nullptr});
}

// --- what is known ---

std::vector<Candidate> Measurer::candidates() const {
  std::vector<Candidate> result;
  for (const std::string& hash : order_) result.push_back(table_->find(hash)->candidate);
  for (const Proposal& proposal : list_)
    if (const KnownSchedule* known = table_->find(proposal.hash))
      result.push_back(known->candidate);
  return result;
}

std::optional<double> Measurer::iteration_seconds(const std::string& hash) const {
  const KnownSchedule* known = table_->find(hash);
  if (known == nullptr) return {};
  return thallo::iteration_seconds(known->candidate, options_.measure);
}

std::optional<double> Measurer::seconds(const std::string& hash) const {
  const KnownSchedule* known = table_->find(hash);
  if (known == nullptr || options_.objective == Objective::NonlinearIteration)
    return iteration_seconds(hash);
  double lowest = std::numeric_limits<double>::infinity();
  for (const auto& [other, its] : table_->all())
    lowest = std::min(lowest, lowest_cost(its.candidate));
  return objective_seconds(known->candidate, options_.objective, lowest);
}

}  // namespace thallo
