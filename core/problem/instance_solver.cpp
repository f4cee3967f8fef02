#include "core/problem/instance_solver.h"

#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <ctime>

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/backend/choose_device_spec.h"
#include "core/base/commit.h"
#include "core/base/log.h"
#include "core/base/stop_scope.h"
#include "core/energy/dependence.h"
#include "core/energy/evaluate/evaluator.h"
#include "core/kernel/generate.h"
#include "core/kernel/memory_type.h"
#include "core/problem/compile_timer.h"
#include "core/problem/constant_indices.h"
#include "core/problem/dump.h"
#include "core/problem/non_finite.h"
#include "core/problem/shared_trust_region.h"
#include "core/schedule/plan.h"
#include "core/solve/group_sums.h"

namespace thallo {
namespace {

bool same_program(const ProgramOptions& a, const ProgramOptions& b) {
  return a.solver == b.solver && a.preconditioner == b.preconditioner &&
         a.linear_solver == b.linear_solver && a.eliminated == b.eliminated &&
         a.iterates_first == b.iterates_first && a.precision == b.precision &&
         a.keeps_point == b.keeps_point && a.is_deterministic == b.is_deterministic &&
         a.passes == b.passes;
}

void say_without_block(const KernelProgram& program) {
  std::vector<std::string> names;
  for (const FieldId unknown : unknowns_without_block(program))
    names.push_back(fmt::format("'{}'", program.field(unknown).name));
  if (names.empty()) return;
  logger("solve").warn(
      "block_jacobi has blocks for elements of at most {} channels; {} of '{}' {} jacobi",
      max_block_channels, fmt::join(names, ", "), program.name, names.size() == 1 ? "has" : "have");
}

// The processor time of all threads of this process so far.
double process_cpu_seconds() {
  return static_cast<double>(std::clock()) / static_cast<double>(CLOCKS_PER_SEC);
}

// What a solve that ends now ran on. `cpu_seconds_before` is process_cpu_seconds() of when it
// began.
RunFacts run_facts(const Backend& backend, const Executable& executable, Precision precision,
                   double cpu_seconds_before) {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  constexpr std::int64_t KiB = 1024;
  return {.device = backend.device().name,
          .num_threads = executable.num_threads(),
          .precision = precision,
          .commit = std::string(built_commit()),
          .date = fmt::format("{:%FT%TZ}", fmt::gmtime(std::time(nullptr))),
          .peak_memory_bytes = KiB * usage.ru_maxrss,
          .cpu_seconds = process_cpu_seconds() - cpu_seconds_before};
}

// Returns the number of unknown scalars that keep their start: those of the program's masks, and
// held channels. Where there are some of the latter, `data` must be on the host.
std::int64_t num_kept(const Energy& energy, Executable& executable, const Binding& data) {
  const UnknownLayout layout(energy, data);
  std::vector<std::uint8_t> kept(static_cast<std::size_t>(layout.size()));
  if (!energy.held().empty()) kept = EnergyEvaluator(energy, data).held();
  for (const Exclusion& exclusion : energy.exclusions()) {
    const auto channels =
        static_cast<std::size_t>(energy.field(exclusion.unknown).tangent_channels());
    auto first = static_cast<std::size_t>(layout.column(exclusion.unknown, 0, 0));
    for (const double is_free :
         executable.read_buffer(executable.program().mask(exclusion.unknown))) {
      if (is_free == 0) std::fill_n(&kept[first], channels, std::uint8_t{1});
      first += channels;
    }
  }
  return std::ranges::count(kept, 1);
}

// True if a residual has a frozen part that depends on unknowns.
bool holds_weights(const Energy& energy) {
  std::vector<ExprId> roots;
  for (const ResidualGroup& group : energy.groups())
    roots.insert(roots.end(), group.residuals.begin(), group.residuals.end());
  for (const Intermediate& intermediate : energy.intermediates())
    roots.insert(roots.end(), intermediate.values.begin(), intermediate.values.end());
  UnknownDependence dependence(energy.data());
  return std::ranges::any_of(energy.graph().reachable(roots), [&](ExprId id) {
    return energy.graph()[id].op == Op::Freeze && dependence.value(id);
  });
}

}  // namespace

Expected<DecidedProgram> InstanceSolver::decide(const Instance& instance, SolverOptions options) {
  if (options.solver == SolverKind::LevenbergMarquardt) warn_of_members(instance);
  return decider_.decide(demand_of(instance), std::move(options));
}

// Data on a device are copied for a look at J only where nothing is compiled for them yet.
ProgramDemand InstanceSolver::demand_of(const Instance& instance) const {
  ProgramDemand demand{.instance = instance,
                       .precision = precision_of(instance),
                       .device = [this, &instance]() -> Expected<DeviceSpec> {
                         const std::string named = wanted_device_spec(request_.device_spec);
                         if (!named.empty()) return named_device_spec(named, backend_.name());
                         const auto options = solver_options(instance, request_);
                         return options && options->is_deterministic
                                    ? shipped_device_spec(backend_.name())
                                    : measured_device_spec(backend_);
                       }};
  if (instance.binding.fields_on_device().empty() || !compiled_)
    demand.data = [&] { return data_on_host(instance); };
  return demand;
}

void InstanceSolver::warn_of_members(const Instance& instance) {
  if (std::exchange(knows_members_, true)) return;
  const std::string dim = members_of_one_trust_region(file_.energy, instance.binding);
  if (dim.empty()) return;
  logger("solve").warn(
      "the members of {} have nothing to do with each other, and share one trust region, one "
      "decision on each step and one test for the end: some may end far from their best; write "
      "{} = Batch(\"{}\") in place of the dim to have each solved by itself",
      dim, dim, dim);
}

Expected<SolverOptions> InstanceSolver::prepare(const Instance& instance) {
  auto options = solver_options(instance, request_);
  if (!options) return options;
  const Binding& binding = instance.binding;
  if (auto valid = binding.validate(file_.energy); !valid) return fail(valid.error());
  THALLO_CHECK(check_constant_indices(file_.energy, binding));
  if (auto compiled = make_ready(instance, *options); !compiled) return fail(compiled.error());

  announce(RunStage::Bind);
  const StopScope scope(request_.stop);
  try {
    if (auto bound = executable_->bind(binding); !bound)
      return fail("{}, with {}", bound.error().message(), extents_text(binding));
  } catch (const Stopped&) {
    return fail("{}", CancelledRun);
  }
  return options;
}

// Chooses what `options` leave open, and compiles; both count toward the time limit.
Expected<void> InstanceSolver::make_ready(const Instance& instance, SolverOptions& options) {
  const CompileTimer timer(request_.stop, request_.compile.time_limit_seconds);
  const StopScope scope(timer.token());
  try {
    auto compiled = compile_for(instance, options, timer.token());
    return timer.is_over() ? fail("{}", over_time_limit_text()) : compiled;
  } catch (const Stopped&) {
    if (timer.is_over()) return fail("{}", over_time_limit_text());
    return fail("{}", CancelledRun);
  }
}

Expected<void> InstanceSolver::compile_for(const Instance& instance, SolverOptions& options,
                                           const std::stop_token& stop) {
  THALLO_TRY(auto decided, decide(instance, options));
  const ProgramOptions& wanted = decided.program;
  const std::int64_t num_unknowns = instance.binding.num_unknowns(file_.energy);
  const bool is_whole = !wanted.eliminated.valid() && !file_.energy.members().valid();
  if (is_whole && num_unknowns > wanted.linear_solver->max_unknowns()) {
    return fail(
        "linear_solver {} is for at most {} unknowns and '{}' has {}; use linear_solver pcg",
        wanted.linear_solver->name(), wanted.linear_solver->max_unknowns(), file_.energy.name(),
        num_unknowns);
  }
  if (!is_compiled(wanted)) {
    if (auto done = compile(instance, decided, stop); !done) return done;
  }
  options = std::move(decided.solver);
  options.preconditioner = compiled_->preconditioner->name();
  why_linear_solver_ = std::move(decided.why_linear_solver);
  why_precision_ = std::move(decided.why_precision);
  return {};
}

Expected<SolverSummary> InstanceSolver::solve(Instance& instance,
                                              const IterationCallback& callback) {
  THALLO_TRY(auto minimizer, begin(instance, callback));
  if (auto done = minimizer.run(); !done) return fail(done.error());
  return finish(minimizer, instance);
}

Expected<Minimizer> InstanceSolver::begin(const Instance& instance,
                                          const IterationCallback& callback) {
  const auto options = prepare(instance);
  if (!options) return fail(options.error());
  announce(RunStage::Solve, &*options);
  cpu_seconds_before_solve_ = process_cpu_seconds();
  auto watch = [this, options = *options](const IterationRecord& record) {
    announce(RunStage::Iteration, &options, &record);
  };
  auto minimizer =
      Minimizer::begin(*executable_, *options, callback, request_.stop, std::move(watch));
  if (!minimizer) return fail(with_its_cause(instance, minimizer.error()));
  return minimizer;
}

SolverSummary InstanceSolver::finish(Minimizer& minimizer, Instance& instance) {
  SolverSummary summary = minimizer.finish();
  summary.num_unknowns = instance.binding.num_unknowns(file_.energy);
  summary.why_linear_solver = why_linear_solver_;
  summary.precision = compiled_->precision;
  summary.why_precision = why_precision_;
  summary.price_of_order = price_of_order_;
  summary.num_residuals = instance.binding.num_residuals(file_.energy);
  summary.num_free_unknowns = summary.num_unknowns;
  std::optional<Expected<Binding>> copy;
  if (!file_.energy.held().empty() && !instance.binding.fields_on_device().empty())
    copy = data_on_host(instance);
  if (!copy || *copy) {
    summary.num_free_unknowns -=
        num_kept(file_.energy, *executable_, copy ? **copy : instance.binding);
  }
  summary.holds_weights = holds_weights(file_.energy);
  executable_->download_unknowns(instance.binding);
  if (request_.sums_groups) summary.groups = sum_groups(*executable_, file_.energy);
  summary.facts =
      run_facts(backend_, *executable_, precision_of(instance), cpu_seconds_before_solve_);
  explain_lack_of_steps(instance, summary);
  ++num_solves_;
  return summary;
}

// If no step lowered the cost any more, the cause may be a residual that is not finite, whose loss
// is, or a derivative that is not: levenberg-marquardt damps its effect until the radius is too
// small.
void InstanceSolver::explain_lack_of_steps(const Instance& instance, SolverSummary& summary) const {
  const Termination why = summary.termination;
  const bool was_interrupted = why == Termination::Cancelled || why == Termination::TimeLimit;
  const bool found_none = why == Termination::LinearSolveFailed ||
                          why == Termination::NonFiniteStep ||
                          why == Termination::MinTrustRegionRadius ||
                          (summary.num_iterations > 0 && summary.num_accepted == 0);
  if (was_interrupted || !found_none || !summary.cause.empty()) return;
  const auto data = data_on_host(instance);
  if (!data) return;
  const Precision precision = precision_of(instance);
  auto cause = find_non_finite(file_.energy, *data, precision, request_.stop);
  if (!cause) cause = find_non_finite_derivative(file_.energy, *data, precision, request_.stop);
  if (!cause) return;
  summary.cause = *std::move(cause);
  if (why != Termination::NonFiniteStep) summary.termination = Termination::LinearSolveFailed;
}

Diagnostic InstanceSolver::with_its_cause(const Instance& instance, Diagnostic fault) const {
  const auto data = data_on_host(instance);
  if (!data) return fault;
  const auto cause = find_non_finite(file_.energy, *data, precision_of(instance), request_.stop);
  if (cause) fault.what += ": " + *cause;
  return fault;
}

Expected<Binding> InstanceSolver::data_on_host(const Instance& instance) const {
  DeviceArrays* devices = backend_.device_arrays();
  if (devices == nullptr) return instance.binding;
  return copy_to_host(file_.energy, instance.binding, *devices);
}

std::int64_t InstanceSolver::bytes_moved() const {
  return bytes_moved_before_ + (executable_ != nullptr ? executable_->bytes_moved() : 0);
}

bool InstanceSolver::is_compiled(const ProgramOptions& wanted) const {
  return compiled_ && same_program(*compiled_, wanted);
}

Expected<InstanceSolver::Planned> InstanceSolver::plan_for(const Instance& instance,
                                                           const RunRequest& request,
                                                           DecidedProgram& decided) {
  EnergyFile sited = with_sites(file_, request.sites);
  AutoTarget target = auto_target(demand_of(instance), decided, request);
  target.told = [this](const std::vector<AutoStep>& steps) { price_of_order_ = order_text(steps); };
  THALLO_TRY(auto schedule, schedule_of(sited, request, &target));
  THALLO_TRY(auto plan, make_plan(sited.energy, schedule, constructs_of(request)));
  THALLO_CHECK(decider_.suit(plan, demand_of(instance), decided));
  return Planned{std::move(sited), std::move(schedule), std::move(plan)};
}

Expected<void> InstanceSolver::compile(const Instance& instance, DecidedProgram& decided,
                                       const std::stop_token& stop) {
  announce(RunStage::Compile);
  const auto start = std::chrono::steady_clock::now();
  CompileOptions how = request_.compile;
  how.stop = stop;
  THALLO_TRY(const auto planned, plan_for(instance, request_, decided));
  const auto& [sited, schedule, plan] = planned;
  const ConstructRegistry& constructs = constructs_of(request_);
  dump_energy(file_.energy);
  dump_plan(sited.energy, schedule, constructs, plan);
  how.precision = decided.program.precision;
  ProgramOptions summed = decided.program;
  summed.sums_groups = request_.sums_groups;
  GeneratedProgram program = generate(make_program(sited.energy, plan, summed));
  say_without_block(program.program);
  dump_program(program);
  THALLO_TRY(auto executable, backend_.compile(std::move(program), how));
  bytes_moved_before_ = bytes_moved();
  executable_ = std::move(executable);
  schedule_ = schedule.text(constructs);
  dump_kernels(*executable_, backend_.name());
  compiled_ = decided.program;
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  compile_seconds_ += taken.count();
  logger("solve").info("compiled '{}' for {} in {:.3f} s", file_.energy.name(), backend_.name(),
                       taken.count());
  return {};
}

Expected<ExplainedSchedule> InstanceSolver::explain(const Instance& instance) {
  THALLO_TRY(auto options, solver_options(instance, request_));
  THALLO_TRY(auto decided, decide(instance, std::move(options)));
  const auto device = demand_of(instance).device();
  if (!device) return fail(device.error());
  const ConstructRegistry& constructs = constructs_of(request_);
  RunRequest asked = request_;
  if (is_compiled(decided.program)) asked.schedule_text = schedule_;
  THALLO_TRY(const auto planned, plan_for(instance, asked, decided));
  const auto& [sited, schedule, plan] = planned;
  const PriceOptions priced = auto_target(demand_of(instance), decided, request_).prices();
  const ProgramWork work = price_plan(sited.energy, plan, instance.binding, priced, *device).work;
  ExplainedSchedule explained{
      .times = schedule_times(schedule.text(constructs), work,
                              {.model = *priced.model, .device = *device, .counts = priced.counts}),
      .device = device->name,
      .model = std::string(priced.model->name()),
      .linear_iterations = priced.counts.linear_iterations};
  for (const Directive& directive : schedule.directives())
    explained.directives.push_back(constructs.find(directive.construct)->print(directive));
  return explained;
}

Precision InstanceSolver::precision_of(const Instance& instance) const {
  if (!backend_.has_float()) return Precision::Double;
  return request_.precision.value_or(instance.precision);
}

// "W = 640, H = 480"
std::string InstanceSolver::extents_text(const Binding& binding) const {
  std::vector<std::string> extents;
  for (std::size_t i = 0; i < file_.energy.dims().size(); ++i) {
    extents.push_back(
        fmt::format("{} = {}", file_.energy.dims()[i].name, binding.extent(DimId(i))));
  }
  return fmt::format("{}", fmt::join(extents, ", "));
}

std::string InstanceSolver::out_of_memory_text(const Instance& instance) const {
  const Binding& binding = instance.binding;
  const auto unknowns = static_cast<double>(binding.num_unknowns(file_.energy));
  const auto residuals = static_cast<double>(binding.num_residuals(file_.energy));
  const auto scalar =
      static_cast<double>(size_of(memory_type(ScalarType::Working, precision_of(instance))));
  constexpr double GiB = 1 << 30;
  return fmt::format(
      "memory ran out: with {}, '{}' has {:.4g} unknowns and {:.4g} residuals, {:.4g} GiB and "
      "{:.4g} GiB for each vector of them",
      extents_text(binding), file_.energy.name(), unknowns, residuals, scalar * unknowns / GiB,
      scalar * residuals / GiB);
}

std::string InstanceSolver::over_time_limit_text() const {
  return fmt::format(
      "compiling for {} took longer than the {} s that it may take; allow more, or write what is "
      "alike in the residuals once, over an index domain",
      backend_.name(), request_.compile.time_limit_seconds);
}

void InstanceSolver::announce(RunStage stage, const SolverOptions* solver,
                              const IterationRecord* record) const {
  if (request_.progress) request_.progress({stage, num_solves_, record, solver});
}

}  // namespace thallo
