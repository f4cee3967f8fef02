#include "core/explore/worker/worker.h"

#include <algorithm>
#include <ctime>
#include <map>
#include <memory>
#include <new>
#include <set>
#include <stop_token>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/backend/host_machine.h"
#include "core/backend/precompile.h"
#include "core/backend/step_timing.h"
#include "core/base/bytes_text.h"
#include "core/base/error.h"
#include "core/base/log.h"
#include "core/base/stop_scope.h"
#include "core/cost/device/spec_file.h"
#include "core/cost/model/cost_model.h"
#include "core/explore/measure/kernel_signature.h"
#include "core/explore/measure/statistics.h"
#include "core/explore/space/explored_problem.h"
#include "core/explore/store/store_records.h"
#include "core/explore/verify/agreement.h"
#include "core/explore/verify/small_instance.h"
#include "core/explore/worker/messages.h"
#include "core/explore/worker/recorded_work.h"
#include "core/explore/worker/refusal.h"
#include "core/explore/worker/request_queue.h"
#include "core/explore/worker/step_key.h"
#include "core/explore/worker/timed_choice.h"
#include "core/explore/worker/timed_solve.h"
#include "core/explore/worker/worker_kernels.h"
#include "core/explore/worker/worker_run.h"
#include "core/kernel/emit.h"
#include "core/kernel/generate.h"
#include "core/problem/files/data_file.h"
#include "core/solve/iteration_profile.h"

namespace thallo {
namespace {

class Worker {
 public:
  explicit Worker(std::ostream& out) : out_(out), messages_(out, 0) {}

  void serve(const QueuedRequest& request) {
    stop_ = request.stop;
    messages_ = MessageWriter(out_, request.id);
    const StopScope scope(stop_);
    try {
      const WorkerRequest wanted_request = wanted(request.request);
      check_wanted(stop_);
      std::visit([this](const auto& its) { messages_.answer(carry_out(its)); }, wanted_request);
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
    messages_.error({.reason = reason, .status = status, .is_cancelled = stop_.stop_requested()});
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

  Schedule schedule_of(const std::string& text) const {
    if (!problem_) throw Refusal{ResultStatus::NotRun, "no problem was opened"};
    return wanted(problem_->read(text));
  }

  CompileOptions compile_options() const {
    CompileOptions options = problem_->compile;
    options.stop = stop_;
    return options;
  }

  // The queue carries it out.
  NoAnswer carry_out(const CancelRequest&) { return {}; }

  RunAnswer carry_out(const RunOrder& order) {
    Session& session = session_of(order.target);
    return carry_out_run(order, session, backend_of(order.target), messages_, stop_);
  }

  OpenedProblem carry_out(const OpenRequest& request) {
    ExplorationTarget target = request.target;
    session_of(target);
    OpenedProblem opened;
    if (request.device) {
      backend_ = &backend_of(target);
      target.backend = backend_->name();
      if (!backend_->has_float()) target.precision = Precision::Double;
      architecture_ = backend_->device().architecture;
      opened.device.signature = backend_->signature();
      opened.device.name = backend_->device().name;
    } else if (request.architecture) {
      architecture_ = *request.architecture;
    } else if (target.backend == "cpu") {
      architecture_ = host_machine().architecture;
    }
    spec_ = wanted(request.spec
                       ? parse_device_spec(*request.spec, "the spec")
                       : session_->device_spec(target.device_spec, target.backend, target.device));
    problem_ = std::make_unique<ExploredProblem>(wanted(ExploredProblem::open(*session_, target)));
    target_ = target;
    precompiler_.reset();
    opened.device.backend = target.backend;
    opened.problem = {.signature = problem_->signature,
                      .name = target.problem,
                      .options = problem_->options.text(),
                      .title = problem_->instance.title};
    std::string& options = opened.problem.options;
    const auto add = [&](std::string_view name, std::string_view value) {
      options += fmt::format("{}{}={}", options.empty() ? "" : " ", name, value);
    };
    for (const auto& [name, value] : target.solver_options) add(name, value);
    if (target.passes != PassOptions()) add("passes", to_string(target.passes));
    opened.architecture = architecture_;
    opened.spec = device_spec_text(spec_);
    opened.device.spec = opened.spec;
    opened.precision = problem_->program.precision;
    opened.counts = problem_->counts;
    return opened;
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

  // Unknown numbers, such as the registers of cpu kernels, are absent.
  static KernelRecord record_of(const CompiledKernel& kernel) {
    KernelRecord record{.key = kernel.key, .role = kernel.role};
    if (kernel.registers > 0) {
      record.registers = kernel.registers;
      record.spill_bytes = kernel.spill_bytes;
      record.shared_bytes = kernel.shared_bytes;
    }
    if (kernel.compile_seconds > 0) record.compile_seconds = kernel.compile_seconds;
    return record;
  }

  // Their keys are canonical ones, or signatures if nothing is compiled.
  std::vector<KernelRecord> kernel_records(const GeneratedProgram& program,
                                           std::vector<std::string>& spilling) {
    std::vector<KernelRecord> records;
    if (precompiler() == nullptr) {
      KernelSignatures signatures(program.program);
      for (std::size_t k = 0; k < program.program.kernels.size(); ++k) {
        records.push_back({.key = signatures.of(program.program.kernels[k]).hex(),
                           .role = program.codes[k].role});
      }
      return records;
    }
    for (const CompiledKernel& kernel :
         wanted_compiled(precompiler_->compile(program, compile_options()), stop_)) {
      const KernelCode& code = program.codes[records.size()];
      records.push_back(record_of(kernel));
      if (spills_registers(kernel, block_size_of(code, compile_options().block_size)))
        spilling.push_back(code.label);
    }
    return records;
  }

  ProgramSizes sizes_of(const GeneratedProgram& program) const {
    ProgramSizes sizes = wanted(ProgramSizes::make(program.program, problem_->instance.binding,
                                                   problem_->compile.memory_limit));
    wanted(check_memory_limit(program.program, sizes, problem_->program.precision,
                              problem_->compile.memory_limit),
           ResultStatus::OutOfMemory);
    return sizes;
  }

  ProgramWork work_of_program(const GeneratedProgram& program, const ProgramSizes& sizes) const {
    return work_of(program, sizes,
                   map_statistics(program.program, sizes, problem_->instance.binding),
                   problem_->program.precision);
  }

  KernelsAnswer carry_out(const KernelsRequest& request) {
    const Schedule schedule = schedule_of(request.schedule);
    const GeneratedProgram program = program_of(schedule);
    const ProgramSizes sizes = sizes_of(program);
    send_kernels(program, sizes, work_of_program(program, sizes),
                 {.backend = target_.backend,
                  .architecture = architecture_,
                  .compile = compile_options(),
                  .precompiler = request.compile ? precompiler() : nullptr},
                 messages_);
    return {.schedule = schedule.text(*problem_->constructs),
            .backend = target_.backend,
            .architecture = architecture_,
            .num_kernels = program.codes.size()};
  }

  PreparedSchedule carry_out(const PrepareRequest& request) {
    const GeneratedProgram program = program_of(schedule_of(request.schedule));
    const ProgramSizes sizes = sizes_of(program);
    const ProgramWork work = work_of_program(program, sizes);
    PreparedSchedule prepared{.bytes = work.bytes, .loop_bytes = work.loop_bytes};
    std::map<std::string, Prediction> predictions;
    const auto add_prediction = [&](const std::string& name, const CostModel& model) {
      const Prediction& prediction = predictions[name] =
          predict(model, work, spec_, problem_->counts);
      prepared.predictions.push_back({.model = name,
                                      .nonlinear_seconds = prediction.nonlinear_iteration,
                                      .linear_seconds = prediction.linear_iteration});
    };
    // A fitted model may have seen this problem, so reports compare it only where it was asked for.
    for (const auto* entry : session_->cost_models().entries())
      if (!entry->item->is_fitted()) add_prediction(entry->name, *entry->item);
    if (!predictions.contains(target_.model)) add_prediction(target_.model, *problem_->model);
    if (work.bytes > spec_.memory) {
      throw Refusal{ResultStatus::OutOfMemory,
                    fmt::format("the program needs {}, the device has {}", bytes_text(work.bytes),
                                bytes_text(spec_.memory))};
    }
    prepared.kernels = kernel_records(program, prepared.spilling);
    std::vector<std::string> keys;
    for (const KernelRecord& kernel : prepared.kernels) keys.push_back(kernel.key);
    for (LaunchedStep& step : launched_steps(program, sizes, keys, problem_->program.precision)) {
      const StepWork& its_work = work.steps[step.position];
      PreparedStep& its =
          prepared.steps.emplace_back(PreparedStep{.key = std::move(step.key),
                                                   .label = its_work.label,
                                                   .phase = step.phase,
                                                   .kernel = std::move(step.kernel),
                                                   .features = text_of(its_work, work.maps)});
      for (const auto& [model, prediction] : predictions)
        its.predicted[model] = prediction.steps[step.position];
    }
    return prepared;
  }

  // Returns a program on the device, bound to the problem's data.
  std::unique_ptr<Executable> executable_of(const Schedule& schedule) {
    if (backend_ == nullptr) throw Refusal{ResultStatus::NotRun, "no backend was opened"};
    messages_.doing({"compiling"});
    auto executable =
        wanted_compiled(backend_->compile(program_of(schedule), compile_options()), stop_);
    messages_.doing({"loading the data"});
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

  NoAnswer carry_out(const TimeRequest& request) {
    std::set<std::string> keys(request.keys.begin(), request.keys.end());
    const auto executable = executable_of(schedule_of(request.schedule));
    messages_.doing({"the first linear iteration"});
    wanted(enter_linear_iteration(*executable, problem_->solver));
    const std::vector<std::string> of_kernels = kernel_keys(*executable);
    for (const auto& [phase, steps] : executable->program().phases) {
      std::vector<std::string> of_steps;
      for (const Step& step : steps) {
        const auto* launch = std::get_if<LaunchKernel>(&step);
        of_steps.push_back(step_key(executable->generated(), executable->sizes(), step,
                                    launch ? of_kernels[launch->kernel] : "",
                                    problem_->program.precision));
      }
      const std::vector<StepInfo> infos = executable->steps(phase);
      const StepTimingOptions timing{
          .wants =
              [&](std::size_t step) {
                check_wanted(stop_);
                if (keys.erase(of_steps[step]) == 0) return false;  // time each step once
                messages_.doing({"timing " + infos[step].label, of_steps[step]});
                return true;
              },
          .timed =
              [&](std::size_t step, const StepTiming& timed) {
                messages_.part(TimedStep{of_steps[step], timed.hot, timed.evicted, timed.fault,
                                         backend_->device().uuid});
              }};
      if (std::ranges::none_of(of_steps, [&](const auto& key) { return keys.contains(key); }))
        continue;
      wanted(time_steps(*executable, phase, timing), ResultStatus::OutOfMemory);
    }
    return {};
  }

  ScheduleResult carry_out(const SolveRequest& request) {
    const Schedule schedule = schedule_of(request.schedule);
    const double tolerance = std::max(agreement_tolerance(problem_->program.precision),
                                      wanted(problem_->plan_of(schedule)).product_tolerance);
    const Operator& reference = reference_operator();
    const auto executable = executable_of(schedule);
    messages_.doing({"comparing it with the default schedule"});
    const double error = disagreement(operator_of(*executable, problem_->solver), reference);
    ScheduleResult result{.verification_error = error};
    result.origin.uuid = backend_->device().uuid;
    if (!(error <= tolerance)) {
      result.status = ResultStatus::Mismatch;
      result.reason = fmt::format(
          "cost, gradient, diagonal or JtJp differ by {:.1e} from those of the default schedule",
          error);
      return result;
    }
    const SmallInstance::Outcome small = verify_on_small_instance(schedule);
    result.small_error = small.error;
    if (!small.fault.empty()) {
      result.status = ResultStatus::Mismatch;
      result.reason = "on the small instance it is not what the energy defines: " + small.fault;
      return result;
    }
    std::vector<double> linear;
    // The first solve warms up.
    for (int i = 0; i <= request.solves; ++i) {
      messages_.doing({fmt::format("solve {}", i)});
      wanted(executable->bind(problem_->instance.binding), ResultStatus::OutOfMemory);
      const TimedSolve timed = wanted(time_solve(*executable, problem_->solver, stop_));
      check_wanted(stop_);
      if (i == 0) continue;
      result.samples.push_back(timed.nonlinear_seconds);
      result.linear_iterations = timed.linear_iterations;
      linear.push_back(timed.linear_seconds);
      result.trace.clear();
      for (const IterationRecord& record : timed.iterations)
        result.trace.push_back({.seconds = record.total_seconds, .cost = record.cost});
    }
    std::ranges::sort(linear);
    result.linear_seconds = linear[linear.size() / 2];
    result.nonlinear_seconds = median(result.samples);
    return result;
  }

  IterationProfile carry_out(const ProfileRequest& request) {
    const auto executable = executable_of(schedule_of(request.schedule));
    return wanted(profile_iteration(*executable, problem_->solver), ResultStatus::OutOfMemory);
  }

  TimedChoice carry_out(const ChooseRequest& request) {
    if (!problem_) throw Refusal{ResultStatus::NotRun, "no problem was opened"};
    return time_choice(*problem_, target_.sites, spec_, request.plans);
  }

  static TimedReading carry_out(const ReadRequest& request) {
    const std::clock_t start = std::clock();
    wanted(read_data_file(request.file));
    return {static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC};
  }

  static DrawnPicture carry_out(const DrawRequest& request) {
    return {plot::draw(request.picture).file(plot::Theme::FollowsReader)};
  }

  // Verifies nothing if the problem has no small instance.
  SmallInstance::Outcome verify_on_small_instance(const Schedule& schedule) {
    messages_.doing({"verifying it on the small instance"});
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
      messages_.doing({"computing the operator of the default schedule"});
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

void run_worker(std::istream& in, std::ostream& out, const std::optional<WorkerRequest>& first) {
  Worker worker(out);
  if (first) worker.serve({.request = *first});
  RequestQueue queue(in);
  while (const auto request = queue.next()) worker.serve(*request);
}

}  // namespace thallo
