#include "core/explore/measure/measurer.h"

#include <algorithm>
#include <limits>
#include <set>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "core/explore/measure/descriptions.h"
#include "core/explore/measure/measurement_context.h"
#include "core/explore/measure/round_sizes.h"
#include "core/explore/measure/schedule_count.h"
#include "core/explore/measure/step_table.h"

namespace thallo {
namespace {

using Doing = MeasurerProgress::Stage;
using Clock = std::chrono::steady_clock;

Origin origin_now() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return {THALLO_COMMIT, std::chrono::duration_cast<std::chrono::seconds>(now).count()};
}

ScheduleResult failure_of(const WorkAnswer& answer) {
  return {.slot = {}, .status = answer.status, .reason = answer.why()};
}

struct Known {
  Candidate candidate;
  PreparedSchedule prepared;
};

}  // namespace

struct Measurer::Implementation {
  Implementation(const ExplorationTarget& asked, const MeasurerOptions& its)
      : target(asked), options(its), round_sizes(its.resources.jobs, its.resources.budget) {}

  // --- opening ---

  Expected<void> open() {
    auto opened_context = MeasurementContext::open(target, options.resources);
    if (!opened_context) return fail(opened_context.error());
    context = *std::move(opened_context);
    opened = context->opened();
    steps = StepTable(opened.counts, context->device_spec());
    described = Descriptions(opened.problem.signature, opened.device.signature);
    if (options.space) context->record({*options.space});
    return load();
  }

  // Loads what was measured of this problem on this device before.
  Expected<void> load() {
    if (options.resources.existing == Existing::Replace) return {};
    const StoreSelection selection{opened.problem.signature, opened.device.signature};
    const auto samples = context->store().list<StepSamples>(selection);
    if (!samples) return fail(samples.error());
    for (const StepSamples& known : *samples) steps.add(known);
    auto results = StoredResults::read(context->store(), selection);
    if (!results) return fail(results.error());
    stored_results = *std::move(results);
    return {};
  }

  void tell(Doing doing, std::int64_t done, std::int64_t total) const {
    if (progress) progress({doing, done, total, schedules.done(), schedules.total()});
  }

  // --- rounds ---

  Expected<void> explore(const std::vector<Proposal>& fresh) {
    schedules.begin(fresh.size());
    for (std::size_t begin = 0; begin < fresh.size() && !context->is_over();) {
      const std::size_t size = std::min(round_sizes.next(), fresh.size() - begin);
      const std::span<const Proposal> round = std::span(fresh).subspan(begin, size);
      const auto start = Clock::now();
      if (auto done = prepare(round); !done) return done;
      round_sizes.took(size, Clock::now() - start);
      if (auto done = measure(round); !done) return done;
      begin += size;
      schedules.set(begin);
    }
    return {};
  }

  Expected<void> measure(std::span<const Proposal> round) {
    if (options.measure == MeasureBy::Steps) return measure_steps();
    std::vector<std::string> hashes;
    for (const Proposal& proposal : round)
      if (candidates.contains(proposal.hash)) hashes.push_back(proposal.hash);
    return solve(std::move(hashes));
  }

  // --- preparing ---

  Expected<void> prepare(std::span<const Proposal> proposals) {
    num_prepared = 0;
    num_to_prepare = static_cast<std::int64_t>(proposals.size());
    for (const Proposal& proposal : proposals) submit(proposal);
    auto ran = context->run(context->compiling());
    for (const Proposal& proposal : proposals)
      if (candidates.contains(proposal.hash)) order.push_back(proposal.hash);
    return ran;
  }

  void submit(const Proposal& proposal) {
    context->compiling().submit({.request = PrepareRequest{proposal.text},
                                 .timeout = options.timeouts.prepare,
                                 .done = [this, proposal](const WorkAnswer& answer) {
                                   if (context->is_first_crash(answer, "prepare " + proposal.hash))
                                     return submit(proposal);
                                   prepared(proposal, answer);
                                   tell(Doing::Prepare, ++num_prepared, num_to_prepare);
                                 }});
  }

  void prepared(const Proposal& proposal, const WorkAnswer& answer) {
    const bool is_ok = answer.is_ok();
    Known known{
        .candidate = {.hash = proposal.hash, .text = proposal.text, .index = proposal.index},
        .prepared = is_ok ? answer.as<PreparedSchedule>() : PreparedSchedule()};
    for (SchedulePrediction prediction : known.prepared.predictions) {
      prediction.device = opened.device.signature;
      known.candidate.predictions[prediction.model] = std::move(prediction);
    }
    context->record(described.of(proposal, known.prepared));
    known.candidate.bytes = static_cast<std::int64_t>(known.prepared.bytes);
    if (is_ok) known.candidate.program = program_of(known.prepared);
    Known& kept = candidates[proposal.hash] = std::move(known);
    if (is_ok) return stored_results.give(kept.candidate);
    const bool by_solves = options.measure == MeasureBy::Solves;
    finish(kept, by_solves ? ResultKind::EndToEnd : ResultKind::Composed, failure_of(answer));
  }

  void finish(Known& known, ResultKind kind, ScheduleResult result) {
    result.slot = slot_of(known, kind);
    result.origin = origin_now();
    context->record({result});
    (kind == ResultKind::Composed ? known.candidate.composed : known.candidate.end_to_end) =
        std::move(result);
  }

  ScheduleSlot slot_of(const Known& known, ResultKind kind) const {
    return {.problem = opened.problem.signature,
            .device = opened.device.signature,
            .schedule = known.candidate.hash,
            .kind = kind};
  }

  // --- composed ---

  // Measures steps until every candidate can be composed from known steps. Takes the schedules with
  // the most unknown steps first. Records candidates as soon as they can be composed.
  Expected<void> measure_steps() {
    std::vector<Known*> open;
    std::set<std::string> unknown;
    for (const std::string& hash : order) {
      Known& known = candidates.at(hash);
      if (known.candidate.composed) continue;
      open.push_back(&known);
      unknown.merge(unknown_steps(known));
    }
    num_measured_before = num_measured;
    num_to_measure = static_cast<std::int64_t>(unknown.size());
    std::set<std::string> elsewhere;  // steps that another exploration is measuring
    while (!context->is_over()) {
      Known* next = nullptr;
      std::set<std::string> its;
      std::erase_if(open, [&](Known* known) {
        if (known->candidate.composed) return true;
        std::set<std::string> keys = unknown_steps(*known);
        if (keys.empty()) {
          compose(*known);
          schedules.add_one();
          return true;
        }
        std::erase_if(keys, [&](const std::string& key) { return elsewhere.contains(key); });
        if (keys.size() > its.size()) {
          next = known;
          its = std::move(keys);
        }
        return false;
      });
      if (next != nullptr) {
        auto is_answered = measure_steps(*next, its, elsewhere);
        if (!is_answered) return fail(is_answered.error());
        // Steps that were left out may occur in other schedules.
        if (*is_answered) std::erase(open, next);
      } else if (!elsewhere.empty()) {
        MeasurementContext::wait();
        elsewhere.clear();
      } else {
        break;
      }
    }
    compose();
    return {};
  }

  std::set<std::string> unknown_steps(const Known& known) const {
    std::set<std::string> unknown;
    for (const PreparedStep& step : known.prepared.steps)
      if (!steps.knows(step.key)) unknown.insert(step.key);
    return unknown;
  }

  StepSlot slot_of(const std::string& key) const {
    return {opened.problem.signature, opened.device.signature, key};
  }

  // Times the steps of the schedule, except those that other explorations are measuring. Returns
  // true if the worker processed all of the requested steps.
  Expected<bool> measure_steps(Known& known, const std::set<std::string>& keys,
                               std::set<std::string>& elsewhere) {
    std::vector<std::string> asked;
    for (const std::string& key : keys) {
      const auto claim = context->leases().claim(slots_of(slot_of(key)));
      if (!claim) return fail(claim.error());
      if (*claim == Claim::Held) elsewhere.insert(key);
      if (*claim == Claim::Taken) asked.push_back(key);
      if (*claim == Claim::Done) {
        if (auto found = learn(key); !found) return fail(found.error());
      }
    }
    if (asked.empty()) return false;
    bool is_answered = false;
    const auto heard = [&](const WorkerMessage& message) {
      if (message.kind == WorkerMessage::Kind::Part) timed(message.as<TimedStep>());
    };
    const auto done = [&](const WorkAnswer& answer) {
      is_answered = answer.is_ok();
      if (!is_answered) not_timed(known, answer);
    };
    context->measuring().submit({.request = TimeRequest{known.candidate.text, asked},
                                 .timeout = options.timeouts.load,
                                 .step_timeout = options.timeouts.step,
                                 .heard = heard,
                                 .done = done});
    if (auto ran = context->run(context->measuring()); !ran) return fail(ran.error());
    return is_answered;
  }

  // Reads a time that another exploration measured.
  Expected<void> learn(const std::string& key) {
    for (const ResultSlot& slot : slots_of(slot_of(key))) {
      const auto found = context->store().find(std::get<StepSlot>(slot));
      if (!found) return fail(found.error());
      if (*found) steps.add(**found);
    }
    return {};
  }

  void not_timed(Known& known, const WorkAnswer& answer) {
    if (context->is_first_crash(answer, answer.step.empty() ? known.candidate.hash : answer.step))
      return;
    // Running out of memory depends on the schedule, not on the step, which others share.
    if (answer.step.empty() || answer.status == ResultStatus::OutOfMemory) {
      finish(known, ResultKind::Composed, failure_of(answer));
    } else {
      timed({.key = answer.step,
             .hot = {},
             .evicted = {},
             .fault = fmt::format("{}: {}", to_string(answer.status), answer.reason)});
    }
  }

  void timed(const TimedStep& step) {
    const std::vector<StepSamples> samples = samples_of(step, slot_of(step.key), origin_now());
    for (const StepSamples& its : samples) steps.add(its);
    context->record({samples.begin(), samples.end()});
    ++num_measured;
    tell(Doing::Measure, num_measured - num_measured_before, num_to_measure);
  }

  // When the exploration is over, a schedule with an unmeasured step gets no result.
  void compose() {
    for (const std::string& hash : order) {
      Known& known = candidates.at(hash);
      const bool is_left_out = context->is_over() && !unknown_steps(known).empty();
      if (!known.candidate.composed && !is_left_out) compose(known);
    }
  }

  void compose(Known& known) {
    finish(known, ResultKind::Composed, steps.compose(known.prepared));
    describe_steps(known);
  }

  void describe_steps(const Known& known) {
    context->record({described.with_steps(known.candidate, known.prepared, steps, target.model)});
  }

  // --- end to end ---

  Expected<void> solve(std::vector<std::string> left) {
    const auto total = static_cast<std::int64_t>(left.size());
    std::int64_t done = 0;
    for (const std::string& hash : left) describe_steps(candidates.at(hash));
    while (!left.empty()) {
      std::vector<std::string> elsewhere;  // schedules that another exploration is solving
      for (const std::string& hash : left) {
        if (context->is_over()) return {};
        const auto claim = solve(candidates.at(hash));
        if (!claim) return fail(claim.error());
        if (*claim == Claim::Held) {
          elsewhere.push_back(hash);
        } else {
          schedules.add_one();
          tell(Doing::Solve, ++done, total);
        }
      }
      left = std::move(elsewhere);
      if (!left.empty()) MeasurementContext::wait();
    }
    return {};
  }

  Expected<Claim> solve(Known& known) {
    const std::string& program = known.candidate.program;
    if (known.candidate.end_to_end || program.empty()) {
      if (!program.empty()) solved_programs.emplace(program, *known.candidate.end_to_end);
      return Claim::Done;
    }
    const ScheduleSlot slot = slot_of(known, ResultKind::EndToEnd);
    if (const auto same = solved_programs.find(program); same != solved_programs.end()) {
      finish(known, ResultKind::EndToEnd, same->second);
      return Claim::Done;
    }
    auto claim = context->leases().claim({slot});
    if (!claim || *claim == Claim::Held) return claim;
    if (*claim == Claim::Done) {
      const auto found = context->store().find(slot);
      if (!found) return fail(found.error());
      known.candidate.end_to_end = *found;
      return claim;
    }
    context->measuring().submit(
        {.request = SolveRequest{known.candidate.text, options.solves},
         .timeout = options.timeouts.solve,
         .done = [&](const WorkAnswer& answer) {
           if (context->is_first_crash(answer, "solve " + known.candidate.hash)) return;
           finish(known, ResultKind::EndToEnd,
                  answer.is_ok() ? answer.as<ScheduleResult>() : failure_of(answer));
           solved_programs.emplace(program, *known.candidate.end_to_end);
         }});
    if (auto ran = context->run(context->measuring()); !ran) return fail(ran.error());
    // Without a result, the schedule must be solved again.
    return known.candidate.end_to_end ? Claim::Done : Claim::Held;
  }

  // --- what is known ---

  std::optional<double> seconds(const Candidate& candidate) const {
    if (options.objective == Objective::NonlinearIteration)
      return thallo::iteration_seconds(candidate, options.measure);
    double lowest = std::numeric_limits<double>::infinity();
    for (const auto& [hash, known] : candidates)
      lowest = std::min(lowest, lowest_cost(known.candidate));
    return objective_seconds(candidate, options.objective, lowest);
  }

  ExplorationTarget target;
  MeasurerOptions options;
  std::unique_ptr<MeasurementContext> context;
  OpenedProblem opened;
  std::vector<std::string> order;           // hashes of candidates in proposal order
  std::map<std::string, Known> candidates;  // by hash
  StepTable steps;
  Descriptions described;
  StoredResults stored_results;
  std::map<std::string, ScheduleResult> solved_programs;  // by Candidate::program
  RoundSizes round_sizes;
  ScheduleCount schedules;  // reported in Progress
  std::int64_t num_prepared = 0, num_to_prepare = 0;
  std::int64_t num_measured = 0, num_measured_before = 0, num_to_measure = 0;
  Progress progress;
};

Measurer::Measurer(std::unique_ptr<Implementation> implementation)
    : implementation_(std::move(implementation)) {}
Measurer::Measurer(Measurer&&) noexcept = default;
Measurer::~Measurer() = default;

Expected<Measurer> Measurer::open(const ExplorationTarget& target, const MeasurerOptions& options) {
  auto implementation = std::make_unique<Implementation>(target, options);
  if (auto opened = implementation->open(); !opened) return fail(opened.error());
  return Measurer(std::move(implementation));
}

const ProblemRecord& Measurer::problem() const { return implementation_->opened.problem; }
const DeviceRecord& Measurer::device() const { return implementation_->opened.device; }
const DeviceSpec& Measurer::device_spec() const { return implementation_->context->device_spec(); }
double Measurer::device_memory() const { return device_spec().memory; }
Objective Measurer::objective() const { return implementation_->options.objective; }
const ExplorationTarget& Measurer::target() const { return implementation_->target; }

Expected<std::vector<std::string>> Measurer::timed_schedules() const {
  return thallo::timed_schedules(implementation_->context->store(), problem().signature);
}

Expected<void> Measurer::explore(const std::vector<Proposal>& proposals) {
  Implementation& i = *implementation_;
  std::vector<Proposal> fresh;
  std::set<std::string> seen;
  for (const Proposal& proposal : proposals)
    if (!i.candidates.contains(proposal.hash) && seen.insert(proposal.hash).second)
      fresh.push_back(proposal);
  return i.explore(fresh);
}

Expected<void> Measurer::solve(const std::vector<std::string>& hashes) {
  implementation_->schedules.begin_apart(hashes.size());
  return implementation_->solve(hashes);
}

std::vector<Candidate> Measurer::candidates() const {
  std::vector<Candidate> result;
  for (const std::string& hash : implementation_->order)
    result.push_back(implementation_->candidates.at(hash).candidate);
  return result;
}

std::optional<double> Measurer::iteration_seconds(const std::string& hash) const {
  const auto found = implementation_->candidates.find(hash);
  if (found == implementation_->candidates.end()) return {};
  return thallo::iteration_seconds(found->second.candidate, implementation_->options.measure);
}
std::optional<double> Measurer::seconds(const std::string& hash) const {
  const auto found = implementation_->candidates.find(hash);
  if (found == implementation_->candidates.end()) return {};
  return implementation_->seconds(found->second.candidate);
}
void Measurer::limit_to(double share) { implementation_->context->limit_to(share); }
bool Measurer::is_over() const { return implementation_->context->is_over(); }
const StoredResults& Measurer::stored_results() const { return implementation_->stored_results; }
std::int64_t Measurer::num_steps() const {
  return static_cast<std::int64_t>(implementation_->described.num_steps());
}
std::int64_t Measurer::num_measured() const { return implementation_->num_measured; }
void Measurer::expect(std::int64_t num) { implementation_->schedules.expect(num); }
void Measurer::on_progress(Progress progress) { implementation_->progress = std::move(progress); }

}  // namespace thallo
