#include "core/solve/descent_loop.h"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "core/solve/start_state.h"

namespace thallo {
namespace {

// What iterations ahead of the host may store, and how many they may be.
constexpr std::size_t MostBytesAhead = std::size_t{128} << 20;
constexpr std::size_t MostAhead = 256;

bool made_step(const Descent& descent) { return descent.step() != Descent::Step::None; }

void set_work(SolverState& state, MemberWork work) {
  at(state, StateSlot::Work) = static_cast<double>(work);
}

// True if the solve ended without a step though nobody ended it.
bool ended_without_step(const Descent& descent) {
  return descent.has_ended() && descent.lacks_step() &&
         descent.termination() != Termination::Cancelled &&
         descent.termination() != Termination::TimeLimit && !is_convergence(descent.termination());
}

}  // namespace

DescentLoop::DescentLoop(PhaseRunner& runner, const ProgramTraits& program,
                         const IterationOptions& asked, Interruption interruption)
    : runner_(runner),
      program_(program),
      asked_(asked),
      options_(suited_options(program, asked)),
      interruption_(std::move(interruption)),
      step_solver_(program_, options_),
      rules_(rules_of(program_, asked_, options_)) {}

bool DescentLoop::start() {
  descents_.resize(runner_.num_states(), Descent(rules_, asked_, options_));
  states_.assign(descents_.size(), start_state(options_, program_.has_double_r));
  for (SolverState& state : states_) set_work(state, MemberWork::None);
  going_ = touched_ = runner_.all_states();
  run_batch({.before = {Phase::Setup, Phase::Values, Phase::Cost}});
  for (std::size_t i = 0; i < descents_.size(); ++i) {
    if (descents_[i].start(states_[i])) continue;
    if (!program_.has_members) return false;
    descents_[i].end(Termination::NonFiniteStart);
  }
  return true;
}

bool DescentLoop::start_again() {
  if (!start()) return false;
  has_scale_ = false;
  for (Descent& descent : descents_) descent.forget();
  return true;
}

double DescentLoop::start_move() const {
  double most = 0;
  if (!program_.has_bounds) return most;
  for (const SolverState& state : states_) most = std::max(most, at(state, LargestCut));
  return most;
}

IterationRecord DescentLoop::record_of_start() const {
  IterationRecord record{.cost = total_cost()};
  if (!descents_.empty()) record.radius = descents_.front().record().radius;
  return record;
}

bool DescentLoop::is_going() const { return !std::ranges::all_of(descents_, &Descent::has_ended); }

void DescentLoop::find_going() {
  going_.clear();
  for (std::size_t i = 0; i < descents_.size(); ++i)
    if (!descents_[i].has_ended()) going_.push_back(i);
}

void DescentLoop::end_all(Termination why, const std::string& cause) {
  for (Descent& descent : descents_)
    if (!descent.has_ended()) descent.end(why);
  if (!cause.empty()) cause_ = cause;
}

void DescentLoop::blame(Termination why, const std::string& cause) {
  for (const std::size_t i : going_) {
    if (!ended_without_step(descents_[i])) continue;
    descents_[i].end(why);
    cause_ = cause;
  }
}

bool DescentLoop::lacks_step() const {
  return std::ranges::any_of(going_,
                             [&](std::size_t i) { return ended_without_step(descents_[i]); });
}

bool DescentLoop::can_continue(int num_iterations) {
  if (num_told_ < ahead_.size()) return true;
  if (!is_going()) return false;
  if (ask_for_interruption()) {
    end_all(rules_.interruption);
  } else if (num_iterations >= options_.num_iterations) {
    end_all(Termination::MaxIterations);
  }
  return is_going();
}

bool DescentLoop::ask_for_interruption() {
  const std::optional<Termination> why = interruption_();
  rules_.is_interrupted = why.has_value();
  if (why) rules_.interruption = *why;
  return rules_.is_interrupted;
}

bool DescentLoop::iterate(const IterationRecord& last) {
  if (num_told_ < ahead_.size()) return ++num_told_ > 0;
  ahead_.clear();
  num_told_ = 0;
  if (device_decides_ && program_.has_members && last.iteration > 0 && iterate_members(last))
    return num_told_ > 0;
  find_going();
  for (const std::size_t i : going_) descents_[i].begin_iteration(states_[i]);
  if (!is_going()) return false;
  linearize();
  step_solver_.choose(last);
  rules_.solves = step_solver_.solves();
  rules_.solves_directly = step_solver_.solves_directly();
  rules_.is_loose = step_solver_.is_loose();
  find_step();
  std::vector<std::size_t> undecided = going_;
  for (;;) {
    ask_for_interruption();
    std::erase_if(undecided, [this](std::size_t i) {
      const bool is_decided = descents_[i].has_ended() || !descents_[i].look(states_[i]);
      set_work(states_[i], is_decided ? MemberWork::None : MemberWork::Trial);
      return is_decided;
    });
    if (undecided.empty()) break;
    evaluate_trial();
  }
  take_over();
  return std::ranges::any_of(going_, [this](std::size_t i) { return made_step(descents_[i]); });
}

// The first iteration is the host's, which then knows how the linearization is scaled. Returns
// false if the device decides nothing.
bool DescentLoop::iterate_members(const IterationRecord& last) {
  static_assert(std::is_trivially_copyable_v<Descent> &&
                std::is_trivially_copyable_v<DescentRules> &&
                std::is_trivially_copyable_v<IterationRecord>);
  const std::size_t bytes_of_iteration = descents_.size() * sizeof(IterationRecord);
  const std::size_t fitting = may_run_ahead_ ? MostBytesAhead / bytes_of_iteration : 1;
  const int most = std::min(options_.num_iterations - last.iteration,
                            static_cast<int>(std::clamp<std::size_t>(fitting, 1, MostAhead)));
  run_waiting();
  runner_.write_states(states_, runner_.all_states());
  ahead_.resize(static_cast<std::size_t>(most));
  const auto is_interrupted = [this] { return interruption_().has_value(); };
  const auto made =
      runner_.iterate_members({.most = most,
                               .loop = step_solver_.loop(is_interrupted),
                               .descents = std::as_writable_bytes(std::span(descents_)),
                               .rules = std::as_bytes(std::span(&rules_, 1)),
                               .records = std::as_writable_bytes(std::span(ahead_)),
                               .is_interrupted = is_interrupted},
                              states_);
  device_decides_ = made.has_value();
  ahead_.resize(static_cast<std::size_t>(made.value_or(0)));
  if (!made) return false;
  for (Descent& descent : descents_) descent.follow(rules_);
  find_going();
  touched_ = going_;
  num_told_ = std::min<std::size_t>(1, ahead_.size());
  return true;
}

// What has ended takes part for the last time, with the acceptance of its last step.
void DescentLoop::run_batch(const Batch& batch) {
  runner_.run_batch(batch, states_, touched_);
  touched_ = going_;
}

void DescentLoop::run_waiting() {
  if (waiting_.empty()) return;
  if (program_.has_members) runner_.write_states(states_, touched_);
  for (const Phase phase : std::exchange(waiting_, {})) runner_.run(phase);
  for (const std::size_t i : touched_) at(states_[i], StateSlot::Chosen) = 0;
}

// The stored intermediates must be those of X: start() computes them there, an acceptance takes
// over the trial point's.
void DescentLoop::linearize() {
  bool any = false;
  for (const std::size_t i : going_) {
    if (descents_[i].has_ended()) continue;
    const bool is_linearized = descents_[i].is_linearized();
    set_work(states_[i], is_linearized ? MemberWork::LinearSolve : MemberWork::Linearization);
    if (!is_linearized) descents_[i].linearize();
    any = any || !is_linearized;
  }
  if (!any) return;
  waiting_.push_back(Phase::Linearize);
  if (rules_.is_damped && !std::exchange(has_scale_, true)) waiting_.push_back(Phase::SaveScale);
}

// The only place of an iteration where the host waits for the device, unless other lengths of a
// step are tried.
void DescentLoop::find_step() {
  evaluate_trial(
      step_solver_.begin(waiting_, states_, [this] { return interruption_().has_value(); }));
}

// Runs what waits, the loop, and the trial points of the steps that they find.
void DescentLoop::evaluate_trial(std::optional<LinearLoop> loop) {
  run_batch({.before = std::exchange(waiting_, {}),
             .loop = std::move(loop),
             .after = {Phase::Retract, Phase::TrialValues, Phase::TrialCost}});
}

void DescentLoop::take_over() {
  // Members are chosen for one copy at a time.
  if (copy(Phase::Keep, [](const Descent& d) { return d.leaves_best(); }) && program_.has_members)
    run_waiting();
  copy(Phase::Accept, [](const Descent& d) { return d.step() == Descent::Step::Accepted; });
}

// Has a phase copy the values of those that are chosen. Returns whether there are any.
template <class IsChosen>
bool DescentLoop::copy(Phase phase, IsChosen is_chosen) {
  bool any = false;
  for (const std::size_t i : going_) {
    const bool chosen = is_chosen(descents_[i]);
    at(states_[i], StateSlot::Chosen) = chosen ? 1 : 0;
    any = any || chosen;
  }
  if (any) waiting_.push_back(phase);
  return any;
}

std::optional<double> DescentLoop::go_back() {
  const double left = total([](const Descent& descent) { return descent.cost(); });
  going_ = touched_ = runner_.all_states();
  if (!copy(Phase::GoBack, [](const Descent& d) { return d.has_left_best(); })) return {};
  look_again();
  return left;
}

void DescentLoop::look_again() {
  going_ = touched_ = runner_.all_states();
  waiting_.insert(waiting_.end(), {Phase::Values, Phase::Cost});
  run_batch({.before = std::exchange(waiting_, {})});
  for (std::size_t i = 0; i < descents_.size(); ++i) descents_[i].go_back(states_[i]);
}

IterationRecord DescentLoop::record() const {
  if (num_told_ > 0) return ahead_[num_told_ - 1];
  return program_.has_members ? record_of_batch() : descents_.front().record();
}

IterationRecord DescentLoop::record_of_batch() const {
  IterationRecord all{.cost = total_cost(), .accepted = false};
  for (const std::size_t i : going_) {
    const Descent& descent = descents_[i];
    if (!made_step(descent)) continue;
    const IterationRecord& one = descent.record();
    all.gradient_max = std::max(all.gradient_max, one.gradient_max);
    all.linear_iterations = std::max(all.linear_iterations, one.linear_iterations);
    all.failed_blocks += one.failed_blocks;
    if (!one.accepted) continue;
    all.accepted = true;
    all.cost_change += one.cost_change;
    all.step_norm = std::hypot(all.step_norm, one.step_norm);
  }
  return all;
}

}  // namespace thallo
