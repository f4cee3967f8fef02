#include "core/cost/learned/step_inputs.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/cost/model/cost_model.h"
#include "core/kernel/frequency.h"

namespace thallo {
namespace {

// Terms below this many seconds do not matter beside starting a kernel.
constexpr double Negligible = 1e-7;
constexpr double UsualBlock = 256;  // threads
constexpr double UsualWarps = 18;   // of a multiprocessor, beyond which more do not hide more

// Sums over the accesses of a step, per point.
struct AccessSums {
  double gathered = 0, added = 0, stored = 0;  // scalars
  double largest_gather = 0;                   // bytes of the largest table that is gathered from
  double least_addresses = std::numeric_limits<double>::infinity();  // that additions go to
  double gather_spread = 1, add_spread = 1;  // distinct elements by points; the least of all maps
};

AccessSums sums_of(const StepWork& step, const ProgramWork& program) {
  AccessSums sums;
  const double points = std::max(1.0, static_cast<double>(step.features.points));
  for (const Access& access : step.features.accesses) {
    const auto map = program.maps.find(access.map);
    const double spread = map == program.maps.end() ? 1 : map->second.spread.front();
    const double scalars = access.count * access.scalars / points;
    if (access.kind == Access::Kind::Store) sums.stored += scalars;
    if (access.kind == Access::Kind::Read && access.motion == Motion::Jumps) {
      sums.gathered += scalars;
      sums.largest_gather = std::max(sums.largest_gather, access.table);
      sums.gather_spread = std::min(sums.gather_spread, spread);
    }
    if (access.kind == Access::Kind::Add) {
      sums.added += scalars;
      sums.least_addresses = std::min(sums.least_addresses, access.table / sizeof(float));
      sums.add_spread = std::min(sums.add_spread, spread);
    }
  }
  return sums;
}

// The most points that a map sends to one element, by the mean number; 1 without such maps.
double imbalance_of(const KernelFeatures& features, const ProgramWork& program) {
  double most = 1;
  for (const auto& [id, visits] : features.visits) {
    const auto map = program.maps.find(id);
    if (map == program.maps.end() || map->second.points == 0) continue;
    most = std::max(most, map->second.largest_degree * map->second.elements / map->second.points);
  }
  return most;
}

double visits_of(const KernelFeatures& features) {
  double all = 0;
  for (const auto& [map, visits] : features.visits) all += visits;
  return all;
}

struct Property {
  std::string_view name;
  double value;
};

std::vector<Property> properties_of(const StepWork& step, const ProgramWork& program,
                                    const DeviceSpec& device, const StepTerms& terms) {
  const KernelFeatures& f = step.features;
  const double points = std::max(1.0, static_cast<double>(f.points));
  const double threads = std::max(1.0, points / step.points_per_thread);
  const double block = step.threads_per_block > 0 ? step.threads_per_block : UsualBlock;
  const double waves = threads / (UsualWarps * device.lanes * std::max(1.0, device.units));
  const AccessSums sums = sums_of(step, program);
  const auto log1p = [](double x) { return std::log1p(std::max(0.0, x)); };
  const auto is = [](bool condition) { return condition ? 1.0 : 0.0; };
  std::vector<Property> properties = {
      {"log_points", std::log(points)},
      {"log_waves", std::log(waves)},
      {"tail", std::ceil(waves) / waves - 1},
      {"log_block", std::log(block)},
      {"log_points_of_thread", std::log(step.points_per_thread)},
      {"log_flops", log1p(f.flops.total() / threads)},
      {"log_index_operations", log1p(f.index_operations / threads)},
      {"log_loads", log1p(f.loads / threads)},
      {"chained_loads", f.chained_loads},
      {"log_passes", log1p(f.passes / points)},
      {"log_visits", log1p(visits_of(f) / points)},
      {"log_imbalance", std::log(imbalance_of(f, program))},
      {"log_bytes", log1p(f.must_move() / points)},
      {"log_gathered", log1p(sums.gathered)},
      {"log_added", log1p(sums.added)},
      {"log_stored", log1p(sums.stored)},
      {"log_gather_of_cache", log1p(sums.largest_gather / std::max(1.0, device.cache))},
      {"log_adds_to_address",
       std::isfinite(sums.least_addresses) ? log1p(sums.added * points / sums.least_addresses) : 0},
      {"gather_spread", sums.gather_spread},
      {"add_spread", sums.add_spread},
      {"log_moved_of_cache", log1p(f.must_move() / std::max(1.0, device.cache))},
      {"evicted", evicted_share(program.loop_bytes, device)},
      {"log_reductions", log1p(f.reductions)},
      {"aggregates", is(step.aggregates)},
      {"in_double", is(step.in_double)},
      {"in_loop", is(frequency_of(step.phase) == Frequency::LinearIteration)}};
  for (const StepFamily family : AllFamilies)
    properties.push_back({to_string(family), is(family_of(step) == family)});
  for (const Term term : AllTerms)
    properties.push_back({to_string(term), log1p(terms[term] / Negligible)});
  return properties;
}

}  // namespace

StepFamily family_of(const StepWork& step) {
  switch (step.kind) {
    case StepWork::Kind::Clear: return StepFamily::Clear;
    case StepWork::Kind::Library: return StepFamily::Library;
    case StepWork::Kind::DirectSolve: return StepFamily::DirectSolve;
    case StepWork::Kind::Kernel: break;
  }
  const bool adds = std::ranges::any_of(step.features.accesses, [](const Access& access) {
    return access.kind == Access::Kind::Add;
  });
  if (adds) return StepFamily::Scatter;
  return step.features.visits.empty() ? StepFamily::Map : StepFamily::Gather;
}

std::span<const std::string_view> property_names() {
  static const std::vector<std::string_view> names = [] {
    std::vector<std::string_view> result;
    const DeviceSpec device{.units = 1};
    for (const Property& property : properties_of({}, {}, device, {}))
      result.push_back(property.name);
    return result;
  }();
  return names;
}

StepInputs inputs_of(const StepWork& step, const ProgramWork& program, const DeviceSpec& device) {
  StepInputs inputs{.terms = terms_of(step, program, device)};
  for (const Property& property : properties_of(step, program, device, inputs.terms))
    inputs.properties.push_back(property.value);
  return inputs;
}

}  // namespace thallo
