#include "core/explore/work/worker.h"

#include <algorithm>
#include <cmath>
#include <iostream>
#include <map>
#include <memory>
#include <new>
#include <set>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/backend/choose_device_spec.h"
#include "core/backend/precompile.h"
#include "core/backend/step_timing.h"
#include "core/base/bytes_text.h"
#include "core/base/error.h"
#include "core/base/log.h"
#include "core/cost/cost_model.h"
#include "core/cost/spec_file.h"
#include "core/explore/kernel_signature.h"
#include "core/explore/store_records.h"
#include "core/explore/work/agreement.h"
#include "core/explore/work/explored_problem.h"
#include "core/explore/work/small_instance.h"
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
  void say_timing(const std::string& label, const std::string& key) {
    write({{"id", id_}, {"doing", "timing " + label}, {"step", key}});
  }
  void answer_part(const Json& part) { write({{"id", id_}, {"part", part}}); }

  Json carry_out(const Json& request) {
    const std::string what = request.at("do").get<std::string>();
    if (what == "open") return open(request);
    if (!problem_) throw Refusal{ResultStatus::NotRun, "no problem was opened"};
    const Schedule schedule = wanted(problem_->read(request.at("schedule").get<std::string>()));
    if (what == "prepare") return prepare(schedule);
    if (!backend_) throw Refusal{ResultStatus::NotRun, "no backend was opened"};
    if (what == "time") return time(schedule, request.at("keys").get<std::set<std::string>>());
    if (what == "solve") return solve(schedule, request.at("solves").get<int>());
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
    spec_ = wanted(request.contains("spec")
                       ? parse_device_spec(request.at("spec").get<std::string>(), "the spec")
                       : session_->device_spec(target.device_spec, target.backend, target.device));
    problem_ = std::make_unique<ExploredProblem>(wanted(ExploredProblem::open(*session_, target)));
    if (target.backend != "interpreter")
      precompiler_ = wanted(make_precompiler(target.backend, architecture_));
    target_ = target;
    answer["problem"] = problem_->signature;
    answer["name"] = target.problem;
    answer["title"] = problem_->instance.title;
    std::string options = problem_->options.text();
    for (const auto& [name, value] : target.solver_options)
      options += fmt::format("{}{}={}", options.empty() ? "" : " ", name, value);
    answer["options"] = options;
    answer["backend"] = target.backend;
    answer["architecture"] = architecture_;
    answer["precision"] = to_string(problem_->precision);
    const IterationCounts counts = problem_->iteration_counts();
    answer["linear_iterations"] = counts.linear_iterations;
    answer["reset_period"] = counts.reset_period;
    answer["spec"] = device_spec_text(spec_);
    answer["memory"] = spec_.memory;
    return answer;
  }

  GeneratedProgram program_of(const Schedule& schedule) const {
    const Plan plan = wanted(problem_->plan_of(schedule));
    return generate(make_program(problem_->file.energy, plan, problem_->program));
  }

  // What is not known yet, or not of such a kernel, is null.
  static Json json_of(const CompiledKernel& kernel, const std::string& key) {
    const bool is_loaded = kernel.registers > 0;
    return {
        {"key", key},
        {"role", kernel.role},
        {"registers", is_loaded ? Json(kernel.registers) : Json()},
        {"spill_bytes", is_loaded ? Json(kernel.spill_bytes) : Json()},
        {"shared_bytes", is_loaded ? Json(kernel.shared_bytes) : Json()},
        {"compile_seconds", kernel.compile_seconds > 0 ? Json(kernel.compile_seconds) : Json()}};
  }

  // What cost models see of a step.
  static Json features_of(const StepWork& step) {
    const KernelFeatures& features = step.features;
    return {{"points", features.points},         {"flops", features.flops.total()},
            {"loads", features.loads},           {"reads", features.reads.total()},
            {"writes", features.writes.total()}, {"scatters", features.scatters.total()},
            {"atomics", features.atomics},       {"must_read", features.must_read},
            {"must_write", features.must_write}};
  }

  // The canonical keys of a program's kernels; where nothing is compiled, their signatures.
  std::vector<std::string> kernel_keys(const GeneratedProgram& program, Json& kernels) const {
    std::vector<std::string> keys;
    if (!precompiler_) {
      KernelSignatures signatures(program.program);
      for (std::size_t k = 0; k < program.program.kernels.size(); ++k) {
        keys.push_back(signatures.of(program.program.kernels[k]).hex());
        kernels.push_back(json_of({.role = program.codes[k].role}, keys.back()));
      }
      return keys;
    }
    const auto compiled = precompiler_->compile(program, problem_->compile);
    if (!compiled) throw Refusal{ResultStatus::DoesNotCompile, compiled.error().message()};
    for (const CompiledKernel& kernel : *compiled) {
      keys.push_back(kernel.key);
      kernels.push_back(json_of(kernel, kernel.key));
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
    const IterationCounts counts = problem_->iteration_counts();
    std::map<std::string, Prediction> predictions;
    for (const auto* entry : session_->cost_models().entries()) {
      const Prediction& prediction = predictions[entry->name] =
          predict(*entry->item, work, spec_, counts);
      answer["predictions"][entry->name] = {{"linear", number(prediction.linear_iteration)},
                                            {"nonlinear", number(prediction.nonlinear_iteration)}};
    }
    if (work.bytes > spec_.memory) {
      throw Refusal{ResultStatus::OutOfMemory,
                    fmt::format("the program needs {}, the device has {}", bytes_text(work.bytes),
                                bytes_text(spec_.memory))};
    }
    const std::vector<std::string> keys = kernel_keys(program, answer["kernels"]);
    std::size_t next = 0;
    for (const auto& [phase, steps] : program.program.phases) {
      for (const Step& step : steps) {
        const std::size_t position = next++;
        if (!is_launched(program, sizes, step)) continue;
        const auto* launch = std::get_if<LaunchKernel>(&step);
        const std::string kernel = launch ? keys[launch->kernel] : "";
        Json predicted = Json::object();
        for (const auto& [model, prediction] : predictions)
          predicted[model] = number(prediction.steps[position]);
        answer["steps"].push_back(
            {{"phase", static_cast<int>(phase)},
             {"label", work.steps[position].label},
             {"key", step_key(program, sizes, step, kernel, problem_->precision)},
             {"kernel", kernel},
             {"features", features_of(work.steps[position])},
             {"predicted", predicted}});
      }
    }
    return answer;
  }

  // A program on the device, bound to the problem's data.
  std::unique_ptr<Executable> executable_of(const Schedule& schedule) {
    say_doing("compiling");
    auto executable = wanted(backend_->compile(program_of(schedule), problem_->compile),
                             ResultStatus::DoesNotCompile);
    say_doing("loading the data");
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

  Json loaded_kernels(const Executable& executable) const {
    const std::vector<std::string> keys = kernel_keys(executable);
    Json kernels = Json::array();
    for (std::size_t k = 0; k < keys.size(); ++k)
      kernels.push_back(json_of(executable.kernels()[k], keys[k]));
    return kernels;
  }

  Json time(const Schedule& schedule, std::set<std::string> keys) {
    const auto executable = executable_of(schedule);
    say_doing("the first linear iteration");
    wanted(enter_linear_iteration(*executable, problem_->solver));
    const std::vector<std::string> of_kernels = kernel_keys(*executable);
    for (const auto& [phase, steps] : executable->program().phases) {
      std::vector<std::string> of_steps;
      for (const Step& step : steps) {
        const auto* launch = std::get_if<LaunchKernel>(&step);
        of_steps.push_back(step_key(executable->generated(), executable->sizes(), step,
                                    launch ? of_kernels[launch->kernel] : "", problem_->precision));
      }
      const std::vector<StepInfo> infos = executable->steps(phase);
      const StepTimingOptions timing{.wants =
                                         [&](std::size_t step) {
                                           if (keys.erase(of_steps[step]) == 0)
                                             return false;  // each once
                                           say_timing(infos[step].label, of_steps[step]);
                                           return true;
                                         },
                                     .timed =
                                         [&](std::size_t step, const StepTiming& timed) {
                                           answer_part({{"key", of_steps[step]},
                                                        {"hot", timed.hot},
                                                        {"evicted", timed.evicted},
                                                        {"fault", timed.fault}});
                                         }};
      if (std::ranges::none_of(of_steps, [&](const auto& key) { return keys.contains(key); }))
        continue;
      wanted(time_steps(*executable, phase, timing));
    }
    return {{"kernels", loaded_kernels(*executable)}};
  }

  Json solve(const Schedule& schedule, int solves) {
    Json answer = {{"samples", Json::array()}, {"trace", Json::array()}};
    const double tolerance = std::max(agreement_tolerance(problem_->precision),
                                      wanted(problem_->plan_of(schedule)).product_tolerance);
    const Operator& reference = reference_operator();
    const auto executable = executable_of(schedule);
    say_doing("comparing it with the default schedule");
    const double error = disagreement(operator_of(*executable, problem_->solver), reference);
    answer["verification_error"] = number(error);
    answer["agrees"] = error <= tolerance;
    if (!(error <= tolerance)) return answer;
    const SmallInstance::Outcome small = verify_on_small_instance(schedule);
    answer["small_error"] = small.error ? number(*small.error) : Json();
    answer["small_fault"] = small.fault;
    if (!small.fault.empty()) return answer;
    answer["kernels"] = loaded_kernels(*executable);
    const SolverOptions options = endless_options();
    std::vector<double> linear;
    // The first solve warms up.
    for (int i = 0; i <= solves; ++i) {
      say_doing(fmt::format("solve {}", i));
      wanted(executable->bind(problem_->instance.binding), ResultStatus::OutOfMemory);
      const SolverSummary summary = wanted(thallo::solve(*executable, options));
      if (i == 0) continue;
      const double iterations = std::max(1, summary.num_iterations);
      // Without what happens once in a solve, which the first record has.
      const double start = summary.iterations.front().seconds;
      answer["samples"].push_back((summary.seconds.total - start) / iterations);
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

  // Not verified where there is no small instance.
  SmallInstance::Outcome verify_on_small_instance(const Schedule& schedule) {
    say_doing("verifying it on the small instance");
    if (!has_looked_for_small_) {
      has_looked_for_small_ = true;
      auto opened = SmallInstance::open(*session_, target_, *problem_, *backend_);
      if (!opened) logger("explore").warn("nothing is verified: {}", opened.error().message());
      if (opened) small_ = *std::move(opened);
    }
    if (!small_) return {};
    try {
      return small_->verify(schedule);
    } catch (const UserError& refused) {
      throw Refusal{ResultStatus::DoesNotCompile, refused.what()};
    }
  }

  // With all tests for stopping switched off.
  SolverOptions endless_options() const {
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
    return options;
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

  // Of the default schedule.
  const Operator& reference_operator() {
    if (!reference_) {
      const auto executable = executable_of(Schedule());
      say_doing("computing the operator of the default schedule");
      reference_ = std::make_unique<Operator>(operator_of(*executable, problem_->solver));
    }
    return *reference_;
  }

  std::ostream& out_;
  std::int64_t id_ = 0;
  std::unique_ptr<Session> session_;
  std::unique_ptr<Backend> backend_;
  std::unique_ptr<ExploredProblem> problem_;
  std::unique_ptr<Precompiler> precompiler_;
  std::unique_ptr<Operator> reference_;
  ExplorationTarget target_;  // as it was resolved
  std::unique_ptr<SmallInstance> small_;
  bool has_looked_for_small_ = false;
  std::string architecture_;
  DeviceSpec spec_;
};

}  // namespace

void run_worker(std::istream& in, std::ostream& out) {
  Worker worker(out);
  for (std::string line; std::getline(in, line);) worker.serve(line);
}

}  // namespace thallo
