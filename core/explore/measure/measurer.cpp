#include "core/explore/measure/measurer.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <deque>
#include <limits>
#include <set>
#include <utility>

#include "core/explore/measure/candidate_table.h"
#include "core/explore/measure/measurement_context.h"
#include "core/explore/measure/round_sizes.h"
#include "core/explore/measure/schedule_count.h"
#include "core/explore/measure/solve_queue.h"
#include "core/explore/measure/step_queue.h"

namespace thallo {
namespace {

using Clock = std::chrono::steady_clock;

// Schedules that wait for each compiling worker, so that none is idle between two turns.
constexpr std::size_t WaitingForEach = 2;

}  // namespace

struct Measurer::Implementation {
  Implementation(const ExplorationTarget& asked, const MeasurerOptions& its)
      : target(asked), options(its) {}

  Expected<void> open() {
    auto opened = MeasurementContext::open(target, options.resources);
    if (!opened) return fail(opened.error());
    context = *std::move(opened);
    if (options.space) context->record({*options.space});
    auto read = CandidateTable::read(*context, options.resources.existing, target.model);
    if (!read) return fail(read.error());
    table.emplace(*std::move(read));
    round_sizes.emplace(context->num_compiling(), options.resources.budget);
    return {};
  }

  // --- schedules, from proposals to results ---

  using Source = std::function<std::vector<Proposal>()>;

  Expected<void> explore(std::size_t num_schedules, const Source& more) {
    schedules.begin(num_schedules);
    source = more;
    if (options.measure == MeasureBy::Solves) {
      SolveQueue queue(*context, *table, options.timeouts, options.solves,
                       [this](const KnownSchedule& known) {
                         tell();
                         tell_time(known);
                       });
      return process(queue);
    }
    StepQueue queue(
        *context, *table, options.timeouts,
        [&] {
          ++num_measured;
          ++progress.timed.done;
          progress.timed.total = progress.timed.done + queue.num_unknown();
          tell();
        },
        [this](const KnownSchedule& known) { tell_time(known); });
    return process(queue);
  }

  Expected<void> solve(const std::vector<std::string>& hashes) {
    schedules.begin_apart(hashes.size());
    source = nullptr;
    SolveQueue queue(*context, *table, options.timeouts, options.solves,
                     [this](const KnownSchedule&) { tell(); });
    progress.is_solving = true;
    work = &queue;  // which tells of those that are solved already
    for (const std::string& hash : hashes) queue.add(*table->find(hash));
    return process(queue);
  }

  // Compiles the schedules of the list, and measures them and whatever the queue has already.
  Expected<void> process(MeasuringQueue& queue) {
    work = &queue;
    list.clear();
    num_begun = 0;
    progress.compiled = progress.timed = {};
    auto ended = context->end_turns(take_turns());
    if (ended) work->finish();
    tell();
    work = nullptr;
    source = nullptr;
    progress.is_solving = false;
    std::erase_if(list, [this](const Proposal& its) { return table->find(its.hash) == nullptr; });
    for (const Proposal& its : list) order.push_back(its.hash);
    list.clear();
    listed.clear();
    return ended;
  }

  Expected<void> take_turns() {
    while (!context->is_over()) {
      compile_more();
      if (context->measures_beside_compiling() || context->compiling().is_idle()) {
        if (auto done = work->hand_out(); !done) return done;
      }
      if (!context->is_idle()) {
        if (auto done = context->turn(); !done) return done;
      } else if (work->has_work()) {
        MeasurementContext::wait();
        work->retry();
      } else if (num_begun == list.size() && !source) {
        break;
      }
    }
    return {};
  }

  void compile_more() {
    std::size_t most = 0;
    if (context->measures_beside_compiling()) {
      const std::size_t begun = num_begun - static_cast<std::size_t>(progress.compiled.done);
      const std::size_t wanted = WaitingForEach * context->num_compiling();
      most = wanted - std::min(wanted, begun);
      if (most > list.size() - num_begun) draw();
      progress.compiled.total = static_cast<std::int64_t>(list.size());
    } else if (context->is_idle() && !work->has_work()) {
      most = round_sizes->next();
      while (source && most > list.size() - num_begun && !context->is_over()) draw();
      round_start = Clock::now();
      round_size = most = std::min(most, list.size() - num_begun);
      progress.compiled.total = static_cast<std::int64_t>(num_begun + most);
    }
    for (; most > 0 && num_begun < list.size(); --most) compile(list[num_begun++]);
  }

  // Adds those of the next schedules of the source to the list that were not processed before.
  void draw() {
    if (!source) return;
    const std::vector<Proposal> drawn = source();
    if (drawn.empty()) source = nullptr;
    for (const Proposal& proposal : drawn)
      if (table->find(proposal.hash) == nullptr && listed.insert(proposal.hash).second)
        list.push_back(proposal);
  }

  void compile(const Proposal& proposal) {
    context->compiling().submit({.request = PrepareRequest{proposal.text},
                                 .timeout = options.timeouts.prepare,
                                 .done = [this, &proposal](const WorkAnswer& answer) {
                                   if (context->is_first_crash(answer, "prepare " + proposal.hash))
                                     return compile(proposal);
                                   compiled(proposal, answer);
                                 }});
  }

  void compiled(const Proposal& proposal, const WorkAnswer& answer) {
    const bool by_steps = options.measure == MeasureBy::Steps;
    work->add(table->add(proposal, answer, by_steps ? ResultKind::Composed : ResultKind::EndToEnd));
    ++progress.compiled.done;
    if (!context->measures_beside_compiling() && progress.compiled.done == progress.compiled.total)
      round_sizes->took(round_size, Clock::now() - round_start);
    tell();
  }

  void tell() {
    schedules.set(static_cast<std::size_t>(work->num_finished()));
    progress.schedules = {schedules.done(), schedules.total()};
    if (told) told(progress);
  }

  void tell_time(const KnownSchedule& known) const {
    const Candidate& candidate = known.candidate;
    const auto seconds = thallo::iteration_seconds(candidate, options.measure);
    if (!timed || !seconds || !std::isfinite(*seconds)) return;
    const bool by_steps = options.measure == MeasureBy::Steps;
    const ResultKind kind = by_steps ? ResultKind::Composed : ResultKind::EndToEnd;
    timed({candidate.hash, *seconds, table->stored().find(candidate.hash, kind) != nullptr});
  }

  // --- what is known ---

  std::optional<double> seconds(const Candidate& candidate) const {
    if (options.objective == Objective::NonlinearIteration)
      return thallo::iteration_seconds(candidate, options.measure);
    double lowest = std::numeric_limits<double>::infinity();
    for (const auto& [hash, known] : table->all())
      lowest = std::min(lowest, lowest_cost(known.candidate));
    return objective_seconds(candidate, options.objective, lowest);
  }

  ExplorationTarget target;
  MeasurerOptions options;
  std::unique_ptr<MeasurementContext> context;
  std::optional<CandidateTable> table;
  std::vector<std::string> order;  // hashes of earlier candidates in proposal order
  ScheduleCount schedules;         // reported in MeasurerProgress
  std::int64_t num_measured = 0;

  // The list of schedules that is being processed.
  Source source;                 // of more schedules; empty if there are none
  std::deque<Proposal> list;     // workers are asked for its elements, which stay where they are
  std::set<std::string> listed;  // their hashes
  std::size_t num_begun = 0;     // schedules of it that were given to compiling workers
  MeasuringQueue* work = nullptr;
  std::optional<RoundSizes> round_sizes;
  Clock::time_point round_start;
  std::size_t round_size = 0;
  MeasurerProgress progress;
  Progress told;
  Timed timed;
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

const ProblemRecord& Measurer::problem() const {
  return implementation_->context->opened().problem;
}
const DeviceRecord& Measurer::device() const { return implementation_->context->opened().device; }
const DeviceSpec& Measurer::device_spec() const { return implementation_->context->device_spec(); }
double Measurer::device_memory() const { return device_spec().memory; }
Objective Measurer::objective() const { return implementation_->options.objective; }
const ExplorationTarget& Measurer::target() const { return implementation_->target; }

Expected<std::vector<std::string>> Measurer::timed_schedules() const {
  return thallo::timed_schedules(implementation_->context->store(), problem().signature);
}

Expected<void> Measurer::explore(const std::vector<Proposal>& proposals) {
  bool is_given = false;
  return implementation_->explore(proposals.size(), [&] {
    return std::exchange(is_given, true) ? std::vector<Proposal>() : proposals;
  });
}

Expected<void> Measurer::explore(const std::function<std::vector<Proposal>()>& more) {
  return implementation_->explore(0, more);
}

Expected<void> Measurer::solve(const std::vector<std::string>& hashes) {
  return implementation_->solve(hashes);
}

std::vector<Candidate> Measurer::candidates() const {
  const Implementation& i = *implementation_;
  std::vector<Candidate> result;
  for (const std::string& hash : i.order) result.push_back(i.table->find(hash)->candidate);
  for (const Proposal& proposal : i.list)
    if (const KnownSchedule* known = std::as_const(*i.table).find(proposal.hash))
      result.push_back(known->candidate);
  return result;
}

std::optional<double> Measurer::iteration_seconds(const std::string& hash) const {
  const Implementation& i = *implementation_;
  const KnownSchedule* known = std::as_const(*i.table).find(hash);
  if (known == nullptr) return {};
  return thallo::iteration_seconds(known->candidate, i.options.measure);
}
std::optional<double> Measurer::seconds(const std::string& hash) const {
  const Implementation& i = *implementation_;
  const KnownSchedule* known = std::as_const(*i.table).find(hash);
  return known != nullptr ? i.seconds(known->candidate) : std::nullopt;
}
void Measurer::limit_to(double share) { implementation_->context->limit_to(share); }
bool Measurer::is_over() const { return implementation_->context->is_over(); }
MeasurementStore& Measurer::store() { return implementation_->context->store(); }
const MeasurementStore& Measurer::store() const { return implementation_->context->store(); }
const StoredResults& Measurer::stored_results() const { return implementation_->table->stored(); }
std::int64_t Measurer::num_steps() const {
  return static_cast<std::int64_t>(implementation_->table->num_steps());
}
std::int64_t Measurer::num_measured() const { return implementation_->num_measured; }
void Measurer::expect(std::int64_t num) { implementation_->schedules.expect(num); }
void Measurer::on_progress(Progress progress) { implementation_->told = std::move(progress); }
void Measurer::on_timed(Timed timed) { implementation_->timed = std::move(timed); }

}  // namespace thallo
