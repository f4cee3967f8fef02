#include "core/explore/verify/verification.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include "core/base/error.h"
#include "core/base/parallel_for.h"
#include "core/base/seconds_since.h"
#include "core/kernel/generate.h"
#include "core/kernel/lower.h"

namespace thallo {
namespace {

// The options of a program with everything that a linearization can have: damping, and a block for
// each element.
ProgramOptions verified_program(const PassOptions& passes) {
  return {.solver = SolverKind::LevenbergMarquardt,
          .preconditioner = block_jacobi_preconditioner(),
          .passes = passes};
}

class Stopwatch {
 public:
  double lap() {
    const auto now = std::chrono::steady_clock::now();
    return std::chrono::duration<double>(now - std::exchange(last_, now)).count();
  }

 private:
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

// A schedule is compiled and run by one thread of run(), so compiling starts no further threads.
// The kernels of the cpu backend still run on two, so that combining what threads computed is
// verified.
CompileOptions for_one_of_many(CompileOptions options) {
  options.compile_threads = 1;
  if (options.num_threads == 0) options.num_threads = 2;
  return options;
}

}  // namespace

Verification::Verification(const Energy& energy, const Binding& binding, Backend& backend,
                           const CompileOptions& options, double tolerance,
                           const PassOptions& passes)
    : energy_(energy),
      binding_(binding),
      backend_(backend),
      options_(for_one_of_many(options)),
      tolerance_(tolerance),
      passes_(passes),
      truth_(energy.as_written(), binding) {}

std::vector<VerifiedSchedule> Verification::run(
    std::int64_t count, int num_threads, double seconds,
    const std::function<ScheduleToVerify(std::int64_t)>& schedule,
    const std::function<void(std::int64_t)>& progress) {
  const auto start = std::chrono::steady_clock::now();
  const auto is_over = [&] { return seconds > 0 && seconds_since(start) >= seconds; };
  std::vector<std::optional<VerifiedSchedule>> results(static_cast<std::size_t>(count));
  std::int64_t num_done = 0;
  std::mutex counting;
  parallel_for(results.size(), num_threads, [&](std::size_t i) {
    if (is_over()) return;
    results[i] = verify(schedule(static_cast<std::int64_t>(i)));
    const std::scoped_lock lock(counting);
    progress(++num_done);
  });
  speed_.num_distinct = static_cast<std::int64_t>(keys_.size());
  std::vector<VerifiedSchedule> done;
  for (auto& result : results) {
    if (result) done.push_back(std::move(*result));
  }
  return done;
}

VerifiedSchedule Verification::verify(ScheduleToVerify wanted) {
  VerifiedSchedule result;
  result.schedule = std::move(wanted.schedule);
  result.product_tolerance = wanted.plan.product_tolerance;
  Stopwatch stopwatch;
  const ProgramOptions options = verified_program(passes_);
  if (const auto legal = check_program(energy_, wanted.plan, options); !legal) {
    result.verdict = Verdict::NotRun;
    result.why = legal.error().message();
    return result;
  }
  KernelProgram program = make_program(energy_, wanted.plan, options);
  const double lowering = stopwatch.lap();
  auto executable = backend_.compile(generate(std::move(program)), options_);
  if (!executable) throw UserError(executable.error());
  note(**executable, lowering, stopwatch.lap());

  std::unique_lock turn(device_, std::defer_lock);
  if (!backend_.runs_concurrently()) turn.lock();
  stopwatch.lap();
  if (const auto bound = (*executable)->bind(binding_); !bound) {
    result.verdict = Verdict::NotRun;
    result.why = bound.error().message();
    return result;
  }
  result.errors = truth_.errors_of(**executable, wanted.seed);
  executable->reset();
  const double running = stopwatch.lap();
  if (!result.errors.within(tolerance_, wanted.plan)) {
    result.verdict = result.errors.out_of_range.empty() ? Verdict::Mismatched : Verdict::OutOfRange;
    result.why = result.errors.out_of_range;
  }
  const std::scoped_lock lock(noting_);
  speed_.run_seconds += running;
  return result;
}

void Verification::note(const Executable& executable, double lowering, double compiling) {
  const std::scoped_lock lock(noting_);
  speed_.lower_seconds += lowering;
  speed_.compile_seconds += compiling;
  for (const CompiledKernel& kernel : executable.kernels()) {
    ++speed_.num_kernels;
    const bool is_new = !kernel.key.empty() && keys_.insert(kernel.key).second;
    if (!is_new || kernel.from_cache) continue;
    ++speed_.num_compiled;
    if (!kernel.warnings.empty()) ++speed_.num_warned;
  }
}

}  // namespace thallo
