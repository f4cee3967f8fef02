#include "core/explore/report/report.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "core/backend/choose_device_spec.h"
#include "core/base/option_text.h"
#include "core/explore/measure/chosen_devices.h"
#include "core/explore/measure/statistics.h"
#include "core/explore/report/statistics_of_results.h"

namespace thallo {
namespace {

constexpr const char* EstimateModel = "estimate";
constexpr std::size_t NumFastest = 10;
constexpr std::size_t NumSlowest = 10;
constexpr std::size_t MostEffects = 48;

template <class T>
std::vector<T> all_of(const std::vector<StoreRecord>& records) {
  std::vector<T> result;
  for (const StoreRecord& record : records)
    if (const T* its = std::get_if<T>(&record)) result.push_back(*its);
  return result;
}

// Sorts candidates by space and number; those without one come last, by hash.
auto order_key(const Candidate& candidate) {
  const std::string index = candidate.index.value_or("");
  const std::size_t colon = index.find(':');
  const std::string number = colon == std::string::npos ? "" : index.substr(colon + 1);
  return std::make_tuple(!candidate.index, index.substr(0, colon), number.size(), number,
                         candidate.hash);
}

// A snapshot of what the store knows about the problem.
class Records {
 public:
  explicit Records(std::vector<StoreRecord> all)
      : spaces(all_of<SpaceRecord>(all)),
        devices(all_of<DeviceRecord>(all)),
        kernels_(all_of<KernelRecord>(all)),
        steps_(all_of<StepRecord>(all)),
        schedules_(all_of<ScheduleRecord>(all)),
        samples_(all_of<StepSamples>(all)),
        results_(all_of<ScheduleResult>(all)) {}

  std::vector<Candidate> candidates(const std::string& device) const {
    std::map<std::string, Candidate> by_hash;
    for (const ScheduleRecord& record : schedules_) {
      Candidate candidate{.hash = record.hash, .text = record.text};
      candidate.bytes = record.bytes;
      for (const SchedulePlace& place : record.places)
        if (place.index && !candidate.index)
          candidate.index = fmt::format("{}:{}", place.space, *place.index);
      for (const SchedulePrediction& prediction : record.predictions)
        if (prediction.device == device) candidate.predictions[prediction.model] = prediction;
      by_hash[record.hash] = std::move(candidate);
    }
    for (const ScheduleResult& result : results_) {
      if (result.slot.device != device) continue;
      Candidate& candidate = by_hash.at(result.slot.schedule);
      candidate.result(result.slot.kind) = result;
    }
    std::vector<Candidate> candidates;
    for (auto& [hash, candidate] : by_hash) {
      if (candidate.composed || candidate.end_to_end || !candidate.predictions.empty())
        candidates.push_back(std::move(candidate));
    }
    std::ranges::sort(candidates, {}, order_key);
    return candidates;
  }

  DecisionTable decisions(const std::vector<Candidate>& candidates, DecisionReader& reader) const {
    std::map<std::string_view, const ScheduleRecord*> by_hash;
    for (const ScheduleRecord& record : schedules_) by_hash.emplace(record.hash, &record);
    std::vector<const ScheduleRecord*> schedules;
    for (const Candidate& candidate : candidates) schedules.push_back(by_hash.at(candidate.hash));
    return reader.read(schedules);
  }

  void count_steps(DeviceReport& report) const {
    std::set<std::string> timed;
    std::set<std::string> failed;
    for (const StepSamples& samples : samples_) {
      if (samples.slot.device != report.device.signature) continue;
      (samples.is_ok() ? timed : failed).insert(samples.slot.key);
    }
    report.num_steps = timed.size();
    report.num_failed_steps = failed.size();
  }

  void count_kernels(DeviceReport& report) const {
    for (const KernelRecord& kernel : kernels_) {
      if (kernel.compiler != report.device.signature) continue;
      ++report.num_kernels;
      if (kernel.spill_bytes.value_or(0) > 0) ++report.num_spilling;
      if (kernel.registers)
        report.most_registers = std::max(report.most_registers.value_or(0), *kernel.registers);
      if (kernel.compile_seconds)
        report.compile_seconds = report.compile_seconds.value_or(0) + *kernel.compile_seconds;
    }
  }

  std::map<std::string, std::vector<StepCost>> steps(const std::string& device) const {
    std::map<std::string, std::vector<StepCost>> steps;
    for (const ScheduleRecord& schedule : schedules_) {
      std::vector<StepCost> its = costs_of(schedule.steps, device);
      if (!its.empty()) steps.emplace(schedule.hash, std::move(its));
    }
    return steps;
  }

  std::vector<SpaceRecord> spaces;
  std::vector<DeviceRecord> devices;

 private:
  std::vector<KernelRecord> kernels_;
  std::vector<StepRecord> steps_;
  std::vector<ScheduleRecord> schedules_;
  std::vector<StepSamples> samples_;
  std::vector<ScheduleResult> results_;

  std::vector<StepCost> costs_of(const std::vector<StepUse>& uses,
                                 const std::string& device) const {
    if (uses.empty()) return {};
    std::map<std::string, StepCost> costs;  // by key
    for (const StepUse& use : uses) {
      if (use.device != device) continue;
      StepCost& cost = costs[use.key];
      cost.runs = use.runs;
      cost.predicted = use.predicted_seconds;
    }
    for (const StepRecord& step : steps_) {
      const auto its = costs.find(step.key);
      if (its == costs.end()) continue;
      StepCost& cost = its->second;
      cost.label = step.label;
      for (const KernelRecord& kernel : kernels_) {
        if (kernel.key != step.kernel || kernel.compiler != device) continue;
        cost.registers = kernel.registers;
        cost.spill_bytes = kernel.spill_bytes;
        cost.shared_bytes = kernel.shared_bytes;
      }
    }
    for (const StepSamples& samples : samples_) {
      const auto its = costs.find(samples.slot.key);
      if (its == costs.end() || samples.slot.device != device || !samples.is_ok()) continue;
      StepCost& cost = its->second;
      const bool is_hot = samples.slot.cache == CacheState::Hot;
      (is_hot ? cost.hot : cost.evicted) = median(samples.seconds);
      if (is_hot && samples.seconds.size() > 1)
        cost.hot_spread = half_interquartile_range(samples.seconds);
    }
    std::vector<StepCost> result;
    for (auto& [key, cost] : costs) result.push_back(std::move(cost));
    return result;
  }
};

// Returns the steps of the first of these candidates whose steps are known.
SlowestSteps slowest_steps(const DeviceReport& report, const std::vector<std::size_t>& order) {
  for (const std::size_t i : order) {
    const auto known = report.steps.find(report.candidates[i].hash);
    if (known == report.steps.end()) continue;
    std::vector<StepCost> steps = known->second;
    std::ranges::stable_sort(steps, std::greater(), &StepCost::seconds);
    const std::size_t num_shown = std::min(steps.size(), NumSlowest);
    const std::size_t num_others = steps.size() - num_shown;
    steps.resize(num_shown);
    return {known->first, std::move(steps), num_others};
  }
  return {};
}

// Estimates with a spec that is named are of one device.
Expected<std::vector<DeviceRecord>> reported_devices(const MeasurementStore& store,
                                                     const std::vector<DeviceRecord>& devices,
                                                     const ReportOptions& options) {
  auto chosen = chosen_devices(store, devices, {options.device, options.backend});
  if (chosen && chosen->size() > 1 && !options.device_spec.empty()) {
    return fail(
        Diagnostic{fmt::format("{} is of one device, and there are results of {}; choose one by {}",
                               option_text("device_spec", options.device_spec), chosen->size(),
                               option_text("device")),
                   {store.path()},
                   titles_of(devices)});
  }
  return chosen;
}

// Seconds of each candidate; NaN if there are none.
std::vector<double> seconds_of(const DeviceReport& report) {
  std::vector<double> seconds;
  for (const Candidate& candidate : report.candidates) {
    seconds.push_back(measured_seconds(candidate, report.kind)
                          .value_or(std::numeric_limits<double>::quiet_NaN()));
  }
  return seconds;
}

// Estimates every n-th candidate if there are too many.
void add_estimates(DeviceReport& report, const ExploredProblem& problem, const CostModel& model,
                   std::size_t most) {
  if (!report.spec || most == 0) return;
  PlanPricer pricer(problem.file.energy, problem.instance.binding, problem.price_options(model),
                    *report.spec);
  const std::size_t count = std::min(report.candidates.size(), most);
  for (std::size_t i = 0; i < count; ++i) {
    Candidate& candidate = report.candidates[i * report.candidates.size() / count];
    const auto schedule = problem.read(candidate.text);
    if (!schedule) continue;  // uses constructs that are not loaded here
    const auto plan = problem.plan_of(*schedule);
    if (!plan) continue;
    const Prediction estimate = pricer.estimate(*plan).prediction;
    candidate.predictions[EstimateModel] = {.device = report.device.signature,
                                            .model = EstimateModel,
                                            .nonlinear_seconds = estimate.nonlinear_iteration,
                                            .linear_seconds = estimate.linear_iteration};
    ++report.num_estimated;
  }
}

}  // namespace

Expected<ExplorationReport> make_report(const MeasurementStore& store,
                                        const ExploredProblem& problem, const CostModel& model,
                                        const ReportOptions& options) {
  THALLO_TRY(auto record, find_problem(store, problem));
  THALLO_TRY(auto all, store.records({.problem = problem.signature, .device = ""}));
  const Records records(std::move(all));
  THALLO_TRY(const auto devices, reported_devices(store, records.devices, options));
  DecisionReader own(problem);
  DecisionReader& reader = options.decisions != nullptr ? *options.decisions : own;

  ExplorationReport report{.problem = std::move(record), .spaces = records.spaces};
  for (const DeviceRecord& device : devices) {
    DeviceReport its;
    its.device = device;
    if (options.device_spec.empty()) {
      its.spec = kept_device_spec(device.backend, device.signature);
    } else {
      THALLO_TRY(its.spec, named_device_spec(options.device_spec, device.backend));
    }
    its.candidates = records.candidates(device.signature);
    records.count_steps(its);
    records.count_kernels(its);
    its.kind = prevailing_kind(its.candidates);
    its.model = model.name();
    its.decisions = records.decisions(its.candidates, reader);
    its.effects = effects_of_choices(its.decisions, seconds_of(its), MostEffects);
    add_estimates(its, problem, model, options.most_estimates);
    const std::vector<std::size_t> order = by_time(its.candidates, its.kind);
    its.num_timed = order.size();
    its.steps = records.steps(device.signature);
    its.slowest = slowest_steps(its, order);
    its.fastest.assign(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(
                                                          std::min(order.size(), NumFastest)));
    its.marks = marks_of(its.candidates, its.kind,
                         options.named ? *options.named : named_proposals(problem, its.spec));
    its.models = accuracy_of_models(its.candidates, its.kind);
    its.composition = composition_of(its.candidates);
    its.failures = failures_of(its.candidates);
    its.traces = traces_of(its.candidates);
    its.best_cost = best_cost_of(its.traces);
    report.devices.push_back(std::move(its));
  }
  return report;
}

}  // namespace thallo
