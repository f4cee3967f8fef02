#include "core/explore/work/worker.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iostream>
#include <memory>
#include <new>
#include <set>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/backend/choose_device_spec.h"
#include "core/backend/precompile.h"
#include "core/backend/step_timing.h"
#include "core/base/error.h"
#include "core/cost/cost_model.h"
#include "core/cost/spec_file.h"
#include "core/explore/kernel_signature.h"
#include "core/explore/store_records.h"
#include "core/explore/work/agreement.h"
#include "core/explore/work/explored_problem.h"
#include "core/explore/work/step_key.h"
#include "core/kernel/frequency.h"
#include "core/kernel/generate.h"
#include "core/solve/iteration_profile.h"

namespace thallo {
namespace {

using Json = nlohmann::ordered_json;

// Why a request was not carried out.
struct Refusal {
  ResultStatus status = ResultStatus::NotRun;
  std::string reason;
};

template <class T>
T wanted(Expected<T> value, ResultStatus status = ResultStatus::NotRun) {
  if (!value) throw Refusal{status, value.error().message()};
  if constexpr (!std::is_void_v<T>) return *std::move(value);
}

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(); }

class Worker {
 public:
  explicit Worker(std::ostream& out) : out_(out) {}

  void serve(const std::string& line) {
    Json answer = Json::object();
    try {
      const Json request = Json::parse(line);
      id_ = request.at("id").get<std::int64_t>();
      answer = carry_out(request);
    } catch (const Refusal& refusal) {
      answer = error(refusal.status, refusal.reason);
    } catch (const std::bad_alloc&) {
      answer = error(ResultStatus::OutOfMemory, "memory ran out");
    } catch (const DeviceError& failed) {
      const bool is_memory = failed.code().find("OUT_OF_MEMORY") != std::string::npos;
      answer = error(is_memory ? ResultStatus::OutOfMemory : ResultStatus::Crash, failed.what());
    } catch (const std::exception& failed) {
      answer = error(ResultStatus::NotRun, failed.what());
    }
    answer["id"] = id_;
    write(answer);
  }

 private:
  static Json error(ResultStatus status, const std::string& reason) {
    return {{"error", reason}, {"status", to_string(status)}};
  }
  void write(const Json& json) {
    out_ << json.dump(-1, ' ', false, Json::error_handler_t::replace) << '\n' << std::flush;
  }
  void say_doing(const std::string& what) { write({{"id", id_}, {"doing", what}}); }

  Json carry_out(const Json& request) {
    const std::string what = request.at("do").get<std::string>();
    if (what == "open") return open(request);
    if (!problem_) throw Refusal{ResultStatus::NotRun, "no problem was opened"};
    const Schedule schedule = wanted(problem_->read(request.at("schedule").get<std::string>()));
    if (what == "prepare") return prepare(schedule);
    if (!backend_) throw Refusal{ResultStatus::NotRun, "no backend was opened"};
    if (what == "time") return time(schedule, request.at("keys").get<std::set<std::string>>());
    if (what == "solve") return solve(schedule, request.at("solves").get<int>());
    if (what == "verify") return verify(schedule);
    throw Refusal{ResultStatus::NotRun, fmt::format("'{}' is no request", what)};
  }

  Json open(const Json& request) {
    ExplorationTarget target =
        wanted(ExplorationTarget::from_json(request.at("target").get<std::string>()));
    session_ = std::make_unique<Session>(target.plugin_path);
    Json answer = Json::object();
    if (request.at("device").get<bool>()) {
      backend_ = wanted(session_->open_backend(target.backend, target.device));
      target.backend = backend_->name();
      if (!backend_->has_float()) target.precision = Precision::Double;
      architecture_ = backend_->device().architecture;
      answer["device"] = backend_->signature();
      answer["device_name"] = backend_->device().name;
    } else if (request.contains("architecture")) {
      architecture_ = request.at("architecture").get<std::string>();
    }
    spec_ = wanted(session_->device_spec(target.device_spec, target.backend, target.device));
    problem_ = std::make_unique<ExploredProblem>(wanted(ExploredProblem::open(*session_, target)));
    if (target.backend != "interpreter")
      precompiler_ = wanted(make_precompiler(target.backend, architecture_));
    answer["problem"] = problem_->signature;
    answer["title"] = problem_->instance.title;
    answer["options"] = problem_->options.text();
    answer["backend"] = target.backend;
    answer["architecture"] = architecture_;
    answer["precision"] = to_string(problem_->precision);
    answer["linear_iterations"] = problem_->solver.num_linear_iterations;
    answer["reset_period"] = reset_period();
    answer["loop_turn"] = spec_.loop_turn;
    // Workers without the device make their predictions with the same spec.
    answer["spec_file"] = backend_ ? keep_spec() : target.device_spec;
    return answer;
  }

  // The path of a file with the spec, which lives as long as the process that started this one.
  std::string keep_spec() const {
    const std::filesystem::path path =
        std::filesystem::temp_directory_path() / fmt::format("thallo-spec-{}.toml", getppid());
    wanted(write_device_spec(spec_, path));
    return path.string();
  }
  int reset_period() const {
    return problem_->solver.solver == SolverKind::LevenbergMarquardt
               ? problem_->solver.residual_reset_period
               : 0;
  }

  GeneratedProgram program_of(const Schedule& schedule) const {
    const Plan plan = wanted(problem_->plan_of(schedule));
    return generate(make_program(problem_->file.energy, plan, problem_->program));
  }

  // The canonical keys of a program's kernels; where nothing is compiled, their signatures.
  std::vector<std::string> kernel_keys(const GeneratedProgram& program, Json& kernels) const {
    std::vector<std::string> keys;
    if (!precompiler_) {
      KernelSignatures signatures(program.program);
      for (const Kernel& kernel : program.program.kernels)
        keys.push_back(signatures.of(kernel).hex());
      return keys;
    }
    const auto compiled = precompiler_->compile(program, problem_->compile);
    if (!compiled) throw Refusal{ResultStatus::DoesNotCompile, compiled.error().message()};
    for (const CompiledKernel& kernel : *compiled) {
      keys.push_back(kernel.key);
      kernels.push_back({{"key", kernel.key},
                         {"role", kernel.role},
                         {"registers", kernel.registers},
                         {"spill_bytes", kernel.spill_bytes},
                         {"from_cache", kernel.from_cache}});
    }
    return keys;
  }

  Json prepare(const Schedule& schedule) {
    const GeneratedProgram program = program_of(schedule);
    const ProgramSizes sizes = wanted(ProgramSizes::make(
        program.program, problem_->instance.binding, problem_->compile.memory_limit));
    wanted(check_memory_limit(program.program, sizes, problem_->precision,
                              problem_->compile.memory_limit),
           ResultStatus::OutOfMemory);
    const ProgramWork work =
        work_of(program, sizes, map_statistics(program.program, sizes, problem_->instance.binding),
                problem_->precision);
    Json answer = {{"hash", schedule.hash(*problem_->constructs).hex()},
                   {"text", schedule.text(*problem_->constructs)},
                   {"bytes", work.bytes},
                   {"evicted", evicted_share(work.loop_bytes, spec_)},
                   {"kernels", Json::array()},
                   {"predictions", Json::object()},
                   {"steps", Json::array()}};
    const IterationCounts counts{
        .linear_iterations = static_cast<double>(problem_->solver.num_linear_iterations),
        .reset_period = static_cast<double>(reset_period())};
    for (const auto* entry : session_->cost_models().entries()) {
      const Prediction prediction = predict(*entry->item, work, spec_, counts);
      answer["predictions"][entry->name] = {{"linear", number(prediction.linear_iteration)},
                                            {"nonlinear", number(prediction.nonlinear_iteration)}};
    }
    if (work.bytes > spec_.memory) {
      throw Refusal{ResultStatus::OutOfMemory,
                    fmt::format("the program needs {:.3g} GB, the device has {:.3g} GB",
                                1e-9 * work.bytes, 1e-9 * spec_.memory)};
    }
    const std::vector<std::string> keys = kernel_keys(program, answer["kernels"]);
    std::size_t next = 0;
    for (const auto& [phase, steps] : program.program.phases) {
      for (const Step& step : steps) {
        const StepWork& its = work.steps[next++];
        if (!is_launched(program, sizes, step)) continue;
        const auto* launch = std::get_if<LaunchKernel>(&step);
        answer["steps"].push_back(
            {{"phase", static_cast<int>(phase)},
             {"label", its.label},
             {"key", step_key(program, sizes, step, launch ? keys[launch->kernel] : "",
                              problem_->precision)}});
      }
    }
    return answer;
  }

  // A program on the device, bound to the problem's data.
  std::unique_ptr<Executable> executable_of(const Schedule& schedule) {
    auto executable = wanted(backend_->compile(program_of(schedule), problem_->compile),
                             ResultStatus::DoesNotCompile);
    wanted(executable->bind(problem_->instance.binding), ResultStatus::OutOfMemory);
    return executable;
  }

  std::vector<std::string> kernel_keys(const Executable& executable) const {
    std::vector<std::string> keys;
    KernelSignatures signatures(executable.program());
    for (std::size_t k = 0; k < executable.kernels().size(); ++k) {
      const std::string& key = executable.kernels()[k].key;
      keys.push_back(key.empty() ? signatures.of(executable.program().kernels[k]).hex() : key);
    }
    return keys;
  }

  Json time(const Schedule& schedule, std::set<std::string> keys) {
    const auto executable = executable_of(schedule);
    wanted(enter_linear_iteration(*executable, problem_->solver));
    const std::vector<std::string> of_kernels = kernel_keys(*executable);
    Json answer = {{"steps", Json::array()}};
    for (const auto& [phase, steps] : executable->program().phases) {
      std::vector<std::string> of_steps;
      for (const Step& step : steps) {
        const auto* launch = std::get_if<LaunchKernel>(&step);
        of_steps.push_back(step_key(executable->generated(), executable->sizes(), step,
                                    launch ? of_kernels[launch->kernel] : "", problem_->precision));
      }
      const StepTimingOptions timing{.wants = [&](std::size_t step) {
        if (keys.erase(of_steps[step]) == 0) return false;  // each once
        say_doing(of_steps[step]);
        return true;
      }};
      if (std::ranges::none_of(of_steps, [&](const auto& key) { return keys.contains(key); }))
        continue;
      const std::vector<StepTiming> timed = wanted(time_steps(*executable, phase, timing));
      for (std::size_t s = 0; s < timed.size(); ++s) {
        if (timed[s].hot.empty() && timed[s].fault.empty()) continue;
        answer["steps"].push_back({{"key", of_steps[s]},
                                   {"label", timed[s].step.label},
                                   {"hot", timed[s].hot},
                                   {"evicted", timed[s].evicted},
                                   {"fault", timed[s].fault}});
      }
    }
    return answer;
  }

  Json solve(const Schedule& schedule, int solves) {
    const auto executable = executable_of(schedule);
    SolverOptions options = problem_->solver;
    // Unset, Levenberg-Marquardt has a test.
    if (options.solver == SolverKind::LevenbergMarquardt)
      options.function_tolerance = 0;
    else
      options.function_tolerance.reset();
    options.gradient_tolerance = 0;
    options.parameter_tolerance = 0;
    options.q_tolerance = 0;
    options.residual_tolerance = 0;
    options.max_solver_time_in_seconds = 0;
    Json answer = {{"samples", Json::array()}, {"trace", Json::array()}};
    std::vector<double> linear;
    // The first solve warms up.
    for (int i = 0; i <= solves; ++i) {
      say_doing(fmt::format("solve {}", i));
      wanted(executable->bind(problem_->instance.binding), ResultStatus::OutOfMemory);
      const SolverSummary summary = wanted(thallo::solve(*executable, options));
      if (i == 0) continue;
      const double iterations = std::max(1, summary.num_iterations);
      answer["samples"].push_back(summary.seconds.total / iterations);
      const auto num_linear = static_cast<double>(summary.num_linear_iterations);
      answer["linear_iterations"] = num_linear / iterations;
      linear.push_back(num_linear > 0 ? loop_seconds(*executable) / num_linear : 0);
      answer["trace"] = Json::array();
      for (const IterationRecord& record : summary.iterations)
        answer["trace"].push_back({record.total_seconds, number(record.cost)});
    }
    std::ranges::sort(linear);
    answer["linear_seconds"] = linear[linear.size() / 2];
    return answer;
  }

  // Seconds in the phases of linear iterations since bind().
  static double loop_seconds(const Executable& executable) {
    double seconds = 0;
    for (const PhaseTiming& timing : executable.timing()) {
      const Frequency frequency = frequency_of(timing.phase);
      if (frequency == Frequency::LinearIteration || frequency == Frequency::ResidualReset)
        seconds += timing.seconds;
    }
    return seconds;
  }

  Json verify(const Schedule& schedule) {
    if (!reference_) {
      const auto executable = executable_of(Schedule());
      reference_ = std::make_unique<Operator>(operator_of(*executable, problem_->solver));
    }
    const auto executable = executable_of(schedule);
    const Operator computed = operator_of(*executable, problem_->solver);
    const Plan plan = wanted(problem_->plan_of(schedule));
    const double error = disagreement(computed, *reference_);
    return {
        {"error_of", error},
        {"tolerance", std::max(agreement_tolerance(problem_->precision), plan.product_tolerance)}};
  }

  std::ostream& out_;
  std::int64_t id_ = 0;
  std::unique_ptr<Session> session_;
  std::unique_ptr<Backend> backend_;
  std::unique_ptr<ExploredProblem> problem_;
  std::unique_ptr<Precompiler> precompiler_;
  std::unique_ptr<Operator> reference_;  // what the default schedule computes
  std::string architecture_;
  DeviceSpec spec_;
};

}  // namespace

void run_worker(std::istream& in, std::ostream& out) {
  Worker worker(out);
  for (std::string line; std::getline(in, line);) worker.serve(line);
}

}  // namespace thallo
