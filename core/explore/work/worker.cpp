#include "core/explore/work/worker.h"

#include <algorithm>
#include <cmath>
#include <iosfwd>
#include <map>
#include <memory>
#include <new>
#include <set>
#include <stop_token>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "core/backend/choose_device_spec.h"
#include "core/backend/host_machine.h"
#include "core/backend/precompile.h"
#include "core/backend/step_timing.h"
#include "core/base/bytes_text.h"
#include "core/base/error.h"
#include "core/base/log.h"
#include "core/base/stop_scope.h"
#include "core/cost/cost_model.h"
#include "core/cost/spec_file.h"
#include "core/explore/kernel_signature.h"
#include "core/explore/store_records.h"
#include "core/explore/work/agreement.h"
#include "core/explore/work/explored_problem.h"
#include "core/explore/work/messages.h"
#include "core/explore/work/refusal.h"
#include "core/explore/work/request_queue.h"
#include "core/explore/work/run_order.h"
#include "core/explore/work/small_instance.h"
#include "core/explore/work/step_features.h"
#include "core/explore/work/step_key.h"
#include "core/explore/work/timed_solve.h"
#include "core/explore/work/worker_kernels.h"
#include "core/explore/work/worker_run.h"
#include "core/kernel/generate.h"
#include "core/solve/iteration_profile.h"

namespace thallo {
namespace {

using Json = nlohmann::ordered_json;

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(); }

class Worker {
 public:
  explicit Worker(std::ostream& out) : out_(out), messages_(out, 0) {}

  void serve(const QueuedRequest& request) {
    stop_ = request.stop;
    messages_ = MessageWriter(out_, 0);
    const StopScope scope(stop_);
    try {
      const Json json = Json::parse(request.line);
      messages_ = MessageWriter(out_, json.at("id").get<std::int64_t>());
      check_wanted(stop_);
      messages_.answer(carry_out(json, request.line));
    } catch (const Refusal& refusal) {
      error(refusal.status, refusal.reason);
    } catch (const std::bad_alloc&) {
      error(ResultStatus::OutOfMemory, "memory ran out");
    } catch (const DeviceError& failed) {
      const bool is_memory = failed.code().find("OUT_OF_MEMORY") != std::string::npos;
      error(is_memory ? ResultStatus::OutOfMemory : ResultStatus::Crash, failed.what());
    } catch (const std::exception& failed) {
      error(ResultStatus::NotRun, failed.what());
    }
  }

 private:
  void error(ResultStatus status, const std::string& reason) {
    messages_.error(status, reason, stop_.stop_requested());
  }

  // Returns the answer.
  std::string carry_out(const Json& request, const std::string& line) {
    const std::string what = request.at("do").get<std::string>();
    if (what == "open") return open(request).dump();
    if (what == "run") return run(wanted(RunOrder::from_json(line)));
    if (!problem_) throw Refusal{ResultStatus::NotRun, "no problem was opened"};
    const Schedule schedule = schedule_of(request);
    if (what == "prepare") return prepare(schedule).dump();
    if (what == "kernels") return kernels(schedule, request.at("compile").get<bool>());
    if (backend_ == nullptr) throw Refusal{ResultStatus::NotRun, "no backend was opened"};
    if (what == "time")
      return time(schedule, request.at("keys").get<std::set<std::string>>()).dump();
    if (what == "solve") return solve(schedule, request.at("solves").get<int>()).dump();
    throw Refusal{ResultStatus::NotRun, fmt::format("'{}' is no request", what)};
  }

  // Plugins are loaded once.
  Session& session_of(const ExplorationTarget& target) {
    if (!session_) session_ = std::make_unique<Session>(target.plugin_path);
    if (session_->plugin_path() == target.plugin_path) return *session_;
    throw Refusal{
        ResultStatus::NotRun,
        fmt::format("this worker has loaded the plugins of [{}]; start another for [{}]",
                    fmt::join(session_->plugin_path(), ", "), fmt::join(target.plugin_path, ", "))};
  }

  Backend& backend_of(const ExplorationTarget& target) {
    auto& backend = backends_[{target.backend, target.device}];
    if (!backend) backend = wanted(session_->open_backend(target.backend, target.device));
    return *backend;
  }

  Schedule schedule_of(const Json& request) const {
    if (!request.contains("schedule_name"))
      return wanted(problem_->read(request.at("schedule").get<std::string>()));
    const AutoTarget target = problem_->auto_target(spec_);
    return wanted(choose_schedule(request["schedule_name"].get<std::string>(), problem_->file,
                                  *problem_->constructs, &target));
  }

  CompileOptions compile_options() const {
    CompileOptions options = problem_->compile;
    options.stop = stop_;
    return options;
  }

  std::string run(const RunOrder& order) {
    Session& session = session_of(order.target);
    return carry_out_run(order, session, backend_of(order.target), messages_, stop_);
  }

  Json open(const Json& request) {
    ExplorationTarget target =
        wanted(ExplorationTarget::from_json(request.at("target").get<std::string>()));
    session_of(target);
    Json answer = Json::object();
    if (request.at("device").get<bool>()) {
      backend_ = &backend_of(target);
      target.backend = backend_->name();
      if (!backend_->has_float()) target.precision = Precision::Double;
      architecture_ = backend_->device().architecture;
      answer["device"] = backend_->signature();
      answer["device_name"] = backend_->device().name;
    } else if (request.contains("architecture")) {
      architecture_ = request.at("architecture").get<std::string>();
    } else if (target.backend == "cpu") {
      architecture_ = host_machine().architecture;
    }
    spec_ = wanted(request.contains("spec")
                       ? parse_device_spec(request.at("spec").get<std::string>(), "the spec")
                       : session_->device_spec(target.device_spec, target.backend, target.device));
    problem_ = std::make_unique<ExploredProblem>(wanted(ExploredProblem::open(*session_, target)));
    target_ = target;
    precompiler_.reset();
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

  // Null for the interpreter. Texts can be generated without a compiler, so the compiler is located
  // only when something must be compiled.
  const Precompiler* precompiler() {
    if (!precompiler_ && target_.backend != "interpreter")
      precompiler_ = wanted(make_precompiler(target_.backend, architecture_));
    return precompiler_.get();
  }

  GeneratedProgram program_of(const Schedule& schedule) const {
    const Plan plan = wanted(problem_->plan_of(schedule));
    return generate(make_program(problem_->file.energy, plan, problem_->program));
  }

  // Unknown numbers, such as the registers of cpu kernels, are null.
  static Json json_of(const CompiledKernel& kernel, const std::string& key) {
    const bool is_known = kernel.registers > 0;
    return {
        {"key", key},
        {"role", kernel.role},
        {"registers", is_known ? Json(kernel.registers) : Json()},
        {"spill_bytes", is_known ? Json(kernel.spill_bytes) : Json()},
        {"shared_bytes", is_known ? Json(kernel.shared_bytes) : Json()},
        {"compile_seconds", kernel.compile_seconds > 0 ? Json(kernel.compile_seconds) : Json()}};
  }

  // Returns the canonical keys of a program's kernels, or their signatures if nothing is compiled.
  std::vector<std::string> kernel_keys(const GeneratedProgram& program, Json& kernels) {
    std::vector<std::string> keys;
    if (precompiler() == nullptr) {
      KernelSignatures signatures(program.program);
      for (std::size_t k = 0; k < program.program.kernels.size(); ++k) {
        keys.push_back(signatures.of(program.program.kernels[k]).hex());
        kernels.push_back(json_of({.role = program.codes[k].role}, keys.back()));
      }
      return keys;
    }
    const auto compiled = wanted_compiled(precompiler_->compile(program, compile_options()), stop_);
    for (const CompiledKernel& kernel : compiled) {
      keys.push_back(kernel.key);
      kernels.push_back(json_of(kernel, kernel.key));
    }
    return keys;
  }

  ProgramSizes sizes_of(const GeneratedProgram& program) const {
    ProgramSizes sizes = wanted(ProgramSizes::make(program.program, problem_->instance.binding,
                                                   problem_->compile.memory_limit));
    wanted(check_memory_limit(program.program, sizes, problem_->precision,
                              problem_->compile.memory_limit),
           ResultStatus::OutOfMemory);
    return sizes;
  }

  ProgramWork work_of_program(const GeneratedProgram& program, const ProgramSizes& sizes) const {
    return work_of(program, sizes,
                   map_statistics(program.program, sizes, problem_->instance.binding),
                   problem_->precision);
  }

  std::string kernels(const Schedule& schedule, bool compiles) {
    const GeneratedProgram program = program_of(schedule);
    const ProgramSizes sizes = sizes_of(program);
    send_kernels(program, sizes, work_of_program(program, sizes),
                 {.backend = target_.backend,
                  .architecture = architecture_,
                  .compile = compile_options(),
                  .precompiler = compiles ? precompiler() : nullptr},
                 messages_);
    const Json answer = {{"text", schedule.text(*problem_->constructs)},
                         {"backend", target_.backend},
                         {"architecture", architecture_},
                         {"kernels", program.codes.size()}};
    return answer.dump();
  }

  Json prepare(const Schedule& schedule) {
    const GeneratedProgram program = program_of(schedule);
    const ProgramSizes sizes = sizes_of(program);
    const ProgramWork work = work_of_program(program, sizes);
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
             {"features", Json::parse(StepFeatures::of(work.steps[position]).json())},
             {"predicted", predicted}});
      }
    }
    return answer;
  }

  // Returns a program on the device, bound to the problem's data.
  std::unique_ptr<Executable> executable_of(const Schedule& schedule) {
    messages_.doing("compiling");
    auto executable =
        wanted_compiled(backend_->compile(program_of(schedule), compile_options()), stop_);
    messages_.doing("loading the data");
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
    messages_.doing("the first linear iteration");
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
                                           check_wanted(stop_);
                                           if (keys.erase(of_steps[step]) == 0)
                                             return false;  // time each step once
                                           messages_.doing_step("timing " + infos[step].label,
                                                                of_steps[step]);
                                           return true;
                                         },
                                     .timed =
                                         [&](std::size_t step, const StepTiming& timed) {
                                           messages_.part(Json{
                                               {"key", of_steps[step]},
                                               {"hot", timed.hot},
                                               {"evicted", timed.evicted},
                                               {"fault",
                                                timed.fault}}.dump());
                                         }};
      if (std::ranges::none_of(of_steps, [&](const auto& key) { return keys.contains(key); }))
        continue;
      wanted(time_steps(*executable, phase, timing), ResultStatus::OutOfMemory);
    }
    return Json::object();
  }

  Json solve(const Schedule& schedule, int solves) {
    Json answer = {{"samples", Json::array()}, {"trace", Json::array()}};
    const double tolerance = std::max(agreement_tolerance(problem_->precision),
                                      wanted(problem_->plan_of(schedule)).product_tolerance);
    const Operator& reference = reference_operator();
    const auto executable = executable_of(schedule);
    messages_.doing("comparing it with the default schedule");
    const double error = disagreement(operator_of(*executable, problem_->solver), reference);
    answer["verification_error"] = number(error);
    answer["agrees"] = error <= tolerance;
    if (!(error <= tolerance)) return answer;
    const SmallInstance::Outcome small = verify_on_small_instance(schedule);
    answer["small_error"] = small.error ? number(*small.error) : Json();
    answer["small_fault"] = small.fault;
    if (!small.fault.empty()) return answer;
    std::vector<double> linear;
    // The first solve warms up.
    for (int i = 0; i <= solves; ++i) {
      messages_.doing(fmt::format("solve {}", i));
      wanted(executable->bind(problem_->instance.binding), ResultStatus::OutOfMemory);
      const TimedSolve timed = wanted(time_solve(*executable, problem_->solver, stop_));
      check_wanted(stop_);
      if (i == 0) continue;
      answer["samples"].push_back(timed.nonlinear_seconds);
      answer["linear_iterations"] = timed.linear_iterations;
      linear.push_back(timed.linear_seconds);
      answer["trace"] = Json::array();
      for (const IterationRecord& record : timed.iterations)
        answer["trace"].push_back({record.total_seconds, number(record.cost)});
    }
    std::ranges::sort(linear);
    answer["linear_seconds"] = linear[linear.size() / 2];
    return answer;
  }

  // Verifies nothing if the problem has no small instance.
  SmallInstance::Outcome verify_on_small_instance(const Schedule& schedule) {
    messages_.doing("verifying it on the small instance");
    if (!has_looked_for_small_) {
      has_looked_for_small_ = true;
      auto opened = SmallInstance::open(*session_, target_, *problem_, *backend_);
      if (!opened) logger("explore").warn("nothing is verified: {}", opened.error().message());
      if (opened) small_ = *std::move(opened);
    }
    if (!small_) return {};
    try {
      return small_->verify(schedule);
    } catch (const Stopped&) {
      throw;
    } catch (const UserError& refused) {
      throw Refusal{ResultStatus::DoesNotCompile, refused.what()};
    }
  }

  // Returns the operator of the default schedule.
  const Operator& reference_operator() {
    if (!reference_) {
      const auto executable = executable_of(Schedule());
      messages_.doing("computing the operator of the default schedule");
      reference_ = std::make_unique<Operator>(operator_of(*executable, problem_->solver));
    }
    return *reference_;
  }

  std::ostream& out_;
  MessageWriter messages_;  // for the current request
  std::stop_token stop_;    // of that request
  std::unique_ptr<Session> session_;
  std::map<std::pair<std::string, int>, std::unique_ptr<Backend>> backends_;  // by name and device
  Backend* backend_ = nullptr;  // of the opened problem; null if opened without a device
  std::unique_ptr<ExploredProblem> problem_;
  std::unique_ptr<Precompiler> precompiler_;  // made on first use
  std::unique_ptr<Operator> reference_;
  ExplorationTarget target_;  // with everything resolved
  std::unique_ptr<SmallInstance> small_;
  bool has_looked_for_small_ = false;
  std::string architecture_;
  DeviceSpec spec_;
};

}  // namespace

void run_worker(std::istream& in, std::ostream& out) {
  Worker worker(out);
  RequestQueue queue(in);
  while (const auto request = queue.next()) worker.serve(*request);
}

}  // namespace thallo
