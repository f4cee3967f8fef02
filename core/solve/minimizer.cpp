#include "core/solve/minimizer.h"

#include <algorithm>
#include <cmath>
#include <exception>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/backend/half_range.h"
#include "core/base/error.h"
#include "core/base/log.h"
#include "core/base/stop_scope.h"
#include "core/solve/descent_loop.h"
#include "core/solve/descent_report.h"
#include "core/solve/iteration_clock.h"
#include "core/solve/start_summary.h"

namespace thallo {
namespace {

// Reads the executable's clocks behind each batch, when the host has waited for it anyway.
class ClockedRunner final : public PhaseRunner {
 public:
  ClockedRunner(Executable& executable, IterationClock& clock)
      : executable_(executable), clock_(clock) {}

  void run(Phase phase) override { executable_.run(phase); }
  void run_batch(const Batch& batch, std::span<SolverState> states,
                 std::span<const std::size_t> which) override {
    executable_.run_batch(batch, states, which);
    clock_.collect(executable_);
  }
  std::optional<int> iterate_members(const MemberIterations& asked,
                                     std::span<SolverState> states) override {
    const auto made = executable_.iterate_members(asked, states);
    clock_.collect(executable_);
    return made;
  }
  void read_states(std::span<SolverState> states, std::span<const std::size_t> which) override {
    executable_.read_states(states, which);
  }
  void write_states(std::span<const SolverState> states,
                    std::span<const std::size_t> which) override {
    executable_.write_states(states, which);
  }
  std::size_t num_states() const override { return executable_.num_states(); }

 private:
  Executable& executable_;
  IterationClock& clock_;
};

}  // namespace

// One solve: a DescentLoop, and what surrounds it: times, records, data that change, failures.
class Minimizer::Loop {
 public:
  Loop(Executable& executable, const SolverOptions& options, IterationCallback callback,
       std::stop_token stop, IterationWatcher watcher)
      : executable_(executable),
        runner_(executable, clock_),
        callback_(std::move(callback)),
        stop_(std::move(stop)),
        watcher_(std::move(watcher)),
        summary_(start_summary(executable.program(), options)),
        loop_(runner_, traits_of(executable), options, [this] { return interruption(); }) {}

  Expected<void> begin() {
    const IterationClock::Running running(clock_);
    executable_.reset_timing();
    if (auto started = check_start(loop_.start()); !started) return started;
    IterationRecord record = loop_.record_of_start();
    summary_.initial_cost = record.cost;
    record.seconds = record.total_seconds = clock_.seconds();
    add(record);
    return {};
  }

  Expected<bool> step() {
    const IterationClock::Running running(clock_);
    loop_.may_run_ahead(false);
    auto more = advance();
    run_waiting();
    return more;
  }

  Expected<void> run() {
    const IterationClock::Running running(clock_);
    loop_.may_run_ahead(callback_ == nullptr);
    auto more = advance();
    while (more && *more) more = advance();
    run_waiting();
    return more ? Expected<void>{} : fail(more.error());
  }

  Expected<void> upload(const Binding& binding, std::span<const FieldId> fields) {
    const IterationClock::Running running(clock_);
    has_changed_ = true;
    for (const FieldId field : fields) {
      if (auto done = executable_.upload(binding, field); !done) return done;
    }
    return {};
  }

  Expected<void> rebind(const Binding& binding) {
    const IterationClock::Running running(clock_);
    has_changed_ = true;
    clock_.collect(executable_);
    auto bound = executable_.bind(binding);
    clock_.forget_clocks();
    return bound;
  }

  Expected<double> cost() {
    const IterationClock::Running running(clock_);
    if (auto started = start_again_if_changed(); !started) return fail(started.error());
    return loop_.total_cost();
  }

  SolverSummary finish() {
    loop_.end_all(Termination::Cancelled);
    try {
      const IterationClock::Running running(clock_);
      if (!has_changed_) summary_.left_cost = loop_.go_back();
      if (failure_ != nullptr && !summary_.left_cost) loop_.look_again();
      executable_.synchronize();
      clock_.collect(executable_);
    } catch (const DeviceError&) {
      if (failure_ == nullptr) throw;
      std::rethrow_exception(failure_);  // the first of them is the cause of the others
    }
    report();
    summary_.final_cost = loop_.total_cost();
    summary_.seconds = clock_.totals();
    summary_.times = clock_.times();
    log_.info("{}", summary_.brief());
    return std::move(summary_);
  }

 private:
  // Makes an iteration; its acceptance may wait for the next one.
  Expected<bool> advance() {
    if (!can_continue()) return false;
    if (auto started = start_again_if_changed(); !started) return fail(started.error());
    // What takes long on the host asks in between. The point is then as it was.
    const StopScope scope(stop_, clock_.deadline(summary_.options.max_solver_time_in_seconds));
    try {
      if (loop_.iterate(summary_.iterations.back())) record_step();
    } catch (const Stopped&) {
      const auto why = interruption();
      if (!why) throw;
      loop_.end_all(*why);
    } catch (const DeviceError& failed) {
      failure_ = std::current_exception();
      loop_.end_all(Termination::DeviceFailed, failed.what());
      return false;
    }
    const bool goes_on = can_continue();
    look_for_overflow();
    return goes_on;
  }

  bool can_continue() { return loop_.can_continue(summary_.num_iterations); }

  // Called after the data have changed.
  Expected<void> start_again_if_changed() {
    if (!has_changed_) return {};
    if (auto started = check_start(loop_.start_again()); !started) return started;
    has_changed_ = false;
    summary_.changed_cost = loop_.total_cost();
    return {};
  }

  Expected<void> check_start(bool is_finite) {
    clock_.leave_iteration();
    const double moved = loop_.start_move();
    if (!std::isfinite(moved)) {
      return fail("bounds of '{}' are empty: a lower bound is above the upper one, or NaN",
                  summary_.energy);
    }
    summary_.start_move = std::max(summary_.start_move, moved);
    if (is_finite) return {};
    return fail(
        "the cost of '{}' at the {} is {}: a residual is not finite there. Look at the {} values "
        "of the unknowns and at the inputs",
        summary_.energy, has_changed_ ? "changed data" : "start",
        std::abs(loop_.descents().front().energy_cost()), has_changed_ ? "current" : "start");
  }

  // The reason to stop although there is work left: cancelled or out of time.
  std::optional<Termination> interruption() const {
    if (stop_.stop_requested() || is_stopped_) return Termination::Cancelled;
    const double limit = summary_.options.max_solver_time_in_seconds;
    if (limit > 0 && clock_.seconds() > limit) return Termination::TimeLimit;
    return std::nullopt;
  }

  void run_waiting() {
    if (failure_ == nullptr) loop_.run_waiting();
  }

  void record_step() {
    IterationRecord record = loop_.record();
    record.iteration = summary_.num_iterations + 1;
    record.total_seconds = clock_.seconds();
    record.seconds = record.total_seconds - summary_.iterations.back().total_seconds;
    clock_.end_iteration(record.seconds);
    add(record);
  }

  void add(const IterationRecord& record) {
    summary_.add(record);
    if (log_.enabled(LogLevel::Debug))
      log_.debug("{}", iteration_table_row(summary_.options.solver, record));
    if (watcher_) watcher_(record);
    if (!callback_) return;
    run_waiting();
    is_stopped_ = callback_(record) == AfterIteration::Stop;
  }

  // When the last linearization gave no step, a product that overflows its halves may be why.
  void look_for_overflow() {
    if (!loop_.lacks_step()) return;
    if (const auto overflow = find_half_overflow(executable_))
      loop_.blame(Termination::HalfOverflow, overflow->text());
  }

  void report() {
    if (!executable_.program().has_members()) return report(loop_.descents().front().report());
    std::map<Termination, std::int64_t> endings;
    for (const Descent& descent : loop_.descents()) {
      const DescentReport one = descent.report();
      summary_.members.push_back({.initial_cost = one.initial_cost,
                                  .final_cost = one.final_cost,
                                  .num_iterations = one.num_iterations,
                                  .num_accepted = one.num_accepted,
                                  .termination = one.termination});
      ++endings[one.termination];
    }
    summary_.end_batch(endings);
    summary_.initial_minimized_cost =
        loop_.total([](const Descent& descent) { return descent.report().initial_minimized_cost; });
    summary_.final_minimized_cost =
        loop_.total([](const Descent& descent) { return descent.cost(); });
  }

  void report(const DescentReport& only) {
    summary_.initial_minimized_cost = only.initial_minimized_cost;
    summary_.final_minimized_cost = only.final_minimized_cost;
    summary_.refused_decrease = only.refused_decrease;
    summary_.final_gradient_max = only.gradient_max;
    summary_.final_gradient_cosine = only.gradient_cosine;
    summary_.termination = only.termination;
    summary_.cause = loop_.cause().empty() ? only.cause : loop_.cause();
  }

  const Logger& log_ = logger("solve");
  Executable& executable_;
  IterationClock clock_;
  ClockedRunner runner_;
  IterationCallback callback_;
  std::stop_token stop_;
  IterationWatcher watcher_;
  SolverSummary summary_;
  bool is_stopped_ = false;     // true if the callback wants no further iteration
  bool has_changed_ = false;    // true if data were uploaded since the last start()
  std::exception_ptr failure_;  // what ended the solve, if the device or a library failed
  DescentLoop loop_;
};

Expected<Minimizer> Minimizer::begin(Executable& executable, const SolverOptions& options,
                                     IterationCallback callback, std::stop_token stop,
                                     IterationWatcher watcher) {
  if (auto valid = options.validate(); !valid) return fail(valid.error());
  auto loop = std::make_unique<Loop>(executable, options, std::move(callback), std::move(stop),
                                     std::move(watcher));
  if (auto begun = loop->begin(); !begun) return fail(begun.error());
  return Minimizer(std::move(loop));
}

Minimizer::Minimizer(std::unique_ptr<Loop> loop) : loop_(std::move(loop)) {}
Minimizer::Minimizer(Minimizer&&) noexcept = default;
Minimizer& Minimizer::operator=(Minimizer&&) noexcept = default;
Minimizer::~Minimizer() = default;

Expected<bool> Minimizer::step() { return loop_->step(); }
Expected<void> Minimizer::run() { return loop_->run(); }
Expected<void> Minimizer::upload(const Binding& binding, std::span<const FieldId> fields) {
  return loop_->upload(binding, fields);
}
Expected<void> Minimizer::rebind(const Binding& binding) { return loop_->rebind(binding); }
Expected<double> Minimizer::cost() { return loop_->cost(); }
SolverSummary Minimizer::finish() { return loop_->finish(); }

}  // namespace thallo
