#include "core/explore/measure/chosen_devices.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include <fmt/format.h>

namespace thallo {
namespace {

bool contains(const std::string& text, const std::string& part) {
  const auto is_equal = [](unsigned char a, unsigned char b) {
    return std::tolower(a) == std::tolower(b);
  };
  return part.empty() || !std::ranges::search(text, part, is_equal).empty();
}

}  // namespace

Expected<ProblemRecord> find_problem(const MeasurementStore& store,
                                     const ExploredProblem& problem) {
  const auto known = store.list<ProblemRecord>();
  if (!known) return fail(known.error());
  std::vector<std::string> legal;
  for (const ProblemRecord& record : *known) {
    if (record.signature == problem.signature) return record;
    legal.push_back(fmt::format("{} ({} {})", record.name, record.signature, record.options));
  }
  const std::string name = problem.problem->info().name;
  return fail(Diagnostic{
      fmt::format("nothing was measured of {} ({} {}); its options, its data, the precision and "
                  "the solver must be those of the exploration",
                  name, problem.signature, problem.options.text()),
      {store.path()},
      legal});
}

Expected<std::vector<DeviceRecord>> chosen_devices(const MeasurementStore& store,
                                                   const std::vector<DeviceRecord>& devices,
                                                   const DeviceChoice& choice) {
  std::vector<DeviceRecord> chosen;
  for (const DeviceRecord& device : devices) {
    if (choice.backend != "auto" && device.backend != choice.backend) continue;
    if (contains(device.name, choice.name) || choice.name == device.signature)
      chosen.push_back(device);
  }
  if (!chosen.empty()) return chosen;
  std::string of = choice.name.empty() ? "any device" : fmt::format("a device '{}'", choice.name);
  if (choice.backend != "auto") of += fmt::format(" of the backend {}", choice.backend);
  return fail(Diagnostic{
      fmt::format("no result of this problem is of {}", of), {store.path()}, titles_of(devices)});
}

std::vector<std::string> titles_of(const std::vector<DeviceRecord>& devices) {
  std::vector<std::string> titles;
  for (const DeviceRecord& device : devices)
    titles.push_back(fmt::format("{} ({})", device.name, device.signature));
  return titles;
}

}  // namespace thallo
