#include "tests/gui/space_records.h"

#include <algorithm>
#include <stdexcept>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/base/hash.h"
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

}  // namespace thallo::test
