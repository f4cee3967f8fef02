#include "core/explore/measure/chosen_devices.h"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <map>
#include <set>
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

// So many inputs of a problem are named in a message, the most similar ones, or so many problems.
constexpr std::size_t MostInputs = 5, MostProblems = 20;

std::vector<std::string> first_of(std::vector<std::string> all, std::size_t most) {
  if (all.size() <= most) return all;
  const std::size_t num_more = all.size() - most;
  all.resize(most);
  all.push_back(fmt::format("and {} more", num_more));
  return all;
}

// Returns how many options of `its` do not stand in `options`, both as Options::text().
std::size_t num_differing(const std::string& its, const std::string& options) {
  const std::string all = ", " + options + ", ";
  std::size_t num = 0;
  for (std::size_t begin = 0; begin < its.size();) {
    const std::size_t end = std::min(its.find(", ", begin), its.size());
    const std::string option = ", " + its.substr(begin, end - begin) + ", ";
    if (all.find(option) == std::string::npos) ++num;
    begin = end + 2;
  }
  return num;
}

}  // namespace

Expected<ProblemRecord> find_problem(const MeasurementStore& store,
                                     const ExploredProblem& problem) {
  THALLO_TRY(const auto known, store.list<ProblemRecord>());
  const std::string name = problem.problem->info().name;
  const std::string options = problem.options.text();
  std::vector<std::string> measured;  // the options of this problem that were measured
  std::map<std::string, std::vector<const ProblemRecord*>> others;  // by name
  for (const ProblemRecord& record : known) {
    if (record.signature == problem.signature) return record;
    if (record.name == name)
      measured.push_back(record.options);
    else
      others[record.name].push_back(&record);
  }
  if (measured.empty()) {
    std::vector<std::string> legal;
    for (const auto& [other, inputs] : others) {
      const ProblemRecord& first = *inputs.front();
      legal.push_back(inputs.size() == 1
                          ? fmt::format("{} ({} {})", other, first.signature, first.options)
                          : fmt::format("{} ({} inputs)", other, inputs.size()));
    }
    return fail(Diagnostic{fmt::format("nothing was measured of {} ({})", name, problem.signature),
                           {store.path()},
                           first_of(std::move(legal), MostProblems)});
  }
  std::ranges::stable_sort(
      measured, {}, [&options](const std::string& its) { return num_differing(its, options); });
  return fail(Diagnostic{
      fmt::format("nothing was measured of {} ({} {}); its options, its data, the precision, the "
                  "solver and the passes must be those of the exploration",
                  name, problem.signature, options),
      {store.path()},
      first_of(std::move(measured), MostInputs)});
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

Expected<std::vector<DeviceRecord>> measured_devices(const MeasurementStore& store,
                                                     const std::string& problem,
                                                     const DeviceChoice& choice) {
  THALLO_TRY(const auto results, store.list<ScheduleResult>({.problem = problem, .device = ""}));
  std::set<std::string> measured;
  for (const ScheduleResult& result : results) measured.insert(result.slot.device);
  THALLO_TRY(auto devices, store.list<DeviceRecord>());
  std::erase_if(devices, [&](const auto& device) { return !measured.contains(device.signature); });
  return chosen_devices(store, devices, choice);
}

std::vector<std::string> titles_of(const std::vector<DeviceRecord>& devices) {
  std::vector<std::string> titles;
  for (const DeviceRecord& device : devices)
    titles.push_back(fmt::format("{} ({})", device.name, device.signature));
  return titles;
}

}  // namespace thallo
