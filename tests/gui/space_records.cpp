#include "tests/gui/space_records.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "core/base/hash.h"
#include "core/base/random.h"
#include "core/explore/report/statistics_of_results.h"
#include "core/explore/store/store.h"

namespace thallo::test {
namespace {

constexpr const char* Step = "0123456789abcdef0123456789abcdef";

std::string strategy_of(int number) {
  const char* strategies[] = {"Jt[Jp]", "[JtJ]p", "[[Jt][J]]p", "[Jt][[J]p]"};
  return strategies[number % 4];
}

std::string text_of(int number) {
  return fmt::format("r.fit:strategy(\"{}\")\nr.fit:number({})\n", strategy_of(number), number);
}

std::vector<Decision> decisions_of(int number) {
  return {{"strategy", "fit", strategy_of(number)}, {"number", "fit", fmt::to_string(number)}};
}

}  // namespace

void write_space(const std::filesystem::path& path, const gui::ProblemSnapshot& problem,
                 const std::string& gpu, double slowdown) {
  const DeviceRecord device = {fmt::format("cuda {} sm_90", gpu), gpu, "cuda"};
  const std::string signature = problem.signature.toStdString();
  std::vector<StoreRecord> records = {
      device, ProblemRecord{signature, "test", "", ""},
      StepRecord{.problem = signature, .key = Step, .label = "update", .features = ""},
      StepSamples{.slot = {signature, device.signature, Step}, .seconds = {1e-5}}};
  int number = 0;
  const auto add = [&](const std::string& hash, const std::string& text,
                       std::vector<Decision> decisions) {
    ++number;
    const double seconds = 1e-3 * slowdown * number;
    ScheduleRecord schedule{.problem = signature, .hash = hash, .text = text, .bytes = 1000};
    schedule.predictions = {{device.signature, "analytic", 2 * seconds, 0.1 * seconds}};
    schedule.steps = {{device.signature, Step, 1}};
    schedule.decisions = std::move(decisions);
    records.emplace_back(schedule);
    ScheduleResult result{.slot = {signature, device.signature, hash},
                          .nonlinear_seconds = seconds,
                          .linear_seconds = 0.1 * seconds,
                          .linear_iterations = 10};
    if (number > 21) {
      result = {.slot = result.slot,
                .status = ResultStatus::OutOfMemory,
                .reason = "9 GiB are more than 8 GiB"};
    }
    records.emplace_back(result);
  };
  std::vector<std::string> hashes;
  for (const gui::NamedSchedule& named : problem.schedules) {
    const std::string hash = named.hash.toStdString();
    if (std::ranges::find(hashes, hash) != hashes.end()) continue;
    hashes.push_back(hash);
    add(hash, named.text.toStdString(), {});
  }
  for (int i = static_cast<int>(hashes.size()); i < 24; ++i)
    add(hash_text(text_of(i)).hex(), text_of(i), decisions_of(i));
  auto store = MeasurementStore::open(path, MeasurementStore::Access::Write);
  if (!store) throw std::runtime_error(store.error().message());
  if (const auto added = store->add(records, Existing::Replace); !added)
    throw std::runtime_error(added.error().message());
}

std::map<std::string, std::vector<double>> step_times(const std::filesystem::path& store) {
  std::map<std::string, std::vector<double>> times;
  if (!std::filesystem::exists(store)) return times;
  const auto opened = MeasurementStore::open(store, MeasurementStore::Access::Read);
  const auto all = opened ? opened->list<StepSamples>() : fail(opened.error());
  if (!all) return times;
  for (const StepSamples& samples : *all)
    times[samples.slot.key + std::string(to_string(samples.slot.cache))] = samples.seconds;
  return times;
}

DeviceReport many_candidates(std::size_t count) {
  DeviceReport report{.device = {"cuda test sm_90", "Test GPU", "cuda"},
                      .model = std::string(default_cost_model().name())};
  Random random(1);
  for (std::size_t i = 0; i < count; ++i) {
    std::string text;
    DecisionTable::Schedule& decided = report.decisions.schedules.emplace_back();
    double seconds = 1e-4;
    for (int number = 0; number < 8; ++number) {
      const std::string part = fmt::format("part_{}", number);
      const auto choice = random.below(5);
      seconds *= 1 + 0.2 * static_cast<double>(choice) / (1 + number);
      if (choice > 0) {
        const std::string label = fmt::format("choice {}", choice);
        text += fmt::format("r.{}:way(\"{}\")\n", part, label);
        decided.said.push_back(report.decisions.number_of({"way", part, label}));
      }
      if (random.below(2) > 0) {
        text += fmt::format("r.{}:order{{h, w}}\n", part);
        decided.said.push_back(report.decisions.number_of({"order", part, "h, w"}));
      }
    }
    seconds *= 1 + 0.05 * random.uniform();
    const std::string hash = fmt::format("{:032x}", i);
    Candidate candidate{.hash = hash, .text = text, .index = fmt::format("s0123456789ab:{}", i)};
    candidate.predictions[report.model] = {report.device.signature, report.model, 1.1 * seconds, 0};
    candidate.composed =
        ScheduleResult{.slot = {"p", report.device.signature, hash}, .nonlinear_seconds = seconds};
    report.candidates.push_back(std::move(candidate));
  }
  report.marks = marks_of(report.candidates, report.kind, {});
  report.models = accuracy_of_models(report.candidates, report.kind);
  return report;
}

void add_effects(DeviceReport& report) {
  std::vector<double> seconds;
  for (const Candidate& candidate : report.candidates)
    seconds.push_back(candidate.composed->nonlinear_seconds);
  report.effects = effects_of_choices(report.decisions, seconds, 48);
}

}  // namespace thallo::test
