#include "core/explore/report/what_if.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/base/stop_scope.h"
#include "core/cost/autoschedule/autoschedule.h"

namespace thallo {
namespace {

constexpr std::array PointFactors = {1.0 / 256, 1.0 / 64, 1.0 / 16, 1.0 / 4, 1.0,
                                     4.0,       16.0,     64.0,     256.0};
constexpr std::array IterationFactors = {1.0 / 16, 1.0 / 8, 1.0 / 4, 1.0 / 2, 1.0,
                                         2.0,      4.0,     8.0,     16.0};

// The power of the factor by which each dim grows: 1 over the number of dims that grow together.
std::map<DimId, double> growth(const Energy& energy) {
  std::map<DimId, double> powers;
  const auto grow = [&powers](const std::vector<DimId>& dims) {
    for (const DimId dim : dims) {
      const double power = 1 / static_cast<double>(dims.size());
      const auto [known, is_new] = powers.try_emplace(dim, power);
      if (!is_new) known->second = std::min(known->second, power);
    }
  };
  for (const FieldId unknown : energy.unknowns()) grow(energy.field(unknown).dims);
  // A map that leads to edges leads from something else that grows, and so on.
  for (bool has_grown = true; has_grown;) {
    has_grown = false;
    for (const SparseMap& map : energy.maps()) {
      const auto grows = [&powers](DimId dim) { return powers.contains(dim); };
      if (!std::ranges::any_of(map.out, grows) || std::ranges::all_of(map.in, grows)) continue;
      grow(map.in);
      has_grown = true;
    }
  }
  return powers;
}

std::int64_t scaled_extent(std::int64_t extent, double factor, double power) {
  return std::max<std::int64_t>(
      1, std::llround(static_cast<double>(extent) * std::pow(factor, power)));
}

// True if predictions of the factor make sense: everything that grows still has an extent.
bool is_large_enough(const Energy& energy, const Binding& binding, double factor) {
  return std::ranges::all_of(growth(energy), [&](const auto& dim) {
    const std::int64_t extent = binding.extent(dim.first);
    return extent < 2 || scaled_extent(extent, factor, dim.second) >= 2;
  });
}

// Estimates are made at all points, and prices only where there are data. So the estimates of a
// plan are scaled by its price over its estimate here.
class ScaledEstimates {
 public:
  ScaledEstimates(const Energy& energy, const WhatIfTarget& target, const DeviceSpec& device)
      : pricer_(energy, target.binding, target.prices, device) {}

  double operator()(const Plan& plan, PlanPricer& there) {
    const double price = pricer_.price(plan).prediction.nonlinear_iteration;
    const double estimate = pricer_.estimated_seconds(plan);
    const bool has_scale = std::isfinite(price) && std::isfinite(estimate);
    return there.estimated_seconds(plan) * (has_scale ? price / estimate : 1);
  }

 private:
  PlanPricer pricer_;
};

std::optional<WhatIfPoint::Chosen> chosen_there(const Energy& energy,
                                                const ConstructRegistry& constructs,
                                                PlanPricer& pricer, ScaledEstimates& seconds,
                                                std::int64_t memory_limit) {
  if (!weighs_schedules(energy)) return std::nullopt;
  const StepLimit limit(MostWeighingSteps);
  try {
    auto chosen = autoschedule(energy, constructs, pricer, memory_limit);
    if (!chosen) return std::nullopt;
    const auto plan = make_plan(energy, chosen->schedule, constructs);
    if (!plan) return std::nullopt;
    return WhatIfPoint::Chosen{std::move(chosen->schedule), seconds(*plan, pricer)};
  } catch (const OutOfSteps&) {
    return std::nullopt;
  }
}

// The factor at which the plan that is the fastest at one point takes as long as the one that is
// at the next.
double crossing(const WhatIfPoint& a, const WhatIfPoint& b, std::size_t from, std::size_t to) {
  const double before = std::log(a.seconds[from] / a.seconds[to]);
  const double after = std::log(b.seconds[from] / b.seconds[to]);
  const double share = std::isfinite(before) && std::isfinite(after) && after > before
                           ? -before / (after - before)
                           : 0.5;
  return std::exp(std::log(a.factor) + share * (std::log(b.factor) - std::log(a.factor)));
}

std::vector<Crossover> crossovers(const std::vector<WhatIfPoint>& points) {
  std::vector<Crossover> found;
  for (std::size_t i = 0; i + 1 < points.size(); ++i) {
    const auto from = points[i].fastest(), to = points[i + 1].fastest();
    if (from && to && *from != *to)
      found.push_back({*from, *to, crossing(points[i], points[i + 1], *from, *to)});
  }
  return found;
}

}  // namespace

std::optional<std::size_t> WhatIfPoint::fastest() const {
  const auto least = std::ranges::min_element(seconds);
  if (least == seconds.end() || !std::isfinite(*least)) return std::nullopt;
  return static_cast<std::size_t>(least - seconds.begin());
}

ScaledInstance scaled_instance(const Energy& energy, const Binding& binding,
                               const std::map<MapId, MapStatistics>& maps, double factor) {
  const std::map<DimId, double> powers = growth(energy);
  ScaledInstance scaled{Binding(energy), maps};
  for (std::size_t i = 0; i < energy.dims().size(); ++i) {
    const DimId dim(i);
    const auto power = powers.find(dim);
    const std::int64_t extent = binding.extent(dim);
    // The extent is legal, so it can be set.
    std::ignore = scaled.binding.set_extent(
        energy.dim(dim).name,
        power == powers.end() ? extent : scaled_extent(extent, factor, power->second));
  }
  for (auto& [id, statistics] : scaled.maps) {
    const SparseMap& map = energy.map(id);
    const auto grown = [&](const std::vector<DimId>& dims) {
      double ratio = 1;
      for (const DimId dim : dims) {
        const auto before = static_cast<double>(binding.extent(dim));
        if (before > 0) ratio *= static_cast<double>(scaled.binding.extent(dim)) / before;
      }
      return ratio;
    };
    statistics.points *= grown(map.in);
    statistics.elements = std::min(statistics.elements * grown(map.out), statistics.points);
  }
  return scaled;
}

Expected<WhatIf> what_if(const Energy& energy, const ConstructRegistry& constructs,
                         std::span<const NamedPlan> plans, const WhatIfTarget& target,
                         const DeviceSpec& device, WhatIfAxis axis, const std::stop_token& stop) {
  WhatIf result;
  for (const NamedPlan& plan : plans) result.names.push_back(plan.name);
  const auto maps = map_statistics(energy, target.binding);
  ScaledEstimates seconds(energy, target, device);
  const bool is_of_points = axis == WhatIfAxis::Points;
  for (const double factor : is_of_points ? PointFactors : IterationFactors) {
    if (stop.stop_requested()) break;
    const double growth_factor = is_of_points ? factor : 1;
    if (!is_large_enough(energy, target.binding, growth_factor)) continue;
    const ScaledInstance scaled = scaled_instance(energy, target.binding, maps, growth_factor);
    PriceOptions options = target.prices;
    if (!is_of_points) {
      options.counts.linear_iterations =
          std::max(1.0, std::round(options.counts.linear_iterations * factor));
    }
    PlanPricer pricer(energy, scaled.binding, scaled.maps, options, device);
    WhatIfPoint point{.factor = factor,
                      .num_unknowns = scaled.binding.num_unknowns(energy),
                      .linear_iterations = options.counts.linear_iterations};
    for (std::size_t i = 0; i < energy.dims().size(); ++i)
      point.extents.emplace_back(energy.dims()[i].name, scaled.binding.extent(DimId(i)));
    for (const NamedPlan& plan : plans) point.seconds.push_back(seconds(plan.plan, pricer));
    point.chosen = chosen_there(energy, constructs, pricer, seconds, target.memory_limit);
    result.points.push_back(std::move(point));
  }
  result.crossovers = crossovers(result.points);
  return result;
}

std::vector<double> times_on(const DeviceSpec& device, const Energy& energy,
                             std::span<const NamedPlan> plans, const WhatIfTarget& target) {
  std::vector<double> seconds;
  for (const NamedPlan& its : plans) {
    const PricedPlan priced = price_plan(energy, its.plan, target.binding, target.prices, device);
    seconds.push_back(priced.prediction.nonlinear_iteration);
  }
  return seconds;
}

}  // namespace thallo
