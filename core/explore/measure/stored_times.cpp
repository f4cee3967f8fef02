#include "core/explore/measure/stored_times.h"

#include <algorithm>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "core/backend/choose_device_spec.h"
#include "core/base/option_text.h"
#include "core/cost/device/spec_file.h"
#include "core/cost/model/work.h"
#include "core/explore/measure/kernel_signature.h"
#include "core/explore/worker/step_key.h"
#include "core/explore/worker/worker_kernels.h"
#include "core/kernel/emit.h"
#include "core/kernel/generate.h"

namespace thallo {
namespace {

// A store does not say which architecture its device has. The keys of its kernels do: they are
// those of one of these.
constexpr const char* Architectures[] = {"sm_90",  "sm_60",  "sm_61",  "sm_70",  "sm_72",  "sm_75",
                                         "sm_80",  "sm_86",  "sm_87",  "sm_89",  "sm_100", "sm_101",
                                         "sm_103", "sm_120", "sm_121", "x86_64", "aarch64"};

Expected<DeviceRecord> measured_device(const MeasurementStore& store, const std::string& problem,
                                       const DeviceChoice& choice) {
  THALLO_TRY(const auto chosen, measured_devices(store, problem, choice));
  if (chosen.size() == 1) return chosen.front();
  return fail(Diagnostic{
      fmt::format("{} devices have results of this problem; choose one by {}, a part of its name "
                  "or its signature",
                  chosen.size(), option_text("device_name")),
      {store.path()},
      titles_of(chosen)});
}

Expected<DeviceSpec> spec_of(const DeviceRecord& device, const std::string& wanted) {
  if (!wanted.empty()) return named_device_spec(wanted, device.backend);
  if (!device.spec.empty()) return parse_device_spec(device.spec, "the spec in the store");
  if (auto kept = kept_device_spec(device.backend, device.signature)) return *std::move(kept);
  return fail("neither the store nor this machine has a spec of {}: name one by {}", device.name,
              option_text("device_spec"));
}

}  // namespace

Expected<std::unique_ptr<StoredTimes>> StoredTimes::open(const std::filesystem::path& path,
                                                         const ExploredProblem& problem,
                                                         const StoredTimesOptions& options) {
  THALLO_TRY(auto store, MeasurementStore::open(path, MeasurementStore::Access::Read));
  THALLO_CHECK(find_problem(store, problem));
  THALLO_TRY(auto device, measured_device(store, problem.signature, options.device));
  THALLO_TRY(auto spec, spec_of(device, options.device_spec));
  std::unique_ptr<StoredTimes> times(
      new StoredTimes(std::move(store), problem, std::move(device), std::move(spec)));
  THALLO_CHECK(times->load());
  return times;
}

StoredTimes::StoredTimes(MeasurementStore store, const ExploredProblem& problem,
                         DeviceRecord device, DeviceSpec spec)
    : store_(std::move(store)),
      problem_(problem),
      device_(std::move(device)),
      spec_(std::move(spec)),
      steps_(problem.counts, spec_) {}

Expected<void> StoredTimes::load() {
  const StoreSelection selection{problem_.signature, device_.signature};
  THALLO_TRY(const auto results, store_.list<ScheduleResult>(selection));
  std::map<std::string, Candidate> candidates;
  std::int64_t num_composed = 0;
  std::int64_t num_solved = 0;
  for (const ScheduleResult& result : results) {
    Candidate& candidate = candidates[result.slot.schedule];
    candidate.result(result.slot.kind) = result;
    if (result.is_ok()) ++(result.slot.kind == ResultKind::Composed ? num_composed : num_solved);
  }
  kind_ = num_solved > num_composed ? ResultKind::EndToEnd : ResultKind::Composed;
  best_ = std::numeric_limits<double>::infinity();
  for (const auto& [hash, candidate] : candidates) {
    const auto seconds = iteration_seconds(candidate, kind_);
    if (!seconds) continue;
    seconds_[hash] = seconds;
    best_ = std::min(best_, *seconds);
  }
  THALLO_TRY(const auto samples, store_.list<StepSamples>(selection));
  for (const StepSamples& known : samples) {
    steps_.add(known);
    kernels_.insert(known.slot.key.substr(0, known.slot.key.find('.')));
  }
  return {};
}

std::optional<double> StoredTimes::seconds(const Proposal& proposal) {
  if (const auto found = seconds_.find(proposal.hash); found != seconds_.end())
    return found->second;
  std::optional<double>& seconds = seconds_[proposal.hash];
  if (kind_ == ResultKind::Composed) seconds = compose(proposal);
  if (seconds) {
    ++num_composed_;
    best_ = std::min(best_, *seconds);
  }
  return seconds;
}

std::optional<double> StoredTimes::compose(const Proposal& proposal) {
  const auto plan = problem_.plan_of(proposal.schedule);
  if (!plan) return {};
  const GeneratedProgram program =
      generate(make_program(problem_.file.energy, *plan, problem_.program));
  const Binding& binding = problem_.instance.binding;
  const auto sizes = ProgramSizes::make(program.program, binding, problem_.compile.memory_limit);
  if (!sizes) return {};
  PreparedSchedule prepared;
  for (LaunchedStep& step :
       launched_steps(program, *sizes, kernel_keys(program), problem_.program.precision)) {
    if (steps_.runs(step.phase) > 0 && !steps_.knows(step.key)) return {};
    prepared.steps.push_back({.key = std::move(step.key), .phase = step.phase});
  }
  const ProgramWork work =
      work_of(program, *sizes, map_statistics(program.program, *sizes, binding),
              problem_.program.precision);
  if (work.bytes > spec_.memory) return std::numeric_limits<double>::infinity();
  prepared.loop_bytes = work.loop_bytes;
  for (const PreparedStep& its : prepared.steps)
    if (steps_.runs(its.phase) > 0) composed_of_[proposal.hash].insert(its.key);
  const ScheduleResult composed = steps_.compose(prepared);
  return composed.is_ok() ? composed.nonlinear_seconds : std::numeric_limits<double>::infinity();
}

std::vector<std::string> StoredTimes::kernel_keys(const GeneratedProgram& program) {
  std::vector<std::string> keys;
  if (device_.backend == "interpreter") {
    KernelSignatures signatures(program.program);
    for (const Kernel& kernel : program.program.kernels)
      keys.push_back(signatures.of(kernel).hex());
    return keys;
  }
  const KernelTarget target{.backend = device_.backend, .compile = problem_.compile};
  std::vector<std::string> texts;
  for (const KernelCode& code : program.codes)
    texts.push_back(compiled_text(program.program, code, target));
  const auto is_known = [&](const char* architecture) {
    return std::ranges::any_of(texts, [&](const std::string& text) {
      return kernels_.contains(canonical_key(text, architecture).hex());
    });
  };
  if (!architecture_) {
    const auto its = std::ranges::find_if(Architectures, is_known);
    if (its != std::end(Architectures)) architecture_ = *its;
  }
  for (const std::string& text : texts)
    keys.push_back(canonical_key(text, architecture_.value_or("")).hex());
  return keys;
}

std::set<std::string> StoredTimes::composed_of(const std::string& hash) const {
  const auto found = composed_of_.find(hash);
  return found == composed_of_.end() ? std::set<std::string>() : found->second;
}

}  // namespace thallo
