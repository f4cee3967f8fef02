#include "core/problem/driver.h"

#include <chrono>
#include <cstdint>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/backend/choose_device_spec.h"
#include "core/base/error.h"
#include "core/base/log.h"
#include "core/kernel/generate.h"
#include "core/kernel/lower.h"
#include "core/kernel/memory_type.h"
#include "core/language/schedule_file.h"
#include "core/problem/choose_linear_solver.h"
#include "core/problem/dump.h"
#include "core/schedule/plan.h"
#include "core/schedule/schedule_reader.h"

namespace thallo {
namespace {

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

bool same_program(const ProgramOptions& a, const ProgramOptions& b) {
  return a.solver == b.solver && a.preconditioner == b.preconditioner &&
         a.linear_solver == b.linear_solver && a.scales_steps == b.scales_steps;
}

const ConstructRegistry& constructs_of(const RunRequest& request) {
  static const ConstructRegistry none("construct");
  return request.constructs ? *request.constructs : none;
}

const LinearSolverRegistry& linear_solvers_of(const RunRequest& request) {
  return request.linear_solvers ? *request.linear_solvers : own_linear_solvers();
}

// The file is one with sites.
Expected<Schedule> schedule_of(const EnergyFile& file, const RunRequest& request,
                               const AutoTarget* target = nullptr) {
  if (request.schedule_text) {
    const auto statements = load_schedule_text(*request.schedule_text, "the schedule");
    if (!statements) return fail(statements.error());
    return read_schedule(file.energy, *statements, constructs_of(request));
  }
  return choose_schedule(request.schedule, file, constructs_of(request), target);
}

// One run; the functions are its stages.
class Driver {
 public:
  Driver(const Problem& problem, const RunRequest& request, Backend& backend)
      : problem_(problem), request_(request), backend_(backend) {}

  Expected<Run> run() {
    auto run = begin();
    if (!run) return run;
    try {
      if (auto solved = solve_all(*run); !solved) return fail(solved.error());
      announce(RunStage::Report);
      run->report = problem_.report(run->instance, run->solution);
    } catch (const std::bad_alloc&) {
      return fail("{}", out_of_memory(*run));
    }
    return run;
  }

  Expected<PreparedRun> prepare() {
    auto run = begin();
    if (!run) return fail(run.error());
    try {
      auto options = make_ready(*run);
      if (!options) return fail(options.error());
      return PreparedRun{*std::move(run), *std::move(options)};
    } catch (const std::bad_alloc&) {
      return fail("{}", out_of_memory(*run));
    }
  }

 private:
  // The energy and the instance.
  Expected<Run> begin() {
    if (auto valid = check_precision(backend_, request_.precision); !valid)
      return fail(valid.error());
    auto options = complete_options(problem_.options(), request_.options);
    if (!options) return fail(options.error());
    announce(RunStage::Energy);
    auto file = problem_.energy(*options);
    if (!file) return fail(file.error());
    announce(RunStage::Instantiate);
    auto instance = instantiate(file->energy, *options);
    if (!instance) return fail(instance.error());
    if (is_cancelled()) return fail("{}", Cancelled);

    Run run{.backend = nullptr,
            .file = *std::move(file),
            .instance = *std::move(instance),
            .solution = {},
            .report = {},
            .executable = nullptr,
            .schedule = {}};
    run.solution.backend = backend_.name();
    run.solution.precision = backend_.has_float()
                                 ? request_.precision.value_or(run.instance.precision)
                                 : Precision::Double;
    return run;
  }

  Expected<Instance> instantiate(const Energy& energy, const Options& options) const {
    try {
      return problem_.instantiate(energy, options);
    } catch (const std::bad_alloc&) {
      return fail("memory ran out while the input of '{}' was made ({})", problem_.info().name,
                  options.text());
    }
  }

  Expected<void> solve_all(Run& run) {
    const auto start = std::chrono::steady_clock::now();
    for (bool more = true; more; ++solve_) {
      auto solved = solve_once(run);
      if (!solved && is_cancelled()) {
        if (solve_ > 0) break;
        return fail("{}", Cancelled);
      }
      if (!solved) return solved;
      run.solution.total_seconds = seconds_since(start);
      if (is_cancelled()) break;
      announce(RunStage::Advance);
      auto advanced = problem_.advance(run.instance, solve_, run.solution);
      if (!advanced) return fail(advanced.error());
      more = *advanced;
    }
    return {};
  }

  // "W = 640, H = 480"
  static std::string extents_text(const Run& run) {
    std::vector<std::string> extents;
    for (std::size_t i = 0; i < run.file.energy.dims().size(); ++i) {
      extents.push_back(fmt::format("{} = {}", run.file.energy.dims()[i].name,
                                    run.instance.binding.extent(DimId(i))));
    }
    return fmt::format("{}", fmt::join(extents, ", "));
  }

  static std::string out_of_memory(const Run& run) {
    const Binding& binding = run.instance.binding;
    const auto unknowns = static_cast<double>(binding.num_unknowns(run.file.energy));
    const auto residuals = static_cast<double>(binding.num_residuals(run.file.energy));
    const auto scalar =
        static_cast<double>(size_of(memory_type(ScalarType::Working, run.solution.precision)));
    constexpr double GiB = 1 << 30;
    return fmt::format(
        "memory ran out: with {}, '{}' has {:.4g} unknowns and {:.4g} residuals, {:.4g} GiB and "
        "{:.4g} GiB for each vector of them",
        extents_text(run), run.file.energy.name(), unknowns, residuals, scalar * unknowns / GiB,
        scalar * residuals / GiB);
  }

  // Chooses the linear solver that `options` leave open, again where advance() changed the solver or
  // the extents.
  ProgramOptions wanted_program(const Run& run, SolverOptions& options) {
    if (options.chooses_linear_solver()) {
      const Binding& binding = run.instance.binding;
      std::pair chosen_for(options.solver, binding.extents());
      if (!choice_ || chosen_for != chosen_for_) {
        choice_ =
            choose_linear_solver(run.file.energy, binding, options, request_.compile.memory_limit);
        chosen_for_ = std::move(chosen_for);
        logger("solve").info("linear_solver {}: {}", choice_->solver->name(), choice_->reason);
      }
      options.linear_solver = choice_->solver->name();
    }
    return program_options(run.file.defaults, options, linear_solvers_of(request_));
  }

  // Compiles if need be and binds. Returns the options of the solve.
  Expected<SolverOptions> make_ready(Run& run) {
    auto options = solver_options(run.instance, request_);
    if (!options) return options;
    if (auto valid = run.instance.binding.validate(run.file.energy); !valid)
      return fail(valid.error());
    const ProgramOptions wanted = wanted_program(run, *options);
    options->preconditioner = wanted.preconditioner;
    const std::int64_t num_unknowns = run.instance.binding.num_unknowns(run.file.energy);
    if (num_unknowns > wanted.linear_solver->max_unknowns()) {
      return fail(
          "linear_solver {} is for at most {} unknowns and '{}' has {}; use linear_solver pcg",
          wanted.linear_solver->name(), wanted.linear_solver->max_unknowns(),
          run.file.energy.name(), num_unknowns);
    }
    if (auto compiled = compile(run, *options, wanted); !compiled) return fail(compiled.error());

    announce(RunStage::Bind);
    if (auto bound = run.executable->bind(run.instance.binding); !bound)
      return fail("{}, with {}", bound.error().message(), extents_text(run));
    return options;
  }

  Expected<void> solve_once(Run& run) {
    const auto options = make_ready(run);
    if (!options) return fail(options.error());
    announce(RunStage::Solve, &*options);
    const auto each = [&](const IterationRecord& record) {
      announce(RunStage::Iteration, &*options, &record);
    };
    auto summary = solve(*run.executable, *options, each, request_.stop);
    if (!summary) return fail(summary.error());
    summary->num_unknowns = run.instance.binding.num_unknowns(run.file.energy);
    if (choice_) summary->why_linear_solver = choice_->reason;
    summary->num_residuals = run.instance.binding.num_residuals(run.file.energy);
    run.executable->download_unknowns(run.instance.binding);
    run.solution.solves.push_back(*std::move(summary));
    return {};
  }

  // Compiles before the first solve, and again if advance() changed the kind of solver.
  Expected<void> compile(Run& run, const SolverOptions& options, const ProgramOptions& wanted) {
    if (compiled_ && same_program(*compiled_, wanted)) return {};
    announce(RunStage::Compile);
    const auto start = std::chrono::steady_clock::now();
    CompileOptions how = request_.compile;
    how.precision = run.solution.precision;
    how.stop = request_.stop;
    const EnergyFile sited = with_sites(run.file, request_.sites);
    const AutoTarget target = target_of(run, options, wanted);
    const auto schedule = schedule_of(sited, request_, &target);
    if (!schedule) return fail(schedule.error());
    if (is_cancelled()) return fail("{}", Cancelled);
    const auto plan = make_plan(sited.energy, *schedule, constructs_of(request_));
    if (!plan) return fail(plan.error());
    dump_energy(run.file.energy);
    dump_plan(sited.energy, *schedule, constructs_of(request_), *plan);
    if (auto valid = check_program(*plan, wanted); !valid) return fail(valid.error());
    GeneratedProgram program = generate(make_program(sited.energy, *plan, wanted));
    if (wanted.preconditioner == PreconditionerKind::BlockJacobi)
      say_without_block(program.program);
    dump_program(program);
    auto executable = backend_.compile(std::move(program), how);
    if (!executable) return fail(executable.error());
    run.executable = *std::move(executable);
    run.schedule = schedule->text(constructs_of(request_));
    dump_kernels(*run.executable, backend_.name());
    compiled_ = wanted;
    const double seconds = seconds_since(start);
    run.solution.compile_seconds += seconds;
    logger("solve").info("compiled '{}' for {} in {:.3f} s", run.file.energy.name(),
                         backend_.name(), seconds);
    return {};
  }

  // What `auto` decides for.
  AutoTarget target_of(const Run& run, const SolverOptions& options,
                       const ProgramOptions& program) const {
    return {.binding = run.instance.binding,
            .precision = run.solution.precision,
            .program = program,
            .linear_iterations = static_cast<double>(options.expected_linear_iterations()),
            .memory_limit = request_.compile.memory_limit,
            .device = [this]() -> Expected<DeviceSpec> {
              const std::string named = wanted_device_spec(request_.device_spec);
              return named.empty() ? measured_device_spec(backend_)
                                   : named_device_spec(named, backend_.name());
            }};
  }

  static void say_without_block(const KernelProgram& program) {
    std::vector<std::string> names;
    for (const FieldId unknown : unknowns_without_block(program))
      names.push_back(fmt::format("'{}'", program.field(unknown).name));
    if (names.empty()) return;
    logger("solve").warn(
        "block_jacobi has blocks for elements of at most {} channels; {} of '{}' {} jacobi",
        max_block_channels, fmt::join(names, ", "), program.name,
        names.size() == 1 ? "has" : "have");
  }

  static constexpr std::string_view Cancelled = "the run was cancelled before it solved anything";
  bool is_cancelled() const { return request_.stop.stop_requested(); }

  void announce(RunStage stage, const SolverOptions* solver = nullptr,
                const IterationRecord* record = nullptr) const {
    if (request_.progress) request_.progress({stage, solve_, record, solver});
  }

  const Problem& problem_;
  const RunRequest& request_;
  Backend& backend_;
  int solve_ = 0;
  std::optional<ProgramOptions> compiled_;
  std::optional<LinearSolverChoice> choice_;
  std::pair<SolverKind, std::vector<std::int64_t>> chosen_for_;  // and these extents
};

}  // namespace

std::string_view to_string(RunStage stage) {
  switch (stage) {
    case RunStage::Energy: return "energy";
    case RunStage::Instantiate: return "instantiate";
    case RunStage::Compile: return "compile";
    case RunStage::Bind: return "bind";
    case RunStage::Solve: return "solve";
    case RunStage::Iteration: return "iteration";
    case RunStage::Advance: return "advance";
    case RunStage::Report: return "report";
  }
  THALLO_UNREACHABLE();
}

Expected<void> check_precision(const Backend& backend, std::optional<Precision> precision) {
  if (precision == Precision::Float && !backend.has_float()) {
    return fail("the backend {} computes in double alone, and float is asked for; use cpu or cuda",
                backend.name());
  }
  return {};
}

Expected<SolverOptions> solver_options(const Instance& instance, const RunRequest& request) {
  SolverOptions options = instance.solver;
  const LinearSolverRegistry& solvers = linear_solvers_of(request);
  bool sets_pcg = false;
  bool sets_linear_solver = false;
  for (const auto& [name, text] : request.solver_options) {
    if (auto set = options.set(name, text, solvers); !set) return fail(set.error());
    sets_pcg = sets_pcg || is_pcg_option(name);
    sets_linear_solver = sets_linear_solver || name == "linear_solver";
  }
  if (options.chooses_linear_solver()) {
    if (sets_pcg && !sets_linear_solver) options.linear_solver = pcg_solver()->name();
  } else {
    if (auto known = solvers.lookup(options.linear_solver); !known) return fail(known.error());
  }
  if (auto valid = options.validate(); !valid) return fail(valid.error());
  return options;
}

ProgramOptions program_options(const SolverDefaults& defaults, const SolverOptions& options,
                               const LinearSolverRegistry& solvers) {
  const LinearSolver* solver =
      options.chooses_linear_solver() ? pcg_solver() : solvers.find(options.linear_solver);
  THALLO_ASSERT(solver != nullptr, "no linear solver '{}'", options.linear_solver);
  const bool scales_steps =
      options.solver == SolverKind::GaussNewton && options.max_step_halvings > 0;
  // A preconditioner is of pcg alone.
  if (solver->is_direct()) return {options.solver, PreconditionerKind::None, solver, scales_steps};
  const auto by_default = defaults.use_preconditioner.value_or(true) ? PreconditionerKind::Jacobi
                                                                     : PreconditionerKind::None;
  return {options.solver, options.preconditioner.value_or(by_default), solver, scales_steps};
}

EnergyFile with_sites(const EnergyFile& file, FoundSites sites) {
  EnergyFile sited = file;
  sited.energy = with_found_intermediates(file.energy, sites);
  return sited;
}

Expected<Plan> plan_of(const EnergyFile& file, const RunRequest& request,
                       const AutoTarget* target) {
  const auto schedule = schedule_of(file, request, target);
  if (!schedule) return fail(schedule.error());
  return make_plan(file.energy, *schedule, constructs_of(request));
}

Expected<Run> solve_problem(const Problem& problem, const RunRequest& request, Backend& backend) {
  return Driver(problem, request, backend).run();
}

Expected<PreparedRun> prepare_problem(const Problem& problem, const RunRequest& request,
                                      Backend& backend) {
  return Driver(problem, request, backend).prepare();
}

Expected<Run> solve_problem(const Problem& problem, const RunRequest& request) {
  auto backend = make_backend(request.backend, request.device);
  if (!backend) return fail(backend.error());
  auto run = solve_problem(problem, request, **backend);
  if (run) run->backend = *std::move(backend);
  return run;
}

}  // namespace thallo
